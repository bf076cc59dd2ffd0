// Events of a block store by epoch. The reader holds the blocks that were read lately, with the events parsed of them: subscriptions read from one
// block to the next, and those that come back together read the same blocks (R14).
import type { JournalRead } from "../../contracts/journal.js";
import type { Epoch, JournaledEvent, JournalSelection } from "../../engine/event/event.js";
import { readBlock, type StoredBlock } from "./block.js";
import type { BlockPlace, BlockStore, BlocksRead, RawBlock } from "./block-store.js";
import type { DamageLog } from "./damage-log.js";
import { createHeldBlocks } from "./held-blocks.js";

export interface LoadedBlock extends BlockPlace {
  /** Bytes of the record. */
  readonly length: number;
  /** Undefined if the record is damaged. */
  readonly block: StoredBlock | undefined;
}

/** The first block that holds an epoch, or follows it. */
export type BlockFound = { readonly kind: "none" } | { readonly kind: "unreadable" } | BlockHeld;

interface BlockHeld {
  readonly kind: "block";
  readonly loaded: LoadedBlock;
  readonly entries: (JournaledEvent | undefined)[];
}

/** As `Journal.read`. After "unreadable" no event was read, because the store reads nothing at present. */
export type BlocksRange =
  | (JournalRead & {
      /** Whether all epochs of the range were looked at. */
      readonly isWhole: boolean;
    })
  | { readonly kind: "unreadable" };

export interface BlockReader {
  /** The block that holds `epoch`, or the lowest one above it. The reader does not hold it. */
  readonly load: (epoch: Epoch) => BlockFound | Promise<BlockFound>;
  /** At most `limit` events above `after` and below `before`, ascending. */
  readonly read: (after: Epoch, limit: number, before: Epoch) => BlocksRange | Promise<BlocksRange>;
  /** As `Journal.at`. Undefined for an event whose block is not held, if the store answers by a promise. */
  readonly at: (epoch: Epoch, only?: JournalSelection) => JournaledEvent | undefined;
  /** Drops blocks below `oldest` from memory. */
  readonly forgetBefore: (oldest: Epoch) => void;
}

export interface BlockReaderOptions {
  readonly store: Pick<BlockStore, "readBlocks">;
  readonly damageLog: DamageLog;
  /** Added to an event's `at` it gives milliseconds since 1970, at present. */
  readonly wallTimeOffset: () => number;
  /** The clock of `at`. No event was received later than now. */
  readonly now: () => number;
  /** Whether an epoch below the window in memory was ever given out. */
  readonly wasGiven: (epoch: Epoch) => boolean;
  /** The last epoch that retention has let go of. A read may be overtaken by it. */
  readonly lostThrough: () => Epoch;
}

/** Between two boots there are more epochs than this (R29). If fewer are missing, a record is missing. */
const BOOT_DISTANCE = 2 ** 31;
/** Bytes of blocks in memory. */
const MOST_HELD_BYTES = 2 * 1024 * 1024;

const NONE: BlockFound = { kind: "none" };
const UNREADABLE = { kind: "unreadable" } as const;

export function createBlockReader(options: BlockReaderOptions): BlockReader {
  const { store, damageLog, wallTimeOffset, now, wasGiven, lostThrough } = options;
  const held = createHeldBlocks<BlockHeld>(MOST_HELD_BYTES);
  /** The read that `at` has begun. */
  let fetching: Promise<unknown> | undefined;

  const decoded = ({ first, count, bytes }: RawBlock): BlockHeld => {
    const block = readBlock(bytes);
    const isSound = block !== undefined && block.first === first && block.count === count;
    if (!isSound) damageLog.damaged({ first, count });
    const loaded = { first, count, length: bytes.length, block: isSound ? block : undefined };
    return { kind: "block", loaded, entries: [] };
  };

  const hold = (raw: RawBlock): BlockHeld => {
    // Another reader may have waited for the same block.
    const known = held.with(raw.first);
    if (known !== undefined) return known;
    const made = decoded(raw);
    held.hold(made);
    return made;
  };

  const first = (raws: BlocksRead, made: (raw: RawBlock) => BlockHeld): BlockFound => {
    if (raws === undefined) return UNREADABLE;
    const [raw, ...others] = raws;
    if (raw === undefined) return NONE;
    if (made === hold) for (const other of others) hold(other);
    return made(raw);
  };

  const loaded = (epoch: Epoch, made: (raw: RawBlock) => BlockHeld): BlockFound | Promise<BlockFound> => {
    const raws = store.readBlocks(epoch - 1);
    if (!(raws instanceof Promise)) return first(raws, made);
    return raws.then(
      (them) => first(them, made),
      (caught: unknown) => {
        damageLog.unreadable(caught);
        return UNREADABLE;
      },
    );
  };

  /** As `load`, and held from then on. */
  const from = (epoch: Epoch): BlockFound | Promise<BlockFound> => held.with(epoch) ?? loaded(epoch, hold);

  const entryOf = ({ loaded, entries }: BlockHeld, index: number): JournaledEvent | undefined => {
    const { block } = loaded;
    if (block === undefined) return undefined;
    entries[index] ??= block.entry(index, Math.min(block.wallTime(index) - wallTimeOffset(), now()));
    return entries[index];
  };

  /** A gap up to the first sound block from `epoch` on. */
  function* gapTo(epoch: Epoch, before: Epoch): Generator<BlockFound | Promise<BlockFound>, BlocksRange, BlockFound> {
    for (let at = epoch; at < before; ) {
      const found = yield from(at);
      if (found.kind !== "block" || found.loaded.first >= before) break;
      const { first, count, block } = found.loaded;
      if (block !== undefined) return { kind: "gap", oldest: Math.max(first, at), isWhole: false };
      at = first + count;
    }
    return { kind: "gap", oldest: before, isWhole: false };
  }

  function* reading(
    after: Epoch,
    limit: number,
    before: Epoch,
  ): Generator<BlockFound | Promise<BlockFound>, BlocksRange, BlockFound> {
    const events: JournaledEvent[] = [];
    let epoch = after + 1;
    while (epoch < before) {
      const found = yield from(epoch);
      if (found.kind === "unreadable") return events.length > 0 ? { kind: "events", events, isWhole: false } : found;
      const loaded = found.kind === "block" && found.loaded.first < before ? found.loaded : undefined;
      const next = loaded?.first ?? before;
      // After the last record there is nothing more, unless there was.
      const isMissing = next === before ? wasGiven(epoch) : next > epoch && next - epoch < BOOT_DISTANCE;
      const lost = lostThrough();
      if (isMissing && next > lost + 1) damageLog.missing(Math.max(epoch, lost + 1), next);
      if (isMissing || (loaded !== undefined && loaded.block === undefined)) {
        // The events before the damage come first; the next read gets the gap.
        if (events.length > 0) return { kind: "events", events, isWhole: false };
        return yield* gapTo(isMissing || loaded === undefined ? epoch : loaded.first + loaded.count, before);
      }
      if (loaded === undefined || found.kind !== "block") break;
      const end = Math.min(loaded.first + loaded.count, before);
      for (let at = Math.max(epoch, loaded.first); at < end; at += 1) {
        if (events.length >= limit) return { kind: "events", events, isWhole: false };
        const entry = entryOf(found, at - loaded.first);
        if (entry !== undefined) events.push(entry);
      }
      epoch = end;
    }
    return { kind: "events", events, isWhole: true };
  }

  return {
    load: (epoch) => held.with(epoch) ?? loaded(epoch, decoded),
    read: (after, limit, before) => run(reading(after, limit, before)),
    at: (epoch, only) => {
      const found = held.with(epoch) ?? (fetching === undefined ? from(epoch) : undefined);
      if (found instanceof Promise) {
        // The block is held once it is there. One read is under way at a time, however many events are asked for meanwhile.
        fetching = found.finally(() => {
          fetching = undefined;
        });
        return undefined;
      }
      if (found === undefined) return undefined;
      if (found.kind !== "block" || found.loaded.first > epoch) return undefined;
      const index = epoch - found.loaded.first;
      if (only !== undefined && found.loaded.block?.isAmong(index, only) !== true) return undefined;
      return entryOf(found, index);
    },
    forgetBefore: held.forgetBefore,
  };
}

/** Runs `steps` at once as far as the store answers at once, and goes on when a promise of the store has settled. */
function run<Answer>(steps: Generator<BlockFound | Promise<BlockFound>, Answer, BlockFound>): Answer | Promise<Answer> {
  const goOn = (next: IteratorResult<BlockFound | Promise<BlockFound>, Answer>): Answer | Promise<Answer> => {
    let result = next;
    while (result.done !== true) {
      const { value } = result;
      if (value instanceof Promise) return value.then((found) => goOn(steps.next(found)));
      result = steps.next(value);
    }
    return result.value;
  };
  return goOn(steps.next());
}
