/** The part of a clock that a time limit needs (R24). */
export interface Waking {
  /** Calls `wake` once at or after `at`. Answers the cancellation. */
  readonly wakeAt: (at: number, wake: () => void) => () => void;
}

/** Settles with `done`, or resolves when the time has come. `until` is an instant of the clock, ms. */
export function within(until: number, done: Promise<unknown>, clock: Waking): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = clock.wakeAt(until, resolve);
    done.then(
      () => {
        cancel();
        resolve();
      },
      (caught: unknown) => {
        cancel();
        reject(caught);
      },
    );
  });
}

/** Time that what was handed over has to leave where there is none left, ms. */
const LEAST_CLOSE_MS = 100;

/** The rest of a time limit, for a connection to close, ms; undefined where there is no limit. */
export function timeToClose(until: number | undefined, now: number): number | undefined {
  return until === undefined ? undefined : Math.max(LEAST_CLOSE_MS, Math.ceil(until - now));
}
