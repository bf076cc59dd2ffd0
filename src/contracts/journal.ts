import type { Fault } from "../base/errors.js";
import type { Epoch, JournaledEvent, JournalSelection, NewEvent } from "../engine/event/event.js";

export type JournalRead =
  | { readonly kind: "events"; readonly events: readonly JournaledEvent[] }
  /** Events that were asked for are gone. `oldest` is the lowest epoch that can still be read. */
  | { readonly kind: "gap"; readonly oldest: Epoch };

export interface Appended {
  readonly events: readonly JournaledEvent[];
  /**
   * Settles when the group is as safe as the journal's policy makes it (R29); undefined if it is so at once. Rejects with a Fault
   * "storage_unavailable" if the group could not be written. The journal then tries again, and accepted events are still delivered.
   */
  readonly durable: Promise<void> | undefined;
}

/** Key of a value of state: its kind, and its owner. Parts are compared one after another, numbers by their value. */
export type StateKey = readonly [kind: string, ...parts: (string | number)[]];

/**
 * The engine's memory beside events, for the next boot: sessions, open questions, outcomes, and the durable epochs of each boot (R8, R17, R29).
 * Values are JSON and name their owners: a key only finds them again.
 */
export interface DurableState {
  /** False for a journal in memory, which keeps no state. Callers then save the work of making values. */
  readonly isDurable: boolean;
  /**
   * Stores a value with the next group. The journal calls `value` when it writes that group, in one piece with every event appended by then: all of
   * it is safe or nothing. An answer of undefined removes the stored value. The last call for a key counts.
   */
  readonly put: (key: StateKey, value: () => unknown) => void;
  /** Stored values whose key begins with `prefix`, ascending by key. Values that wait for a group may be missing. */
  readonly recovered: (prefix: StateKey) => Iterable<readonly [key: StateKey, value: unknown]>;
}

/** The reason why nothing can be written at present (R29). */
export interface JournalFailure {
  /** The cause, in a sentence. */
  readonly reason: string;
  /** The way out for a person, in a sentence. */
  readonly remedy: string;
}

export interface JournalStatus {
  /** Events that can be read. */
  readonly eventCount: number;
  /** Bytes of those events on disk, or by estimate in memory. */
  readonly bytes: number;
  /** Receipt of the oldest event that can be read, ms since 1970; undefined without one. */
  readonly oldestAt: number | undefined;
  readonly head: Epoch;
  /** The last epoch that is as safe as the policy makes it (R29). */
  readonly durableEpoch: Epoch;
  readonly failure: JournalFailure | undefined;
  /** Present for a journal on disk. */
  readonly disk: { readonly path: string; readonly policy: JournalPolicy } | undefined;
}

/**
 * The moment at which an event counts as safe (R29). "durable": the disk has it, and it outlives a power cut. "os": the operating system has it,
 * and it outlives the process. "none": at once.
 */
export type JournalPolicy = "durable" | "os" | "none";

/** The order of all events on this machine, and the events that are kept (R17, R18, R29). */
export interface Journal {
  /** 32 lower-case hex digits, drawn when the journal began. A cursor names the id of its journal (R17). */
  readonly id: string;
  /**
   * The Fault "storage_unavailable" with which the journal refuses events: from a failed write until one succeeds, while too many wait for the disk,
   * and once it closes (R29). Undefined: whatever is appended in this turn is taken. Ask before a change, because `append` refuses nothing.
   */
  readonly refusal: () => Fault | undefined;
  /** Assigns epochs at once, in the order given and without holes, from `head() + 1`. */
  readonly append: (events: readonly NewEvent[]) => Appended;
  /** `Appended.durable` of everything appended so far. Throws "storage_unavailable" while nothing can be written. */
  readonly durable: () => Promise<void> | undefined;
  /** At most `limit` events with an epoch above `after`, ascending; fewer if they are long. */
  readonly read: (after: Epoch, limit: number) => JournalRead;
  /** The last epoch assigned; in an empty journal the epoch before the first. */
  readonly head: () => Epoch;
  /** The lowest epoch that can be read; above `head` in an empty journal. */
  readonly oldest: () => Epoch;
  /**
   * An event by its id, for duplicates (R3) and `aaep.repeat` (R28): one of the newest 65,536 that can be read.
   */
  readonly find: (eventId: string) => JournaledEvent | undefined;
  /** An event by its epoch, at once (R10, R28); undefined if it is not held. An event that is not among
   * `only` is passed over unread. */
  readonly at: (epoch: Epoch, only?: JournalSelection) => JournaledEvent | undefined;
  readonly durableState: DurableState;
  readonly status: () => JournalStatus;
  /** Writes first all that waits. */
  readonly close: () => Promise<void>;
}
