import type { Timers } from "./platform-clock.js";

/** A wait between two attempts that can be cut short. */
export class Pause {
  readonly #timers: Timers;
  #cutShort = (): void => {};

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  take(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#timers.wakeAt(this.#timers.now() + milliseconds, resolve);
      this.#cutShort = () => {
        cancel();
        resolve();
      };
    });
  }

  /** Ends the current wait. */
  cutShort(): void {
    this.#cutShort();
  }
}
