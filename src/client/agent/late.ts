import { keepRunning, type Timers } from "../platform-clock.js";

/** Settles as `promise` does, or resolves with `late` after so long, ms. Meanwhile a Node process keeps running. */
export function orLate<Value>(promise: Promise<Value>, late: Value, withinMs: number, timers: Timers): Promise<Value> {
  return orQuietlyLate(promise, late, withinMs, timers).finally(keepRunning(withinMs));
}

/** Likewise, and keeps no process running. */
export function orQuietlyLate<Value>(
  promise: Promise<Value>,
  late: Value,
  withinMs: number,
  timers: Timers,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const cancel = timers.wakeAt(timers.now() + withinMs, () => resolve(late));
    promise.then(resolve, reject).finally(cancel);
  });
}
