import type { Epoch, JournaledEvent, JournalSelection, NewEvent } from "../engine/event.js";

export type JournalRead =
  | { readonly kind: "events"; readonly events: readonly JournaledEvent[] }
  /** What was asked for has aged out; `oldest` is the lowest epoch that can still be read. */
  | { readonly kind: "gap"; readonly oldest: Epoch };

export interface Appended {
  readonly events: readonly JournaledEvent[];
  /** Settles when the group is as safe as the journal's policy makes it (R29); undefined where that is at once. */
  readonly durable: Promise<void> | undefined;
}

/** The order of all events on this machine, and what is kept of them (R17, R18, R29). */
export interface Journal {
  /**
   * Assigns epochs at once, in the order given and without holes, from `head() + 1`; all of them or, where it throws, none. Throws a Fault
   * "storage_unavailable" after a failed flush, until it recovers.
   */
  readonly append: (events: readonly NewEvent[]) => Appended;
  /** At most `limit` events with an epoch above `after`, ascending. A journal in memory answers at once. */
  readonly read: (after: Epoch, limit: number) => JournalRead | Promise<JournalRead>;
  /** The last epoch assigned; where the journal is empty, the one before the first. */
  readonly head: () => Epoch;
  /** The lowest epoch that can be read; above `head` where there is none. */
  readonly oldest: () => Epoch;
  /** An event of the window by its id, for duplicates (R3), `aaep.repeat` (R28) and resuming (R17). */
  readonly find: (eventId: string) => JournaledEvent | undefined;
  /** An event of the window by its epoch, at once (R10, R28). Undefined where it is not held, or not among `only`: those are passed over unread. */
  readonly at: (epoch: Epoch, only?: JournalSelection) => JournaledEvent | undefined;
  readonly close: () => Promise<void>;
}
