// The journal whose events outlive the process (R29). A window in memory stands in front of a block store: new events are read from the window, and
// stay in it until the store has them. Every group commit is one batch for the store.
import type { Clock } from "../../contracts/clock.js";
import type { Appended, Journal, JournalPolicy, JournalRead } from "../../contracts/journal.js";
import type { Log } from "../../contracts/log.js";
import type { Epoch, Evicted, JournaledEvent, JournalSelection, NewEvent } from "../../engine/event/event.js";
import type { JournalRing, JournalRingOptions } from "../../engine/journal/journal-ring.js";
import { blockBytesOf } from "../blocks/block.js";
import { BlockReader, type BlocksRange } from "../blocks/block-reader.js";
import type { BlockPlace, BlockStore, Recovered, StateWrites, StoreFailure } from "../blocks/block-store.js";
import { createDamageLog, type DamageLog } from "../blocks/damage-log.js";
import { packBlocks } from "../blocks/pack-blocks.js";
import type { RetentionLimits } from "../blocks/retention.js";
import { recordBytes, type Totals } from "../blocks/totals.js";
import { createPendingState } from "../state/durable-state.js";
import { createExpiry } from "./expiry.js";
import { createGroupCommits, type Group, notWritable, unavailable } from "./group-commits.js";

export interface WindowedJournalOptions {
  readonly store: BlockStore;
  /** The answer of `store.recover`. */
  readonly recovered: Recovered;
  /** Place of the data, for logs and status. */
  readonly path: string;
  readonly policy: JournalPolicy;
  readonly clock: Clock;
  readonly log: Log;
  /** Shared with the store if that reads blocks as well. Default one of this journal's own. */
  readonly damageLog?: DamageLog;
  /** Until `retain` is called. */
  readonly retention: RetentionLimits;
  /** The window in memory: `createJournalRing`. */
  readonly createWindow: (options: JournalRingOptions) => JournalRing;
  /** Ids of the store's newest events, ascending by epoch, for duplicates (R3). Default none. */
  readonly ids?: Iterable<readonly [eventId: string, epoch: Epoch]>;
  /** Limits of that window. */
  readonly window: Pick<JournalRingOptions, "maxEvents" | "maxBytes">;
  /** Most bytes of events that may wait for the store. While more wait, publishing is refused (R29). Default 64 MiB. */
  readonly maxPendingBytes?: number;
  /** Closes the store, after the last group. */
  readonly closeStore: () => Promise<void>;
}

export interface WindowedJournal extends Journal {
  /** Sets the limits of retention. Events beyond them go in slices, with the next groups (R34). */
  readonly retain: (limits: RetentionLimits) => void;
}

/** Longest time between two looks at the store while something is asked of the journal. */
const LOOK_EVERY_MS = 1000;

const NO_STATE: StateWrites = { removals: [], puts: [] };

/** Called with each event that can no longer be read, oldest first. */
export type ToldOfEvicted = (event: Evicted) => void;

/**
 * Puts a window in front of a recovered store. The answer makes the journal, once, in the turn in which the engine begins. The journal closes the
 * store with itself.
 */
export function openWindowedJournal(options: WindowedJournalOptions): (evicted: ToldOfEvicted) => WindowedJournal {
  const { store, recovered, path, policy, clock, log, maxPendingBytes = 64 * 1024 * 1024 } = options;
  const { firstEpoch } = recovered;
  /** Computed each time: a monotonic clock stands still while the machine sleeps, and the clock on the wall is set. */
  const wallTimeOffset = (): number => clock.wallTime() - clock.now();
  let totals = recovered.totals;
  /** The last epoch that the store has. */
  let written = firstEpoch - 1;
  /** Events that wait for the store, ascending. */
  let pendingWrites: JournaledEvent[] = [];
  /** Of the events that wait, and of the group on its way to the store. */
  let pendingCount = 0;
  let pendingBytes = 0;
  /** Blocks that nobody reads any more, and that the store still has. */
  let pendingRemovals: BlockPlace[] = [];
  let evicted: ToldOfEvicted = () => {};
  /** As of the last look at the store. */
  let failing: StoreFailure | undefined;
  let lookedAt = clock.now();

  const look = (): StoreFailure | undefined => {
    lookedAt = clock.now();
    failing = store.failure();
    return failing;
  };
  /** Costs nothing while all is well, but for a look a second: the caller relies on a store that nobody else has taken (R29). */
  const knownFailure = (): StoreFailure | undefined =>
    failing === undefined && clock.now() - lookedAt < LOOK_EVERY_MS ? undefined : look();

  const window = options.createWindow({
    ...options.window,
    id: recovered.id,
    firstEpoch,
    wallTimeOffset,
    isPending: (epoch) => epoch > written,
    ...(options.ids === undefined ? {} : { ids: options.ids }),
  });
  const reader = new BlockReader({
    store,
    damageLog: options.damageLog ?? createDamageLog(log, path),
    wallTimeOffset,
    now: clock.now,
    wasGiven: (epoch) => epoch <= recovered.totals.head || epoch >= firstEpoch,
  });
  const state = createPendingState(
    recovered.state,
    log,
    () => commits.request(),
    (key) =>
      log.error(
        { path, kind: key[0] },
        "something of the engine's state is damaged on disk, and is as if it had never been kept",
      ),
  );
  const expiry = createExpiry({
    reader,
    clock,
    limits: options.retention,
    totals: () => totals,
    due: () => commits.request(),
  });

  /** Lets go first: the engine puts what it lost into the group that removes it (R27). */
  const prepare = (): void =>
    expiry.letGoOfDue(pendingWrites.length, (slice) => {
      totals = slice.totals;
      pendingRemovals = pendingRemovals.concat(slice.places);
      reader.forgetBefore(totals.lostThrough + 1);
      for (const event of slice.events) evicted(event);
    });

  const begin = (): Group | undefined => {
    const events = pendingWrites;
    const bytes = events.reduce((sum, event) => sum + blockBytesOf(event), 0);
    const offset = wallTimeOffset();
    const blocks = packBlocks(events, offset);
    const changes = state.take();
    let stateWrites = NO_STATE;
    try {
      if (changes !== undefined) stateWrites = state.writesOf(changes);
    } catch (caught) {
      if (changes !== undefined) state.giveBack(changes);
      throw caught;
    }
    const removed = pendingRemovals;
    pendingWrites = [];
    pendingRemovals = [];
    if (events.length === 0 && changes === undefined && removed.length === 0) return undefined;

    const last = events.at(-1)?.epoch;
    const after: Totals = {
      eventCount: totals.eventCount + events.length,
      bytes: blocks.reduce((sum, { bytes: { length } }) => sum + recordBytes(length), totals.bytes),
      head: last ?? totals.head,
      lostThrough: totals.lostThrough,
    };
    return {
      batch: {
        blocks,
        removed,
        state: stateWrites,
        totals: after,
      },
      written: ({ unfinished }) => {
        totals = after;
        written = last ?? written;
        pendingCount -= events.length;
        pendingBytes -= bytes;
        state.written(unfinished);
        expiry.written(receiptsOf(blocks[0], events, offset));
      },
      giveBack: () => {
        look();
        pendingWrites = events.concat(pendingWrites);
        if (changes !== undefined) state.giveBack(changes);
        pendingRemovals = removed.concat(pendingRemovals);
      },
    };
  };

  const commits = createGroupCommits({ clock, log, path, store, prepare, begin, pendingBytes: () => pendingBytes });

  const storedOldest = (): ReturnType<typeof expiry.oldest> =>
    knownFailure()?.isReadable === false ? undefined : expiry.oldest();

  const oldest = (): Epoch => {
    const inMemory = Math.max(window.oldest(), totals.lostThrough + 1);
    return Math.min(storedOldest()?.first ?? inMemory, inMemory);
  };

  const append = (events: readonly NewEvent[]): Appended => {
    // Refused without events as well: the caller is about to change state that could not be made durable.
    const failure = commits.failure() ?? knownFailure()?.cause;
    if (failure !== undefined) throw notWritable(failure);
    if (commits.isClosing()) throw unavailable("The journal is being closed. Publish to the next daemon.");
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
    const read = window.read(after, limit);
    return read.kind === "events" ? read.events : [];
  };

  /** Adds events of the window, from `inMemory` on, to the older ones. */
  const joined = (older: BlocksRange, limit: number, inMemory: Epoch): JournalRead => {
    if (older.kind === "unreadable") {
      look();
      return { kind: "gap", oldest: inMemory };
    }
    if (older.kind === "gap") return { kind: "gap", oldest: older.oldest };
    const { events, isWhole } = older;
    if (!isWhole || events.length >= limit) return { kind: "events", events };
    return { kind: "events", events: [...events, ...readWindow(inMemory - 1, limit - events.length)] };
  };

  const read = (after: Epoch, limit: number): JournalRead => {
    if (after < totals.lostThrough && after < window.head()) return { kind: "gap", oldest: oldest() };
    const inMemory = window.oldest();
    // The caller has all events of earlier boots, and the window has all of this boot.
    const hasAllOlder = after >= recovered.totals.head && inMemory === firstEpoch;
    if (hasAllOlder || after + 1 >= inMemory)
      return { kind: "events", events: readWindow(Math.max(after, inMemory - 1), limit) };
    return joined(reader.read(after, limit, inMemory), limit, inMemory);
  };

  const at = (epoch: Epoch, only?: JournalSelection): JournaledEvent | undefined => {
    if (epoch <= totals.lostThrough) return undefined;
    return epoch >= window.oldest() ? window.at(epoch, only) : reader.at(epoch, only);
  };

  const find = (eventId: string): JournaledEvent | undefined => {
    const epoch = window.epochOf(eventId);
    return epoch === undefined ? undefined : at(epoch);
  };

  expiry.look();

  const journal: WindowedJournal = {
    id: recovered.id,
    append,
    read,
    head: window.head,
    oldest,
    find,
    at,
    durableState: state.durableState,
    retain: expiry.retain,
    status: () => ({
      eventCount: totals.eventCount + pendingCount,
      bytes: totals.bytes + pendingBytes,
      oldestAt: storedOldest()?.oldestAt ?? window.status().oldestAt,
      head: window.head(),
      durableEpoch: policy === "none" ? window.head() : written,
      failure: commits.failure() ?? look()?.cause,
      disk: { path, policy },
    }),
    close: async () => {
      expiry.stop();
      await commits.close();
      await options.closeStore();
    },
  };
  return (told) => {
    evicted = told;
    expiry.watch();
    return journal;
  };
}

/** When the events of a group's first block were received, ms since 1970; undefined for a group without events. */
function receiptsOf(first: BlockPlace | undefined, events: readonly JournaledEvent[], wallTimeOffsetMs: number) {
  const oldest = events[0];
  if (first === undefined || oldest === undefined) return undefined;
  const newest = events[first.count - 1] ?? oldest;
  return {
    first: first.first,
    count: first.count,
    oldestAt: oldest.at + wallTimeOffsetMs,
    newestAt: newest.at + wallTimeOffsetMs,
  };
}
