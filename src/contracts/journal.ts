import type { Epoch, JournaledEvent, JournalSelection, NewEvent } from "../engine/event/event.js";

export type JournalRead =
  | { readonly kind: "events"; readonly events: readonly JournaledEvent[] }
  /** What was asked for has aged out; `oldest` is the lowest epoch that can still be read. */
  | { readonly kind: "gap"; readonly oldest: Epoch };

export interface Appended {
  readonly events: readonly JournaledEvent[];
  /**
   * Settles when the group is as safe as the journal's policy makes it (R29); undefined where that is at once. Rejects with a Fault
   * "storage_unavailable" where it could not be written; it is tried again, and what was accepted goes on being delivered.
   */
  readonly durable: Promise<void> | undefined;
}

/** The place of something kept: what it is, and whose. Parts are compared one after another, numbers by their value. */
export type StateKey = readonly [kind: string, ...parts: (string | number)[]];

/**
 * The engine's memory beside events, for the run that comes after this one: sessions, open questions, outcomes, and which epochs became
 * durable (R8, R17, R29). Values are JSON and say whose they are: a key only finds them again.
 */
export interface DurableState {
  /** False in memory: nothing is kept there, and whoever would have to work for it need not. */
  readonly isDurable: boolean;
  /**
   * `value` is asked for when the next group is written, in one piece with every event appended by then: all of it is safe or nothing. Undefined
   * removes what was kept. Of several calls for one key before that the last one counts.
   */
  readonly put: (key: StateKey, value: () => unknown) => void;
  /** Removes everything whose key begins with `prefix`, what was put and is not written yet included. */
  readonly removeAll: (prefix: StateKey) => void;
  /** What stands under `prefix`, ascending by key; what is not written yet need not be among it. */
  readonly recovered: (prefix: StateKey) => Iterable<readonly [key: StateKey, value: unknown]>;
}

/** Why nothing can be written at present (R29). */
export interface JournalFailure {
  /** The cause, in a sentence. */
  readonly reason: string;
  /** The way out for a person, in a sentence. */
  readonly remedy: string;
}

export interface JournalStatus {
  /** What can be read. */
  readonly eventCount: number;
  /** What that takes on disk, or by estimate in memory. */
  readonly bytes: number;
  /** When the oldest event that can be read was received, milliseconds since 1970; undefined where there is none. */
  readonly oldestAt: number | undefined;
  readonly head: Epoch;
  /** The last epoch that is as safe as the policy makes it. */
  readonly durableEpoch: Epoch;
  readonly failure: JournalFailure | undefined;
  /** Where it stands, on disk. */
  readonly disk: { readonly path: string; readonly policy: JournalPolicy } | undefined;
}

/**
 * When what was published counts as safe (R29): "durable" when the disk has it, which a power cut leaves; "os" when the operating system has it,
 * which a killed process leaves; "none" at once.
 */
export type JournalPolicy = "durable" | "os" | "none";

/** The order of all events on this machine, and what is kept of them (R17, R18, R29). */
export interface Journal {
  /** 32 lower-case hex digits, drawn when the journal was begun: says whose a cursor is (R17). */
  readonly id: string;
  /**
   * Assigns epochs at once, in the order given and without holes, from `head() + 1`; all of them or, where it throws, none. Throws a Fault
   * "storage_unavailable" after a failed flush, until it recovers, also without events. `durable` stands for everything that was appended so far:
   * without events, it answers whether what is known already is safe.
   */
  readonly append: (events: readonly NewEvent[]) => Appended;
  /** At most `limit` events with an epoch above `after`, ascending, fewer where they are long. A journal in memory answers at once. */
  readonly read: (after: Epoch, limit: number) => JournalRead | Promise<JournalRead>;
  /** The last epoch assigned; where the journal is empty, the one before the first. */
  readonly head: () => Epoch;
  /** The lowest epoch that can be read; above `head` where there is none. */
  readonly oldest: () => Epoch;
  /** An event of the window by its id, for duplicates (R3) and `aaep.repeat` (R28). */
  readonly find: (eventId: string) => JournaledEvent | undefined;
  /** An event of the window by its epoch, at once (R10, R28). Undefined where it is not held, or not among `only`: those are passed over unread. */
  readonly at: (epoch: Epoch, only?: JournalSelection) => JournaledEvent | undefined;
  readonly durableState: DurableState;
  readonly status: () => JournalStatus;
  /** Writes what is owed first. */
  readonly close: () => Promise<void>;
}
