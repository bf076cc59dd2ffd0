// Blocks by their place in the table, and what is in them by epoch. The newest that were read stay at hand, with what was parsed of them: whoever
// reads back does so from one block to the next, and those who come back together read the same ones (R14).
import type { JournalRead } from "../../contracts/journal.js";
import type { Log } from "../../contracts/log.js";
import type { Epoch, JournaledEvent, JournalSelection } from "../../engine/event/event.js";
import type { Table, TableKey } from "../lmdb/tables.js";
import { readBlock, type StoredBlock } from "./block.js";

/** Where a block stands, and which epochs it holds. */
export interface BlockPlace {
  readonly first: Epoch;
  readonly count: number;
}

export interface LoadedBlock extends BlockPlace {
  /** Bytes of its record. */
  readonly length: number;
  /** Undefined where the record is damaged. */
  readonly block: StoredBlock | undefined;
}

export interface BlockReader {
  /** The lowest block that begins at `epoch` or above. */
  readonly nextFrom: (epoch: Epoch) => BlockPlace | undefined;
  /** The block that holds `epoch`, whole or not. */
  readonly holding: (epoch: Epoch) => BlockPlace | undefined;
  readonly load: (place: BlockPlace) => LoadedBlock;
  /** As `Journal.read`, of epochs below `before` alone; `isWhole` says whether there is nothing more below that. */
  readonly read: (after: Epoch, limit: number, before: Epoch) => JournalRead & { readonly isWhole: boolean };
  readonly at: (epoch: Epoch, only?: JournalSelection) => JournaledEvent | undefined;
  /** Lets go of what is held of blocks below `oldest`. */
  readonly forgetBefore: (oldest: Epoch) => void;
  /** Records that were found to be damaged. */
  readonly damagedCount: () => number;
}

export interface BlockReaderOptions {
  readonly table: Table;
  /** Whether the table's file is not what it was, so that none of it may be touched. Asked before each access; default never. */
  readonly isLost?: () => boolean;
  readonly log: Log;
  /** Of the file, for the log. */
  readonly path: string;
  /** What turns an event's `at` into milliseconds since 1970, at present. */
  readonly wallTimeOffset: () => number;
  /** No event was received later than this. */
  readonly now: () => number;
  /** Whether an epoch below the window in memory was ever given out. */
  readonly wasGiven: (epoch: Epoch) => boolean;
}

/** Between two runs of a daemon there are more epochs than this (R29); where fewer are missing, a record is. */
const BOOT_DISTANCE = 2 ** 31;
/** Bytes of blocks at hand. */
const MOST_HELD_BYTES = 2 * 1024 * 1024;

interface Held {
  readonly loaded: LoadedBlock;
  readonly entries: (JournaledEvent | undefined)[];
}

/** A block's key. */
export function blockKey({ first, count }: BlockPlace): TableKey {
  return [first, count];
}

function placeOf(key: TableKey | undefined): BlockPlace | undefined {
  return key === undefined ? undefined : { first: Number(key[0]), count: Number(key[1]) };
}

function unread({ first, count }: BlockPlace): LoadedBlock {
  return { first, count, length: 0, block: undefined };
}

export function createBlockReader({
  table,
  isLost = () => false,
  log,
  path,
  wallTimeOffset,
  now,
  wasGiven,
}: BlockReaderOptions): BlockReader {
  // In the order in which they were last used.
  const held = new Map<Epoch, Held>();
  let heldBytes = 0;
  const damaged = new Set<Epoch>();

  const nextFrom = (epoch: Epoch): BlockPlace | undefined =>
    isLost() ? undefined : placeOf(table.keys({ from: [epoch], limit: 1 })[0]);

  const holding = (epoch: Epoch): BlockPlace | undefined => {
    for (const { loaded } of held.values())
      if (loaded.first <= epoch && epoch < loaded.first + loaded.count) return loaded;
    if (isLost()) return undefined;
    const place = placeOf(table.keys({ to: [epoch, Number.MAX_SAFE_INTEGER], isReverse: true, limit: 1 })[0]);
    return place !== undefined && epoch < place.first + place.count ? place : undefined;
  };

  const tellDamaged = ({ first, count }: BlockPlace): void => {
    if (damaged.has(first)) return;
    damaged.add(first);
    log.error(
      { path, firstEpoch: first, events: count },
      "a record of the journal is damaged: what was in it cannot be read any more, all else can",
    );
  };

  const tellMissing = (epoch: Epoch, next: Epoch): void => {
    if (damaged.has(epoch)) return;
    damaged.add(epoch);
    log.error(
      { path, firstEpoch: epoch, events: next - epoch },
      "a record of the journal is missing: what was in it cannot be read any more, all else can",
    );
  };

  /** Undefined where the file is lost: what is there may be read again when it is back. */
  const loadNew = (place: BlockPlace): LoadedBlock | undefined => {
    if (isLost()) return undefined;
    const bytes = table.get(blockKey(place));
    const block = bytes && readBlock(bytes);
    const isSound = block !== undefined && block.first === place.first && block.count === place.count;
    if (!isSound) tellDamaged(place);
    return { first: place.first, count: place.count, length: bytes?.length ?? 0, block: isSound ? block : undefined };
  };

  const hold = (place: BlockPlace): Held => {
    const known = held.get(place.first);
    if (known !== undefined) {
      held.delete(place.first);
      held.set(place.first, known);
      return known;
    }
    const loaded = loadNew(place);
    if (loaded === undefined) return { loaded: unread(place), entries: [] };
    const made: Held = { loaded, entries: [] };
    held.set(place.first, made);
    heldBytes += made.loaded.length;
    for (const [first, { loaded }] of held) {
      if (heldBytes <= MOST_HELD_BYTES || held.size === 1) break;
      held.delete(first);
      heldBytes -= loaded.length;
    }
    return made;
  };

  const entryOf = ({ loaded, entries }: Held, index: number): JournaledEvent | undefined => {
    const { block } = loaded;
    if (block === undefined) return undefined;
    entries[index] ??= block.entry(index, Math.min(block.wallTime(index) - wallTimeOffset(), now()));
    return entries[index];
  };

  /** The first epoch from `epoch` on that is in a sound block. */
  const soundFrom = (epoch: Epoch, before: Epoch): Epoch => {
    for (
      let place = nextFrom(epoch);
      place !== undefined && place.first < before;
      place = nextFrom(place.first + place.count)
    ) {
      if (hold(place).loaded.block !== undefined) return place.first;
    }
    return before;
  };

  return {
    nextFrom,
    holding,
    load: (place) => held.get(place.first)?.loaded ?? loadNew(place) ?? unread(place),
    read: (after, limit, before) => {
      const events: JournaledEvent[] = [];
      let epoch = after + 1;
      while (epoch < before) {
        const place = holding(epoch) ?? nextFrom(epoch);
        const next = place === undefined || place.first >= before ? before : place.first;
        // After the last record there is nothing more, unless there was.
        const isMissing = next === before ? wasGiven(epoch) : next > epoch && next - epoch < BOOT_DISTANCE;
        if (isMissing) {
          tellMissing(epoch, next);
          if (events.length > 0) return { kind: "events", events, isWhole: false };
          return { kind: "gap", oldest: soundFrom(epoch, before), isWhole: false };
        }
        if (place === undefined || next === before) break;
        const end = Math.min(place.first + place.count, before);
        const one = hold(place);
        if (one.loaded.block === undefined) {
          // What comes before is given first; whoever asks again is told.
          if (events.length > 0) return { kind: "events", events, isWhole: false };
          return { kind: "gap", oldest: soundFrom(place.first + place.count, before), isWhole: false };
        }
        for (let next = Math.max(epoch, place.first); next < end; next += 1) {
          if (events.length >= limit) return { kind: "events", events, isWhole: false };
          const entry = entryOf(one, next - place.first);
          if (entry !== undefined) events.push(entry);
        }
        epoch = end;
      }
      return { kind: "events", events, isWhole: true };
    },
    at: (epoch, only) => {
      const place = holding(epoch);
      if (place === undefined) return undefined;
      const one = hold(place);
      const index = epoch - place.first;
      if (only !== undefined && one.loaded.block?.isAmong(index, only) !== true) return undefined;
      return entryOf(one, index);
    },
    forgetBefore: (oldest) => {
      for (const [first, { loaded }] of held) {
        if (first + loaded.count > oldest) continue;
        held.delete(first);
        heldBytes -= loaded.length;
      }
    },
    damagedCount: () => damaged.size,
  };
}
