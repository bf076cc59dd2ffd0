import { keepRunning, type Timers } from "../platform-clock.js";

/** Settles as `promise` does, or resolves with `late` after so long, ms. Meanwhile a Node process keeps running. */
export function orLate<Value>(promise: Promise<Value>, late: Value, withinMs: number, timers: Timers): Promise<Value> {
  return new Promise((resolve, reject) => {
    const release = keepRunning(withinMs);
    const cancel = timers.wakeAt(timers.now() + withinMs, () => {
      release();
      resolve(late);
    });
    promise.then(resolve, reject).finally(() => {
      release();
      cancel();
    });
  });
}
