import type { Clock } from "../contracts/clock.js";

/** The part of a clock that the clients need. */
export type Timers = Pick<Clock, "now" | "wakeAt">;

/** The platform's timers, in Node and in browsers alike. A pending wake-up keeps a Node process running. */
export const PLATFORM_TIMERS: Timers = {
  now: () => performance.now(),
  wakeAt: (at, wake) => {
    const timer = setTimeout(wake, Math.max(0, at - performance.now()));
    return () => clearTimeout(timer);
  },
};
