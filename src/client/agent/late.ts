import { keepRunning, type Timers } from "../platform-clock.js";

/** Settles as `promise` does, or resolves with `late` after so long, ms. Meanwhile a Node process keeps running. */
export function orLate<Value>(promise: Promise<Value>, late: Value, withinMs: number, timers: Timers): Promise<Value> {
  const first = new Promise<Value>((resolve, reject) => {
    const cancel = timers.wakeAt(timers.now() + withinMs, () => resolve(late));
    promise.then(resolve, reject).finally(cancel);
  });
  return first.finally(keepRunning(withinMs));
}
