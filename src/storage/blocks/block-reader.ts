// Events of a block store by epoch. The reader holds the blocks that were read lately, with the events parsed of them: subscriptions read from one
// block to the next, and those that come back together read the same blocks (R14).
import { MOST_READ_UNITS } from "../../base/most-read-units.js";
import type { JournalRead } from "../../contracts/journal.js";
import type { Log } from "../../contracts/log.js";
import type { Epoch, JournaledEvent, JournalSelection } from "../../engine/event/event.js";
import { readBlock, type StoredBlock } from "./block.js";
import type { BlockPlace, BlockStore } from "./block-store.js";

export interface LoadedBlock extends BlockPlace {
  /** Bytes of the record. */
  readonly length: number;
  /** Undefined if the record is damaged. */
  readonly block: StoredBlock | undefined;
}

/** The first block that holds an epoch, or follows it. "unreadable": the store reads nothing at present. */
export type BlockFound = LoadedBlock | "none" | "unreadable";

/** As `Journal.read`. After "unreadable" no event was read. */
export type BlocksRange =
  | (JournalRead & {
      /** Whether all epochs of the range were looked at. */
      readonly isWhole: boolean;
    })
  | { readonly kind: "unreadable" };

export interface BlockReaderOptions {
  readonly store: Pick<BlockStore, "readBlock">;
  readonly log: Log;
  /** The data, for the log. */
  readonly path: string;
  /** Added to an event's `at` it gives milliseconds since 1970, at present. */
  readonly wallTimeOffset: () => number;
  /** The clock of `at`. No event was received later than now. */
  readonly now: () => number;
  /** Whether an epoch below the window in memory was ever given out. */
  readonly wasGiven: (epoch: Epoch) => boolean;
}

/** Between two boots there are more epochs than this (R29). If fewer are missing, a record is missing. */
const BOOT_DISTANCE = 2 ** 31;
/** Bytes of blocks in memory, and how many: one holds a single event under light load. */
const MOST_HELD_BYTES = 2 * 1024 * 1024;
const MOST_HELD = 256;

interface HeldBlock extends LoadedBlock {
  readonly entries: (JournaledEvent | undefined)[];
}

export class BlockReader {
  private readonly options: BlockReaderOptions;
  /** The block used last comes last. */
  private held: HeldBlock[] = [];
  private heldBytes = 0;
  /** First epochs of damage that was reported. */
  private readonly reported = new Set<Epoch>();

  constructor(options: BlockReaderOptions) {
    this.options = options;
  }

  /** The block that holds `epoch`, or the lowest one above it. The reader does not hold it. */
  load(epoch: Epoch): BlockFound {
    return this.heldWith(epoch) ?? this.loaded(epoch);
  }

  /** At most `limit` events above `after` and below `before`, ascending. */
  read(after: Epoch, limit: number, before: Epoch): BlocksRange {
    const events: JournaledEvent[] = [];
    let textUnits = 0;
    let epoch = after + 1;
    while (epoch < before) {
      const found = this.hold(epoch);
      if (found === "unreadable") {
        return events.length > 0 ? { kind: "events", events, isWhole: false } : { kind: "unreadable" };
      }
      const block = found !== "none" && found.first < before ? found : undefined;
      const next = block?.first ?? before;
      // After the last record there is nothing more, unless there was.
      const isMissing = next === before ? this.options.wasGiven(epoch) : next > epoch && next - epoch < BOOT_DISTANCE;
      if (isMissing) this.report(epoch, next - epoch, "missing");
      if (isMissing || (block !== undefined && block.block === undefined)) {
        // The events before the damage come first; the next read gets the gap.
        if (events.length > 0) return { kind: "events", events, isWhole: false };
        return this.gapTo(isMissing || block === undefined ? epoch : block.first + block.count, before);
      }
      if (block === undefined) break;
      const end = Math.min(block.first + block.count, before);
      for (let at = Math.max(epoch, block.first); at < end; at += 1) {
        if (events.length >= limit || textUnits >= MOST_READ_UNITS) return { kind: "events", events, isWhole: false };
        const entry = this.entryOf(block, at - block.first);
        if (entry === undefined) continue;
        events.push(entry);
        textUnits += entry.source?.length ?? 0;
      }
      epoch = end;
    }
    return { kind: "events", events, isWhole: true };
  }

  /** As `Journal.at`. */
  at(epoch: Epoch, only?: JournalSelection): JournaledEvent | undefined {
    const found = this.hold(epoch);
    if (found === "none" || found === "unreadable" || found.first > epoch) return undefined;
    const index = epoch - found.first;
    if (only !== undefined && found.block?.isAmong(index, only) !== true) return undefined;
    return this.entryOf(found, index);
  }

  /** Drops blocks below `oldest` from memory. */
  forgetBefore(oldest: Epoch): void {
    this.held = this.held.filter(({ first, count }) => first + count > oldest);
    this.heldBytes = this.held.reduce((sum, { length }) => sum + length, 0);
  }

  /** A gap up to the first sound block from `epoch` on. */
  private gapTo(epoch: Epoch, before: Epoch): BlocksRange {
    for (let at = epoch; at < before; ) {
      const found = this.hold(at);
      if (found === "none" || found === "unreadable" || found.first >= before) break;
      if (found.block !== undefined) return { kind: "gap", oldest: Math.max(found.first, at), isWhole: false };
      at = found.first + found.count;
    }
    return { kind: "gap", oldest: before, isWhole: false };
  }

  private entryOf({ block, entries }: HeldBlock, index: number): JournaledEvent | undefined {
    if (block === undefined) return undefined;
    const { wallTimeOffset, now } = this.options;
    entries[index] ??= block.entry(index, Math.min(block.wallTime(index) - wallTimeOffset(), now()));
    return entries[index];
  }

  private heldWith(epoch: Epoch): HeldBlock | undefined {
    const index = this.held.findLastIndex(({ first, count }) => first <= epoch && epoch < first + count);
    const block = this.held[index];
    if (block === undefined || index === this.held.length - 1) return block;
    this.held.splice(index, 1);
    this.held.push(block);
    return block;
  }

  /** As `load`, and held from then on. */
  private hold(epoch: Epoch): HeldBlock | "none" | "unreadable" {
    const known = this.heldWith(epoch);
    if (known !== undefined) return known;
    const found = this.loaded(epoch);
    if (found === "none" || found === "unreadable") return found;
    const block = { ...found, entries: [] };
    this.held.push(block);
    this.heldBytes += block.length;
    while (this.held.length > 1 && (this.heldBytes > MOST_HELD_BYTES || this.held.length > MOST_HELD))
      this.heldBytes -= this.held.shift()?.length ?? 0;
    return block;
  }

  private loaded(epoch: Epoch): BlockFound {
    const raw = this.options.store.readBlock(epoch);
    if (raw === "none" || raw === "unreadable") return raw;
    const { first, count, bytes } = raw;
    const block = readBlock(bytes);
    const isSound = block !== undefined && block.first === first && block.count === count;
    if (!isSound) this.report(first, count, "damaged");
    return { first, count, length: bytes.length, block: isSound ? block : undefined };
  }

  /** Each place once. */
  private report(firstEpoch: Epoch, events: number, what: "damaged" | "missing"): void {
    const { log, path } = this.options;
    if (this.reported.has(firstEpoch)) return;
    this.reported.add(firstEpoch);
    const remedy = "Check the disk. aaepd journal inspect lists all damage.";
    const message = `a record of the journal is ${what}: what was in it cannot be read any more, all else can`;
    log.error({ path, firstEpoch, events, remedy }, message);
  }
}
