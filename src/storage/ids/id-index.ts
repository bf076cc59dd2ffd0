// The epochs of ids, for events on disk alone. An entry for each id in the database would cost more than all other work for an event. Ids are
// therefore gathered into runs. A run is written in one piece: hashes in 256 buckets, and a filter, which memory has as well and which rules out
// most foreign ids. An event costs 2 bytes of memory and 18 bytes of disk. The caller compares the event itself.
import { crc32 } from "node:zlib";
import type { Epoch } from "../../engine/event/event.js";
import type { Table, Writes } from "../lmdb/tables.js";
import { addToFilter, createIdFilter, mayHold } from "./id-filter.js";
import { hashId, type IdHash } from "./id-hash.js";

/** Ids in a full run. A full run is written. */
const RUN_IDS = 16_384;
/** Room above a full run: a group brings whole blocks, and more blocks come while the disk refuses them. */
const INITIAL_ROOM = RUN_IDS + 4096;
const BUCKET_COUNT = 256;
const ENTRY_BYTES = 16;
/** Filters have the key ["filter", first epoch], buckets the key [first epoch, number]. */
const FILTER = "filter";
/** Checksum, nothing, last epoch. */
const FILTER_HEAD_BYTES = 16;

interface Run {
  readonly first: Epoch;
  readonly last: Epoch;
  readonly filter: Uint32Array;
}

export interface IdIndex {
  /** The last epoch of the runs on disk. A start adds later events again. */
  readonly knownThrough: () => Epoch;
  /** Ascending by epoch. */
  readonly add: (eventId: string, epoch: Epoch) => void;
  /** Calls `check` with each epoch that the id may have, the newest first, and returns its first answer that is not undefined. */
  readonly find: <Found>(eventId: string, check: (epoch: Epoch) => Found | undefined) => Found | undefined;
  /** Adds the newest run to `writes` if the run is full. The caller calls the answer when `writes` are written. */
  readonly write: (writes: Writes) => () => void;
  /** Adds removals of runs below `oldest` to `writes`. The caller calls the answer when `writes` are written. */
  readonly removeBefore: (oldest: Epoch, writes: Writes) => () => void;
  /** Memory of the filters and the newest run, bytes. */
  readonly heldBytes: () => number;
}

/** The newest ids, which are not on disk. */
interface OpenRun {
  highs: Uint32Array;
  lows: Uint32Array;
  epochs: Float64Array;
  filter: Uint32Array;
  count: number;
}

function openRun(): OpenRun {
  return {
    highs: new Uint32Array(INITIAL_ROOM),
    lows: new Uint32Array(INITIAL_ROOM),
    epochs: new Float64Array(INITIAL_ROOM),
    filter: createIdFilter(RUN_IDS),
    count: 0,
  };
}

/** Reads the filters of all runs of `table`. */
export function createIdIndex(table: Table): IdIndex {
  const hash: IdHash = { high: 0, low: 0 };
  let runs: Run[] = [];
  let newest = openRun();

  for (const { key, value } of table.entries({ prefix: [FILTER] })) runs.push(runFrom(Number(key[1]), value));

  const add = (eventId: string, epoch: Epoch): void => {
    hashId(eventId, hash);
    if (newest.count === newest.highs.length) newest = { ...newest, ...grown(newest) };
    newest.highs[newest.count] = hash.high;
    newest.lows[newest.count] = hash.low;
    newest.epochs[newest.count] = epoch;
    newest.count += 1;
    addToFilter(newest.filter, hash);
  };

  const findInNewest = <Found>(check: (epoch: Epoch) => Found | undefined): Found | undefined => {
    const { high, low } = hash;
    if (!mayHold(newest.filter, hash)) return undefined;
    for (let index = newest.count - 1; index >= 0; index -= 1) {
      if (newest.lows[index] !== low || newest.highs[index] !== high) continue;
      const found = check(newest.epochs[index] ?? 0);
      if (found !== undefined) return found;
    }
    return undefined;
  };

  const findInRun = <Found>(run: Run, high: number, low: number, check: (epoch: Epoch) => Found | undefined) => {
    const bucket = table.get([run.first, high >>> 24]);
    for (let at = (bucket?.length ?? 0) - ENTRY_BYTES; bucket !== undefined && at >= 0; at -= ENTRY_BYTES) {
      if (bucket.readUInt32LE(at) !== low || bucket.readUInt32LE(at + 4) !== high) continue;
      const found = check(bucket.readDoubleLE(at + 8));
      if (found !== undefined) return found;
    }
    return undefined;
  };

  return {
    knownThrough: () => runs.at(-1)?.last ?? 0,
    add,
    find: (eventId, check) => {
      hashId(eventId, hash);
      // A hash of this call: `check` may look for another id.
      const wanted = { high: hash.high, low: hash.low };
      const found = findInNewest(check);
      if (found !== undefined) return found;
      for (let index = runs.length - 1; index >= 0; index -= 1) {
        const run = runs[index];
        if (run === undefined || !mayHold(run.filter, wanted)) continue;
        const older = findInRun(run, wanted.high, wanted.low, check);
        if (older !== undefined) return older;
      }
      return undefined;
    },
    write: (writes) => {
      if (newest.count < RUN_IDS) return () => {};
      const run: Run = {
        first: newest.epochs[0] ?? 0,
        last: newest.epochs[newest.count - 1] ?? 0,
        filter: newest.filter,
      };
      buckets(newest).forEach((bytes, number) => {
        if (bytes.length > 0) writes.put("ids", [run.first, number], bytes);
      });
      writes.put("ids", [FILTER, run.first], filterBytes(run));
      const written = newest.count;
      return () => {
        const rest = openRun();
        const later = newest;
        newest = rest;
        runs.push(run);
        // Ids that came while the group was written begin the next run.
        for (let index = written; index < later.count; index += 1) keepIn(rest, later, index);
      };
    },
    removeBefore: (oldest, writes) => {
      const gone = runs.filter(({ last }) => last < oldest);
      for (const { first } of gone) {
        writes.remove("ids", [FILTER, first]);
        for (let number = 0; number < BUCKET_COUNT; number += 1) writes.remove("ids", [first, number]);
      }
      return () => {
        if (gone.length > 0) runs = runs.filter((run) => !gone.includes(run));
      };
    },
    heldBytes: () =>
      runs.reduce((sum, { filter }) => sum + filter.byteLength, newest.filter.byteLength + newest.highs.length * 16),
  };
}

function grown({ highs, lows, epochs }: OpenRun): Pick<OpenRun, "highs" | "lows" | "epochs"> {
  const larger = {
    highs: new Uint32Array(highs.length * 2),
    lows: new Uint32Array(highs.length * 2),
    epochs: new Float64Array(highs.length * 2),
  };
  larger.highs.set(highs);
  larger.lows.set(lows);
  larger.epochs.set(epochs);
  return larger;
}

function keepIn(run: OpenRun, from: OpenRun, index: number): void {
  const high = from.highs[index] ?? 0;
  const low = from.lows[index] ?? 0;
  run.highs[run.count] = high;
  run.lows[run.count] = low;
  run.epochs[run.count] = from.epochs[index] ?? 0;
  run.count += 1;
  addToFilter(run.filter, { high, low });
}

/** Buckets by the first byte of the hash, each in the order of epochs. */
function buckets({ highs, lows, epochs, count }: OpenRun): readonly Buffer[] {
  const sizes = new Uint32Array(BUCKET_COUNT);
  for (let index = 0; index < count; index += 1) {
    const number = (highs[index] ?? 0) >>> 24;
    sizes[number] = (sizes[number] ?? 0) + 1;
  }
  const made = Array.from(sizes, (size) => Buffer.alloc(size * ENTRY_BYTES));
  const ends = new Uint32Array(BUCKET_COUNT);
  for (let index = 0; index < count; index += 1) {
    const high = highs[index] ?? 0;
    const number = high >>> 24;
    const at = ends[number] ?? 0;
    const bucket = made[number];
    bucket?.writeUInt32LE(lows[index] ?? 0, at);
    bucket?.writeUInt32LE(high, at + 4);
    bucket?.writeDoubleLE(epochs[index] ?? 0, at + 8);
    ends[number] = at + ENTRY_BYTES;
  }
  return made;
}

function filterBytes({ last, filter }: Run): Buffer {
  const bytes = Buffer.alloc(FILTER_HEAD_BYTES + filter.byteLength);
  bytes.writeDoubleLE(last, 8);
  filter.forEach((word, index) => void bytes.writeUInt32LE(word, FILTER_HEAD_BYTES + index * 4));
  bytes.writeUInt32LE(crc32(bytes.subarray(4)), 0);
  return bytes;
}

function runFrom(first: Epoch, bytes: Buffer): Run {
  // A damaged filter rules out nothing, and its run counts as ending where it begins: the start adds later ids again.
  if (bytes.length < FILTER_HEAD_BYTES || bytes.readUInt32LE(0) !== crc32(bytes.subarray(4))) {
    return { first, last: first, filter: createIdFilter(1).fill(0xffffffff) };
  }
  const filter = new Uint32Array((bytes.length - FILTER_HEAD_BYTES) / 4);
  for (let index = 0; index < filter.length; index += 1)
    filter[index] = bytes.readUInt32LE(FILTER_HEAD_BYTES + index * 4);
  return { first, last: bytes.readDoubleLE(8), filter };
}
