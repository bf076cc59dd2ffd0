// The seam between the journal and whatever keeps its events. The journal in front of it has the window in memory, the groups, retention and the
// state that waits (`../window`). A store has blocks of bytes, and state. LMDB is one store (`../lmdb-block-store.ts`).
import type { JournalFailure } from "../../contracts/journal.js";
import type { Epoch } from "../../engine/event/event.js";
import type { Totals } from "./totals.js";

/** The place of a block, and the epochs in it. */
export interface BlockPlace {
  readonly first: Epoch;
  readonly count: number;
}

/** A block as a store keeps it. The store never looks into `bytes`: the block has a checksum of its own. */
export interface RawBlock extends BlockPlace {
  readonly bytes: Buffer;
}

/** Key of a value beside events. Parts are compared one after another, numbers before texts. */
export type StateRecordKey = readonly (number | string)[];

/** Changes of the state beside events. A key without a value is removed. */
export type StateWrites = readonly (readonly [key: StateRecordKey, value: Buffer | undefined])[];

/** Everything of one group commit. Bytes stay as they are until the write has ended. */
export interface Batch {
  /** Ascending, and above every block that the store has. */
  readonly blocks: readonly RawBlock[];
  /** The oldest blocks of the store, ascending: retention lets go of them. */
  readonly removed: readonly BlockPlace[];
  readonly state: StateWrites;
  /** Totals of the store once the batch is written. `recover` answers them. */
  readonly totals: Totals;
}

export interface Recovered {
  readonly kind: "ready";
  /** `Journal.id`: drawn when the store began, and the same ever since. */
  readonly id: string;
  readonly totals: Totals;
  /** The first epoch of this boot. It is durable, and above every epoch that any boot gave out (R29). */
  readonly firstEpoch: Epoch;
  /** The state under `prefix`, ascending by key, as of the last write at the time of the call. */
  readonly state: (prefix: StateRecordKey) => Iterable<readonly [key: StateRecordKey, value: Buffer]>;
}

type Recovery = Recovered | { readonly kind: "failing"; readonly failure: JournalFailure };

/** "none" behind the last block; "unreadable" while nothing can be read. */
type BlockRead = RawBlock | "none" | "unreadable";

/**
 * Durable storage of one journal. Reads answer at once: the operating system has the newest blocks in memory.
 *
 * **Order.** The journal calls `recover` first, and has at most one `write` or `recover` under way. Blocks come ascending by epoch. Epochs within a
 * block have no holes; between the blocks of two boots there are about 2^32 of them.
 *
 * **Atomicity.** A batch is written whole or not at all: a kill never parts events from the state that was written with them (R29).
 */
export interface BlockStore {
  /**
   * Makes the store ready to write. The journal calls `recover` once at the start, and after a rejected `write` until it answers "ready".
   * `pendingBytes` wait to be written, so the store may try whether as much fits. "failing" names a cause that may pass. Rejects, with a Fault at the
   * start, for any other cause.
   */
  readonly recover: (pendingBytes: number) => Promise<Recovery>;
  /**
   * Writes one batch. Resolves when the batch is as safe as the journal's policy says (R29), and `readBlock` knows its events. After a
   * rejection the batch counts as not written, and its events are not acknowledged: the journal calls `recover`, and then writes a batch with the
   * same events, the events that came since, and the state of that moment. Blocks may then be cut in other places.
   */
  readonly write: (batch: Batch) => Promise<void>;
  /** The block that holds `epoch`, or the lowest one above it. */
  readonly readBlock: (epoch: Epoch) => BlockRead;
  /** Why the store can be neither read nor written, by a look at the storage. A full disk shows by a rejected `write` alone. */
  readonly failure: () => JournalFailure | undefined;
}
