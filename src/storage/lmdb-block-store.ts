// The block store in an LMDB file (docs/journal.md). It answers reads at once: the operating system has the pages of the newest blocks in memory.
import { type Stats, statSync } from "node:fs";
import type { JournalFailure } from "../contracts/journal.js";
import type { Epoch } from "../engine/event/event.js";
import { readBlock } from "./blocks/block.js";
import type { BlockPlace, BlockStore, StateRecordKey } from "./blocks/block-store.js";
import { diagnoseDisk } from "./lmdb/diagnose-disk.js";
import { writeTotals } from "./lmdb/meta.js";
import type { OpenedDataFile } from "./lmdb/open-data-file.js";
import type { Table, TableKey } from "./lmdb/tables.js";

export interface LmdbBlockStore extends BlockStore {
  /** The newest ids with their epochs, as many as duplicates are recognized by, ascending by epoch (R3). Damaged blocks are passed over. */
  readonly newestIds: () => Iterable<readonly [eventId: string, epoch: Epoch]>;
}

/** `path`: the data file. */
export function createLmdbBlockStore(file: OpenedDataFile, path: string): LmdbBlockStore {
  const { tables, id, firstEpoch } = file;
  let { totals } = file;
  let isInDoubt = false;
  /** Blocks of a batch that is in the file and counts as not written. The next batch has their events again. */
  let rejected: readonly BlockPlace[] = [];
  const failure = watchedFile(path);

  const assertUsable = (): void => {
    const found = failure();
    if (found !== undefined) throw new Error(found.reason);
  };

  return {
    failure,
    recover: async (pendingBytes) => {
      const found = failure() ?? (isInDoubt ? await diagnoseDisk(path, pendingBytes) : undefined);
      if (found !== undefined) return { kind: "failing", failure: found };
      if (isInDoubt) await file.revive();
      return { kind: "ready", id, totals, firstEpoch, state: (prefix) => stateUnder(tables.state, prefix) };
    },
    write: async ({ blocks, removed, state, totals: after }) => {
      isInDoubt = true;
      assertUsable();
      await file.commit((writes) => {
        for (const place of [...rejected, ...removed]) writes.remove("blocks", blockKey(place));
        for (const block of blocks) writes.put("blocks", blockKey(block), block.bytes);
        for (const [key, value] of state) {
          if (value === undefined) writes.remove("state", key);
          else writes.put("state", key, value);
        }
        writeTotals(after, writes);
      });
      rejected = blocks;
      // A file that was deleted or replaced takes everything, and the next boot finds nothing of it (R29).
      assertUsable();
      rejected = [];
      totals = after;
      isInDoubt = false;
    },
    readBlock: (epoch) => {
      // LMDB maps the file: a read of pages that are gone would end the process.
      if (failure() !== undefined) return "unreadable";
      const place = holding(tables.blocks, epoch) ?? following(tables.blocks, epoch);
      // A record that its key leads to and that is not there is an empty one: damaged.
      return place === undefined ? "none" : { ...place, bytes: tables.blocks.get(blockKey(place)) ?? Buffer.alloc(0) };
    },
    newestIds: () => newestIds(tables.blocks),
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

function* stateUnder(table: Table, prefix: StateRecordKey): Iterable<readonly [StateRecordKey, Buffer]> {
  for (const { key, value } of table.entries({ prefix })) yield [key, value];
}

/** As many as the window keeps; whole blocks bring some more. */
const IDS_READ = 65_536;

/** Two readings, so that no more than the keys is in memory at a time. */
function* newestIds(blocks: Table): Iterable<readonly [string, Epoch]> {
  let from: TableKey | undefined;
  let found = 0;
  for (const key of blocks.keys({ isReverse: true, limit: IDS_READ })) {
    if (found >= IDS_READ) break;
    from = key;
    found += placeOf(key).count;
  }
  for (const { value } of blocks.entries({ from })) {
    const block = readBlock(value);
    for (let index = 0; block !== undefined && index < block.count; index += 1)
      yield [block.eventId(index), block.first + index];
  }
}

const LOSS: JournalFailure = {
  reason: "Its file was deleted, replaced or cut short.",
  remedy: "Put it back, or restart the daemon.",
};

/**
 * Watches the open data file, which is at `path` now. A deleted or replaced file takes all writes, and the next boot finds none of them, so nothing
 * may be acknowledged (R29). A file that was cut short lacks pages that LMDB would read, which ends the process by a signal, so nothing may be read
 * of it either. The answer looks at the file, and returns the loss, or undefined while the file is in its place. Without a file
 * there, no loss is ever reported.
 */
function watchedFile(path: string): () => JournalFailure | undefined {
  const first = statusOf(path);
  /** The file never shrinks by itself. */
  let largestBytes = typeof first === "object" ? first.size : 0;
  let found: JournalFailure | undefined;
  return () => {
    if (typeof first !== "object") return undefined;
    const now = statusOf(path);
    if (now === "unknown") return found;
    const stands = now !== "missing" && now.ino === first.ino && now.dev === first.dev && now.size >= largestBytes;
    if (stands) largestBytes = now.size;
    found = stands ? undefined : LOSS;
    return found;
  };
}

/** "unknown" if the system does not tell, which is no loss yet. */
function statusOf(path: string): Stats | "missing" | "unknown" {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? "missing";
  } catch {
    return "unknown";
  }
}
