import { withResolvers } from "./with-resolvers.js";

/** The part of a clock that a time limit needs (R24). */
export interface Waking {
  /** Calls `wake` once at or after `at`. Returns the cancellation. */
  readonly wakeAt: (at: number, wake: () => void) => () => void;
}

/** Settles as `done` does, or resolves with undefined when `until` has come, an instant of the clock in ms. */
export async function within<Value>(until: number, done: Promise<Value>, clock: Waking): Promise<Value | undefined> {
  const { promise: isOver, resolve } = withResolvers<undefined>();
  const cancel = clock.wakeAt(until, () => resolve(undefined));
  try {
    return await Promise.race([done, isOver]);
  } finally {
    cancel();
  }
}

/** The shortest time for handed-over bytes to leave, ms, even if the time limit is over. */
const LEAST_CLOSE_MS = 100;

/** Returns the rest of a time limit for a connection to close, ms; undefined if there is no limit. */
export function timeToClose(until: number | undefined, now: number): number | undefined {
  return until === undefined ? undefined : Math.max(LEAST_CLOSE_MS, Math.ceil(until - now));
}
