// The block store in an LMDB file (docs/journal.md). It answers reads at once: the operating system has the pages of the newest blocks in memory.
import type { Clock } from "../contracts/clock.js";
import type { JournalFailure } from "../contracts/journal.js";
import { readBlock } from "./blocks/block.js";
import type { BlockPlace, BlockStore, RawBlock, StateRecordKey, StoreFailure } from "./blocks/block-store.js";
import type { DamageLog } from "./blocks/damage-log.js";
import { createIdIndex, type IdIndex } from "./ids/id-index.js";
import type { Compacted } from "./lmdb/compact.js";
import { diagnoseDisk } from "./lmdb/diagnose-disk.js";
import type { OpenedDataFile } from "./lmdb/open-data-file.js";
import { writeState } from "./lmdb/state-table.js";
import { writeTotals } from "./lmdb/stored-totals.js";
import type { Table, TableKey } from "./lmdb/tables.js";
import { watchedFile } from "./lmdb/watched-file.js";
import { notWritable } from "./window/group-commits.js";

export interface LmdbStoreOptions {
  readonly file: OpenedDataFile;
  /** The data file. */
  readonly path: string;
  readonly clock: Clock;
  readonly damageLog: DamageLog;
  /** The process that has the file in place of this one, if any; for good. Asked once a second at most. Default none. */
  readonly otherOwner?: (() => number | undefined) | undefined;
}

export interface LmdbBlockStore extends BlockStore {
  /**
   * Writes the file again without its free pages, while everything goes on. A call while another is under way answers as that one. Rejects with a
   * Fault "storage_unavailable" if the store cannot be used, if the disk has no room or if it reports errors, "shutting_down" if the file is closed
   * meanwhile, and "unsupported" on Windows. Nothing is lost then.
   */
  readonly compact: () => Promise<Compacted>;
}

/** The store asks for another owner no more often. */
const ASK_EVERY_MS = 1000;

export function createLmdbBlockStore({ file, path, clock, damageLog, otherOwner }: LmdbStoreOptions): LmdbBlockStore {
  const { tables, id, firstEpoch } = file;
  let { totals } = file;
  let isInDoubt = false;
  /** Blocks of a batch that is in the file and counts as not written. The next batch has their events again. */
  let rejected: readonly BlockPlace[] = [];
  const watched = watchedFile(path);
  /** LMDB maps the file: a read of pages that are gone would end the process. */
  const isLost = (): boolean => watched.loss() !== undefined;

  const ids = createIdIndex({ ...tables.ids, get: (key) => (isLost() ? undefined : tables.ids.get(key)) });
  learnIds(ids, tables.blocks, damageLog);

  let askedAt = clock.now();
  let owner: number | undefined;
  /** Two processes that write to one file would know nothing of each other's events. */
  const takenAway = (): JournalFailure | undefined => {
    if (owner === undefined && clock.now() - askedAt >= ASK_EVERY_MS) {
      askedAt = clock.now();
      owner = otherOwner?.();
    }
    return owner === undefined
      ? undefined
      : { reason: `It belongs to process ${owner} now.`, remedy: "Restart this daemon, or stop it." };
  };

  const failure = (): StoreFailure | undefined => {
    const loss = watched.loss();
    if (loss !== undefined) return { cause: loss, isReadable: false };
    const taken = takenAway();
    return taken && { cause: taken, isReadable: true };
  };

  const assertUsable = (): void => {
    const found = failure();
    if (found !== undefined) throw new Error(found.cause.reason);
  };

  const assertMayReplace = (): void => {
    const found = failure();
    if (found !== undefined) throw notWritable(found.cause);
  };
  let compacting: Promise<Compacted> | undefined;
  const compact = (): Promise<Compacted> => {
    compacting ??= file.compact({ assertMayReplace, replaced: watched.replaced }).finally(() => {
      compacting = undefined;
    });
    return compacting;
  };

  return {
    failure,
    compact,
    recover: async (pendingBytes) => {
      const lost = failure();
      if (lost !== undefined) return { kind: "failing", failure: lost.cause };
      if (isInDoubt) {
        const found = await diagnoseDisk(path, pendingBytes);
        if (found !== undefined) return { kind: "failing", failure: found };
        await file.revive();
      }
      return { kind: "ready", id, totals, firstEpoch, state: (prefix) => stateUnder(tables.state, prefix) };
    },
    write: async ({ blocks, removed, state, totals: after }) => {
      isInDoubt = true;
      let idsWritten: (() => void)[] = [];
      let unfinished: readonly StateRecordKey[] = [];
      assertUsable();
      await file.commit((writes) => {
        for (const place of rejected) writes.remove("blocks", blockKey(place));
        for (const place of removed) writes.remove("blocks", blockKey(place));
        for (const block of blocks) writes.put("blocks", blockKey(block), block.bytes);
        idsWritten = [
          ids.write(writes),
          ...(removed.length === 0 ? [] : [ids.removeBefore(after.lostThrough + 1, writes)]),
        ];
        unfinished = writeState(tables.state, state, writes);
        writeTotals(after, writes);
      });
      rejected = blocks;
      // A file that was deleted or replaced takes everything, and the next boot finds nothing of it (R29).
      assertUsable();
      rejected = [];
      // The ids of this batch are not among those that were written: so these come first.
      for (const tell of idsWritten) tell();
      for (const { first, eventIds } of blocks)
        eventIds.forEach((eventId, index) => void ids.add(eventId, first + index));
      totals = after;
      isInDoubt = false;
      return { unfinished };
    },
    readBlocks: (after) => {
      if (isLost()) return undefined;
      const place = holding(tables.blocks, after + 1) ?? following(tables.blocks, after + 1);
      return place === undefined ? [] : [loaded(tables.blocks, place)];
    },
    lookUp: ids.find,
  };
}

/** The key of a block in its table. */
function blockKey({ first, count }: BlockPlace): TableKey {
  return [first, count];
}

function placeOf([first, count]: TableKey): BlockPlace {
  return { first: Number(first), count: Number(count) };
}

function holding(blocks: Table, epoch: number): BlockPlace | undefined {
  const [key] = blocks.keys({ to: [epoch, Number.MAX_SAFE_INTEGER], isReverse: true, limit: 1 });
  const place = key && placeOf(key);
  return place !== undefined && epoch < place.first + place.count ? place : undefined;
}

function following(blocks: Table, epoch: number): BlockPlace | undefined {
  const [key] = blocks.keys({ from: [epoch], limit: 1 });
  return key && placeOf(key);
}

/** A record that its key leads to and that is not there is an empty one: damaged. */
function loaded(blocks: Table, place: BlockPlace): RawBlock {
  return { ...place, bytes: blocks.get(blockKey(place)) ?? Buffer.alloc(0) };
}

function* stateUnder(table: Table, prefix: StateRecordKey): Iterable<readonly [StateRecordKey, Buffer]> {
  for (const { key, value } of table.entries({ prefix })) yield [key, value];
}

/** Adds the ids of events that no run on the disk knows: at most a run of them and a block. */
function learnIds(ids: IdIndex, blocks: Table, damageLog: DamageLog): void {
  const from = ids.knownThrough() + 1;
  for (let place = following(blocks, from); place !== undefined; place = following(blocks, place.first + place.count)) {
    const { first, count, bytes } = loaded(blocks, place);
    const block = readBlock(bytes);
    if (block === undefined || block.first !== first || block.count !== count) damageLog.damaged(place);
    else for (let index = 0; index < count; index += 1) ids.add(block.eventId(index), first + index);
  }
}
