import { type After, platformAfter } from "../framing/options.js";

export interface WatchParentOptions {
  /** Told once, when the process that started this one has ended. */
  readonly onGone: () => void;
  /** Time between two looks. Default 1000, so that the process can be gone two seconds after its parent (S2). */
  readonly intervalMs?: number;
  /** The parent's process number now. Default `process.ppid`. */
  readonly parentId?: () => number;
  /** Default the platform's timer, which does not keep the process running. */
  readonly after?: After;
}

/**
 * Second line of defence against outliving the parent, beside the end of standard input (S2). Compares with the parent seen at the call, never with
 * a number that a client gives, which need not be visible from here (S5). Who does not want it does not call it. Answers how to stop.
 * Windows keeps a dead parent's number, so there nothing is ever told: there the end of standard input must do (S4).
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
