// Where something stands that the daemon says to one subscription alone, and that no journal has (R12, R17).
import type { Epoch } from "../event/event.js";

export interface Standpoint {
  /** Whoever names it goes on after this. */
  readonly epoch: Epoch;
  /** How many epochs after that it was made: what it says may be of then. */
  readonly ahead: number;
}

/** What is said while the journal stands at `head`, to a subscription that has been given everything up to `after`. */
export function standpoint(after: Epoch, head: Epoch): Standpoint {
  const epoch = Math.min(Math.max(after, 0), head);
  return { epoch, ahead: head - epoch };
}
