import type { Clock } from "../contracts/clock.js";

/** The part of a clock that the clients need. */
export type Timers = Pick<Clock, "now" | "wakeAt">;

/** The longest wait that a timer can be set to, ms. */
export const LONGEST_TIMER_MS = 0x7fff_ffff;

/** The platform's timers, in Node and in browsers alike. A pending wake-up keeps a Node process running. */
export const PLATFORM_TIMERS: Timers = {
  now: () => performance.now(),
  wakeAt: (at, wake) => {
    const timer = setTimeout(wake, untilMs(at));
    return () => clearTimeout(timer);
  },
};

/** The platform's timers, for wake-ups that keep no Node process running. */
export const QUIET_TIMERS: Timers = {
  now: () => performance.now(),
  wakeAt: (at, wake) => {
    const timer: { readonly unref?: () => void } = setTimeout(wake, untilMs(at));
    timer.unref?.();
    return () => clearTimeout(timer as NodeJS.Timeout);
  },
};

/** Keeps a Node process running for so long, ms, because a caller waits. Returns the function that ends it. */
export function keepRunning(forMs: number): () => void {
  const timer = setTimeout(() => {}, Math.min(forMs, LONGEST_TIMER_MS));
  return () => clearTimeout(timer);
}

/** Settles as `promise` does, or resolves with `late` after so long, ms. Meanwhile a Node process keeps running. */
export function orLate<Value>(promise: Promise<Value>, late: Value, withinMs: number, timers: Timers): Promise<Value> {
  const first = new Promise<Value>((resolve, reject) => {
    const cancel = timers.wakeAt(timers.now() + withinMs, () => resolve(late));
    promise.then(resolve, reject).finally(cancel);
  });
  return first.finally(keepRunning(withinMs));
}

function untilMs(at: number): number {
  return Math.min(Math.max(0, at - performance.now()), LONGEST_TIMER_MS);
}
