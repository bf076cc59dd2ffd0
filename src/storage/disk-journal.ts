// The journal on disk (R29). A window in memory stands in front of it: whatever is new is read from there, and what is owed to the disk stays in it
// until the disk has it. Behind it are blocks, one for each group commit.
import type { Clock } from "../contracts/clock.js";
import type { Appended, Journal, JournalFailure, JournalPolicy, JournalRead } from "../contracts/journal.js";
import type { Log } from "../contracts/log.js";
import type { Epoch, Evicted, JournaledEvent, JournalSelection, NewEvent } from "../engine/event/event.js";
import type { JournalRingOptions } from "../engine/journal/journal-ring.js";
import { blockBytesOf } from "./blocks/block.js";
import { type BlockReader, createBlockReader } from "./blocks/block-reader.js";
import { createLatestReceipts } from "./blocks/latest-receipts.js";
import { packBlocks } from "./blocks/pack-blocks.js";
import {
  dueAt,
  nextSlice,
  type OldestBlock,
  oldestBlock,
  type RetentionLimits,
  removeSlice,
  type Slice,
} from "./blocks/retention.js";
import { recordBytes, type Totals, writeTotals } from "./blocks/totals.js";
import { createGroupCommits, type Group, notWritable, unavailable } from "./group-commits.js";
import { createIdIndex } from "./ids/id-index.js";
import { diagnoseDisk } from "./lmdb/diagnose-disk.js";
import type { Environment } from "./lmdb/environment.js";
import { watchedFile } from "./lmdb/watched-file.js";
import { createPendingState } from "./state/durable-state.js";

export interface DiskJournalOptions {
  readonly environment: Environment;
  /** The data file, for logs and status. */
  readonly path: string;
  readonly policy: JournalPolicy;
  readonly clock: Clock;
  readonly log: Log;
  /** `Journal.id`. */
  readonly id: string;
  /** As the last run left it, or as an empty journal begins. */
  readonly totals: Totals;
  /** The epoch of this run's first event: 2^32 above the last one written and above the first one of the latest run (R29). */
  readonly firstEpoch: Epoch;
  /** Until `retain` is called. */
  readonly retention: RetentionLimits;
  /** The window in memory: `createJournalRing`. */
  readonly createWindow: (options: JournalRingOptions) => Journal;
  /** Limits of that window. */
  readonly window: Pick<JournalRingOptions, "maxEvents" | "maxBytes">;
  /** Most bytes of events that may wait for the disk: beyond it publishing is refused (R29). Default 64 MiB. */
  readonly maxPendingBytes?: number;
  /** The process that has the journal in place of this one, if any; for good. Asked once a second at most. Default none. */
  readonly otherOwner?: () => number | undefined;
  /** Told of each event that can no longer be read, oldest first. */
  readonly evicted: (event: Evicted) => void;
  /** Called when it is closed. */
  readonly closed?: () => void;
}

export interface DiskJournal extends Journal {
  /** From now on keeps so much. What is more goes in slices, with the next groups (R34). */
  readonly retain: (limits: RetentionLimits) => void;
}

/** How often it is looked whose the journal is. */
const LOOK_EVERY_MS = 1000;

/** Events below the window that a start reads to know their ids are read in one go: at most a run of them and a block. */
function relearnIds(reader: BlockReader, add: (id: string, epoch: Epoch) => void, from: Epoch): void {
  for (let place = reader.nextFrom(from); place !== undefined; place = reader.nextFrom(place.first + place.count)) {
    const { block, first, count } = reader.load(place);
    for (let index = 0; block !== undefined && index < count; index += 1) add(block.eventId(index), first + index);
  }
}

/** An open journal on `environment`, which it closes with itself. */
export function createDiskJournal(options: DiskJournalOptions): DiskJournal {
  const { environment, path, policy, clock, log, maxPendingBytes = 64 * 1024 * 1024 } = options;
  const { tables } = environment;
  /** Looked up each time: a monotonic clock stands still while the machine sleeps, and the other one is set. */
  const wallTimeOffset = (): number => clock.wallTime() - clock.now();
  let totals = options.totals;
  let { retention } = options;
  /** The last epoch that the disk has. */
  let written = options.firstEpoch - 1;
  /** What waits for the disk, ascending. */
  let pendingWrites: JournaledEvent[] = [];
  /** Of what waits and what is on its way. */
  let pendingCount = 0;
  let pendingBytes = 0;
  let cancelDue: (() => void) | undefined;
  let isClosed = false;

  const window = options.createWindow({
    ...options.window,
    id: options.id,
    firstEpoch: options.firstEpoch,
    wallTimeOffsetMs: wallTimeOffset(),
    isOwed: (epoch) => epoch > written,
  });
  const file = watchedFile(path);
  const isLost = (): boolean => file.loss() !== undefined;
  const reader = createBlockReader({
    table: tables.blocks,
    isLost,
    log,
    path,
    wallTimeOffset,
    now: clock.now,
    wasGiven: (epoch) => epoch <= options.totals.head || epoch >= options.firstEpoch,
  });
  const receiptOf = createLatestReceipts({
    reader,
    wallTime: clock.wallTime,
    head: () => totals.head,
    retentionMs: () => retention.ageMs,
  });
  const ids = createIdIndex({ ...tables.ids, get: (key) => (isLost() ? undefined : tables.ids.get(key)) });
  relearnIds(reader, ids.add, ids.knownThrough() + 1);
  const state = createPendingState(
    tables.state,
    log,
    () => commits.request(),
    (key) =>
      log.error(
        { path, kind: key[0] },
        "something of the engine's state is damaged on disk, and is as if it had never been kept",
      ),
  );

  const begin = (): Group | undefined => {
    // First what is let go of: whoever is told of it has something to write down with that (R27).
    if (dueNow()) letGo(nextSlice(reader, totals, retention, receiptOf, clock.wallTime(), pendingWrites.length));
    const events = pendingWrites;
    const bytes = events.reduce((sum, event) => sum + blockBytesOf(event), 0);
    const blocks = packBlocks(events, wallTimeOffset());
    const changes = state.take();
    const gone = pendingRemovals;
    pendingWrites = [];
    pendingRemovals = [];
    if (events.length === 0 && changes === undefined && gone.length === 0) return undefined;

    const last = events.at(-1)?.epoch;
    const after: Totals = {
      eventCount: totals.eventCount + events.length,
      bytes: blocks.reduce((sum, { bytes: { length } }) => sum + recordBytes(length), totals.bytes),
      head: last ?? totals.head,
      lostThrough: totals.lostThrough,
    };
    let idsWritten: (() => void)[] = [];
    return {
      write: (writes) => {
        for (const one of gone) removeSlice(one, writes);
        for (const { first, count, bytes: block } of blocks) writes.put("blocks", [first, count], block);
        idsWritten = [
          ids.write(writes),
          ...(gone.length === 0 ? [] : [ids.removeBefore(after.lostThrough + 1, writes)]),
        ];
        if (changes !== undefined) state.write(changes, writes);
        writeTotals(after, writes);
      },
      written: () => {
        // Runs first: the ids of this group are not among what was written of them.
        for (const tell of idsWritten) tell();
        for (const { event, epoch } of events) ids.add(event.event_id, epoch);
        totals = { ...after, lostThrough: totals.lostThrough };
        written = last ?? written;
        pendingCount -= events.length;
        pendingBytes -= bytes;
        if (changes !== undefined) state.written(changes);
        watchAge();
      },
      giveBack: () => {
        pendingWrites = events.concat(pendingWrites);
        if (changes !== undefined) state.giveBack(changes);
        pendingRemovals = gone.concat(pendingRemovals);
      },
    };
  };

  /** What nobody can read any more, and still stands on disk. */
  let pendingRemovals: Slice[] = [];

  /** Undefined where it is to be looked up; it stays the same until it goes, or was to go and may stay after all. */
  let knownOldest: OldestBlock | undefined;
  const lookUpOldest = (): OldestBlock | undefined => {
    // Asked all the time: the file is looked at where something is read of it.
    if (file.knownLoss() !== undefined) return undefined;
    // Looked at again where the clock was set back since.
    if (knownOldest !== undefined && knownOldest.newestAt > clock.wallTime()) knownOldest = undefined;
    knownOldest ??= oldestBlock(reader, totals, receiptOf);
    return knownOldest;
  };

  const dueNow = (): boolean => {
    const oldest = lookUpOldest();
    return oldest !== undefined && dueAt(oldest, totals, retention) < clock.wallTime();
  };

  const letGo = (slice: Slice): void => {
    knownOldest = undefined;
    if (slice.places.length === 0) return;
    totals = slice.totals;
    pendingRemovals.push(slice);
    reader.forgetBefore(totals.lostThrough + 1);
    for (const event of slice.events) options.evicted(event);
  };

  let lookedAt = clock.now();
  let otherOwner: number | undefined;
  /** Set where it is another's: two that write to it would know nothing of each other's events. */
  const takenAway = (): JournalFailure | undefined => {
    if (otherOwner === undefined && clock.now() - lookedAt >= LOOK_EVERY_MS) {
      lookedAt = clock.now();
      otherOwner = options.otherOwner?.();
    }
    return otherOwner === undefined
      ? undefined
      : { reason: `It belongs to process ${otherOwner} now.`, remedy: "Restart this daemon, or stop it." };
  };

  const assertFileThere = (): void => {
    const loss = file.loss() ?? takenAway();
    if (loss !== undefined) throw new Error(loss.reason);
  };

  const commits = createGroupCommits({
    clock,
    log,
    path,
    begin,
    commit: async (work) => {
      assertFileThere();
      await environment.commit(work);
      // How long it is now.
      assertFileThere();
    },
    revive: environment.revive,
    diagnose: async () => file.loss() ?? takenAway() ?? (await diagnoseDisk(path, pendingBytes)),
  });

  /** Comes back when the next block has reached its age, or at once where there is more to let go of than one slice. */
  const watchAge = (): void => {
    cancelDue?.();
    cancelDue = undefined;
    if (isClosed) return;
    const oldest = lookUpOldest();
    if (oldest === undefined) return;
    const due = dueAt(oldest, totals, retention);
    if (due < clock.wallTime()) {
      commits.request();
      return;
    }
    cancelDue = clock.wakeAt(clock.now() + (due - clock.wallTime()) + 1, () => {
      cancelDue = undefined;
      commits.request();
    });
  };

  const oldest = (): Epoch => {
    const onDisk = lookUpOldest()?.first;
    const inMemory = Math.max(window.oldest(), totals.lostThrough + 1);
    return onDisk === undefined ? inMemory : Math.min(onDisk, inMemory);
  };

  const append = (events: readonly NewEvent[]): Appended => {
    // Also of those who ask whether all is safe: they are about to change what could not be made so.
    const failure = commits.failure() ?? file.knownLoss() ?? takenAway();
    if (failure !== undefined) throw notWritable(failure);
    if (events.length === 0) return { events: [], durable: policy === "none" ? undefined : commits.pending() };
    if (pendingBytes > maxPendingBytes) {
      throw unavailable(
        `The journal's disk is too slow: ${pendingBytes} bytes of events wait for it. Try again in a moment.`,
      );
    }
    const appended = window.append(events);
    for (const event of appended.events) {
      pendingWrites.push(event);
      pendingBytes += blockBytesOf(event);
    }
    pendingCount += appended.events.length;
    commits.request();
    return { events: appended.events, durable: policy === "none" ? undefined : commits.pending() };
  };

  const readWindow = (after: Epoch, limit: number): readonly JournaledEvent[] => {
    const read = window.read(after, limit) as JournalRead;
    return read.kind === "events" ? read.events : [];
  };

  const read = (after: Epoch, limit: number): JournalRead => {
    if (after < totals.lostThrough && after < window.head()) return { kind: "gap", oldest: oldest() };
    const inMemory = window.oldest();
    if (after + 1 >= inMemory) return { kind: "events", events: readWindow(after, limit) };
    // Of a run that has everything in memory nothing is owed from the disk to those who have all of what was before it.
    const hasAllOlder = after >= options.totals.head && inMemory === options.firstEpoch;
    if (!hasAllOlder && isLost()) return { kind: "gap", oldest: inMemory };
    const older = reader.read(after, limit, inMemory);
    if (older.kind === "gap" || !older.isWhole || older.events.length >= limit) return older;
    const newer = readWindow(inMemory - 1, limit - older.events.length);
    return { kind: "events", events: [...older.events, ...newer] };
  };

  const at = (epoch: Epoch, only?: JournalSelection): JournaledEvent | undefined => {
    if (epoch <= totals.lostThrough) return undefined;
    return epoch >= window.oldest() ? window.at(epoch, only) : reader.at(epoch, only);
  };

  const find = (eventId: string): JournaledEvent | undefined => {
    const newest = window.find(eventId);
    if (newest !== undefined) return newest.epoch > totals.lostThrough ? newest : undefined;
    return ids.find(eventId, (epoch) => {
      const entry = epoch <= totals.lostThrough ? undefined : reader.at(epoch);
      return entry?.event.event_id === eventId ? entry : undefined;
    });
  };

  const oldestAt = (): number | undefined => lookUpOldest()?.oldestAt ?? window.status().oldestAt;

  watchAge();

  return {
    id: options.id,
    append,
    read,
    head: window.head,
    oldest,
    find,
    at,
    durableState: state.durableState,
    retain: (limits) => {
      retention = limits;
      watchAge();
    },
    status: () => ({
      eventCount: totals.eventCount + pendingCount,
      bytes: totals.bytes + pendingBytes,
      oldestAt: oldestAt(),
      head: window.head(),
      durableEpoch: policy === "none" ? window.head() : written,
      failure: commits.failure() ?? file.loss() ?? takenAway(),
      disk: { path, policy },
    }),
    close: async () => {
      isClosed = true;
      cancelDue?.();
      await commits.close();
      await environment.close();
      options.closed?.();
    },
  };
}
