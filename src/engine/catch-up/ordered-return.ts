// A subscriber that comes back to before the place that the disk remembers for it (R17). A kill would bring that place back, and it would be read
// on from there after whatever it names that is not on the disk by then, or that went ahead of what it missed. Until the disk has its own place it
// is given what the disk has, in the order of the journal, and nothing ahead of that.
import type { Epoch } from "../event/event.js";

export interface OrderedReturn {
  /** The last epoch that the disk had when it came back: the journal is read up to here. */
  readonly upTo: Epoch;
  /** Once it is owed nothing below this, what the disk remembers is right whatever comes next. */
  readonly until: Epoch;
  /** The disk takes nothing at present: text that waits for its boundary is not to keep back what follows for as long as that lasts (R29). */
  isRefused: boolean;
}

/** `bound`: no later place than this can be on the disk. Undefined where nothing that it can be given may mislead the next run. */
export function orderedReturn(owedFrom: Epoch, bound: Epoch, safe: Epoch): OrderedReturn | undefined {
  // A place is written in one piece with the events before it, so none is above what the disk has.
  const until = Math.min(bound, safe + 1);
  return owedFrom < until ? { upTo: safe, until, isRefused: false } : undefined;
}

/**
 * Whether one that keeps the order is given more though it is paused: while the disk takes nothing, up to what is critical (R4, R26). That cannot go
 * alone before the disk has a place before all that is owed: whoever names it after a kill would be read to from the later place that the disk has.
 * More than a pause lets through can be borne; neither a gap (R17) can, nor a question that nobody hears until the disk has recovered.
 */
export function hearsCritical(order: OrderedReturn | undefined, isCriticalOwed: () => boolean): boolean {
  return order?.isRefused === true && isCriticalOwed();
}
