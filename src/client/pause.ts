import type { Timers } from "./platform-clock.js";

/** A wait between two attempts that can be cut short. */
export interface Pause {
  readonly take: (milliseconds: number) => Promise<void>;
  /** Ends the current wait. */
  readonly cutShort: () => void;
}

export function createPause(timers: Timers): Pause {
  let cutShort: () => void = () => {};
  return {
    take: (milliseconds) =>
      new Promise((resolve) => {
        const cancel = timers.wakeAt(timers.now() + milliseconds, resolve);
        cutShort = () => {
          cancel();
          resolve();
        };
      }),
    cutShort: () => cutShort(),
  };
}
