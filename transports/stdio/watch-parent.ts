import { type After, platformAfter } from "../framing/options.js";

export interface WatchParentOptions {
  /** Called once, when the process that started this one has ended. */
  readonly onGone: () => void;
  /** Interval of the checks, ms. Default 1000, so that the process can end within two seconds of its parent. */
  readonly intervalMs?: number;
  /** Returns the parent's current process number. Default `process.ppid`. */
  readonly parentId?: () => number;
  /** Default: the platform's timer, which does not keep the process running. */
  readonly after?: After;
}

/**
 * Second line of defence against outliving the parent, beside the end of standard input. Compares with the parent at the time of the call, never
 * with a number given by a client, which need not be visible from here. Optional for the caller. Returns a function that stops the checks.
 * Windows keeps a dead parent's number, so `onGone` is never called there: the end of standard input must suffice.
 */
export function watchParent(options: WatchParentOptions): () => void {
  const { onGone, intervalMs = 1000, parentId = () => process.ppid, after = platformAfter } = options;
  const parentAtStart = parentId();
  let cancel = after(intervalMs, look);
  function look(): void {
    if (parentId() === parentAtStart) cancel = after(intervalMs, look);
    else onGone();
  }
  return () => cancel();
}
