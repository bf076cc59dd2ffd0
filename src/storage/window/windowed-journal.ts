// The journal whose events outlive the process (R29). A window in memory stands in front of a block store: new events are read from the window, and
// stay in it until the store has them. Every group commit is one batch for the store.
import type { Fault } from "../../base/errors.js";
import type { Clock } from "../../contracts/clock.js";
import type {
  Appended,
  DurableState,
  Journal,
  JournalFailure,
  JournalPolicy,
  JournalRead,
  JournalStatus,
} from "../../contracts/journal.js";
import type { Log } from "../../contracts/log.js";
import type { Epoch, JournaledEvent, JournalSelection, NewEvent } from "../../engine/event/event.js";
import type { JournalRing, JournalRingOptions } from "../../engine/journal/journal-ring.js";
import { blockBytesOf, packBlocks } from "../blocks/block.js";
import { BlockReader } from "../blocks/block-reader.js";
import type { BlockPlace, BlockStore, Recovered } from "../blocks/block-store.js";
import { recordBytes, type Totals } from "../blocks/totals.js";
import { PendingState } from "../state/durable-state.js";
import { Expiry, type RetentionLimits } from "./expiry.js";
import { type Group, GroupCommits, notWritable, unavailable } from "./group-commits.js";

export interface WindowedJournalOptions {
  readonly store: BlockStore;
  /** The answer of `store.recover`. */
  readonly recovered: Recovered;
  /** Place of the data, for logs and status. */
  readonly path: string;
  readonly policy: JournalPolicy;
  readonly clock: Clock;
  readonly log: Log;
  /** Until `retain` is called. */
  readonly retention: RetentionLimits;
  /** The window in memory: `createJournalRing`. */
  readonly createWindow: (options: JournalRingOptions) => JournalRing;
  /** Ids of the store's newest events, ascending by epoch, for duplicates (R3). Taken once. Default none. */
  readonly ids?: Iterable<readonly [eventId: string, epoch: Epoch]>;
  /** Limits of that window. */
  readonly window: Pick<JournalRingOptions, "maxEvents" | "maxBytes">;
  /** Most bytes of events that may wait for the store. While more wait, publishing is refused (R29). Default 64 MiB. */
  readonly maxPendingBytes?: number;
  /** Closes the store, after the last group. */
  readonly closeStore: () => Promise<void>;
}

/** Longest time between two looks at the store while something is asked of the journal. */
const LOOK_EVERY_MS = 1000;

/** A window in front of a recovered store. Made in the turn in which the engine begins. It closes the store with itself. */
export class WindowedJournal implements Journal {
  readonly id: string;
  readonly durableState: DurableState;
  private readonly options: WindowedJournalOptions;
  private readonly window: JournalRing;
  private readonly reader: BlockReader;
  private readonly state: PendingState;
  private readonly expiry: Expiry;
  private readonly commits: GroupCommits;
  private totals: Totals;
  /** The last epoch that the store has. */
  private written: Epoch;
  /** Events that wait for the store, ascending. */
  private pendingWrites: JournaledEvent[] = [];
  /** Of the events that wait, and of the group on its way to the store. */
  private pendingCount = 0;
  private pendingBytes = 0;
  /** Blocks that nobody reads any more, and that the store still has. */
  private pendingRemovals: readonly BlockPlace[] = [];
  /** As of the last look at the store. */
  private failing: JournalFailure | undefined;
  private lookedAt: number;

  constructor(options: WindowedJournalOptions) {
    const { store, recovered, path, clock, log, ids } = options;
    const { firstEpoch } = recovered;
    this.options = options;
    this.id = recovered.id;
    this.totals = recovered.totals;
    this.written = firstEpoch - 1;
    this.lookedAt = clock.now();
    const wallTimeOffset = (): number => this.wallTimeOffset();
    this.window = options.createWindow({
      ...options.window,
      id: recovered.id,
      firstEpoch,
      wallTimeOffset,
      isPending: (epoch) => epoch > this.written,
      ...(ids === undefined ? {} : { ids }),
    });
    this.reader = new BlockReader({
      store,
      log,
      path,
      wallTimeOffset,
      now: clock.now,
      wasGiven: (epoch) => epoch <= recovered.totals.head || epoch >= firstEpoch,
    });
    const due = (): void => this.commits.request();
    this.state = new PendingState({
      stored: recovered.state,
      log,
      changed: due,
      damaged: ([kind]) =>
        log.error(
          { path, kind },
          "something of the engine's state is damaged on disk, and is as if it had never been kept",
        ),
    });
    this.durableState = this.state;
    this.expiry = new Expiry({ reader: this.reader, clock, limits: options.retention, totals: () => this.totals, due });
    this.commits = new GroupCommits({
      clock,
      log,
      path,
      store,
      prepare: () => this.letGo(),
      begin: () => this.begin(),
      pendingBytes: () => this.pendingBytes,
    });
    this.expiry.watch();
  }

  refusal(): Fault | undefined {
    const { maxPendingBytes = 64 * 1024 * 1024 } = this.options;
    const failure = this.failure();
    if (failure !== undefined) return notWritable(failure);
    if (this.commits.isClosing) return unavailable("The journal is being closed. Publish to the next daemon.");
    if (this.pendingBytes <= maxPendingBytes) return undefined;
    return unavailable(
      `The journal's disk is too slow: ${this.pendingBytes} bytes of events wait for it. Try again in a moment.`,
    );
  }

  append(events: readonly NewEvent[]): Appended {
    const appended = this.window.append(events);
    for (const event of appended.events) {
      this.pendingWrites.push(event);
      this.pendingBytes += blockBytesOf(event);
    }
    this.pendingCount += appended.events.length;
    this.commits.request();
    return { events: appended.events, durable: this.pending() };
  }

  durable(): Promise<void> | undefined {
    const failure = this.failure();
    if (failure !== undefined) throw notWritable(failure);
    return this.pending();
  }

  read(after: Epoch, limit: number): JournalRead {
    const { recovered } = this.options;
    if (after < this.totals.lostThrough && after < this.head()) return { kind: "gap", oldest: this.oldest() };
    const inMemory = this.window.oldest();
    // The caller has all events of earlier boots, and the window has all of this boot.
    const hasAllOlder = after >= recovered.totals.head && inMemory === recovered.firstEpoch;
    if (hasAllOlder || after + 1 >= inMemory)
      return { kind: "events", events: this.readWindow(Math.max(after, inMemory - 1), limit) };
    const older = this.reader.read(after, limit, inMemory);
    if (older.kind === "unreadable") {
      this.look();
      return { kind: "gap", oldest: inMemory };
    }
    if (older.kind === "gap") return { kind: "gap", oldest: older.oldest };
    const { events, isWhole } = older;
    if (!isWhole || events.length >= limit) return { kind: "events", events };
    return { kind: "events", events: [...events, ...this.readWindow(inMemory - 1, limit - events.length)] };
  }

  head(): Epoch {
    return this.window.head();
  }

  oldest(): Epoch {
    const inMemory = Math.max(this.window.oldest(), this.totals.lostThrough + 1);
    return Math.min(this.storedOldest()?.first ?? inMemory, inMemory);
  }

  at(epoch: Epoch, only?: JournalSelection): JournaledEvent | undefined {
    if (epoch <= this.totals.lostThrough) return undefined;
    return epoch >= this.window.oldest() ? this.window.at(epoch, only) : this.reader.at(epoch, only);
  }

  find(eventId: string): JournaledEvent | undefined {
    const epoch = this.window.epochOf(eventId);
    return epoch === undefined ? undefined : this.at(epoch);
  }

  /** Sets the limits of retention. Events beyond them go in slices, with the next groups (R34). */
  retain(limits: RetentionLimits): void {
    this.expiry.retain(limits);
  }

  status(): JournalStatus {
    const { path, policy } = this.options;
    return {
      eventCount: this.totals.eventCount + this.pendingCount,
      bytes: this.totals.bytes + this.pendingBytes,
      oldestAt: this.storedOldest()?.oldestAt ?? this.window.status().oldestAt,
      head: this.head(),
      durableEpoch: policy === "none" ? this.head() : this.written,
      failure: this.commits.failure ?? this.look(),
      disk: { path, policy },
    };
  }

  async close(): Promise<void> {
    this.expiry.stop();
    await this.commits.close();
    await this.options.closeStore();
  }

  /** Computed each time: a monotonic clock stands still while the machine sleeps, and the clock on the wall is set. */
  private wallTimeOffset(): number {
    const { clock } = this.options;
    return clock.wallTime() - clock.now();
  }

  private pending(): Promise<void> | undefined {
    return this.options.policy === "none" ? undefined : this.commits.pending();
  }

  private failure(): JournalFailure | undefined {
    return this.commits.failure ?? this.knownFailure();
  }

  private look(): JournalFailure | undefined {
    this.lookedAt = this.options.clock.now();
    this.failing = this.options.store.failure();
    return this.failing;
  }

  /** Costs nothing while all is well, but for a look a second: the caller relies on a file that is still in its place (R29). */
  private knownFailure(): JournalFailure | undefined {
    const isFresh = this.failing === undefined && this.options.clock.now() - this.lookedAt < LOOK_EVERY_MS;
    return isFresh ? undefined : this.look();
  }

  private storedOldest(): ReturnType<Expiry["oldest"]> {
    return this.knownFailure() !== undefined ? undefined : this.expiry.oldest();
  }

  private readWindow(after: Epoch, limit: number): readonly JournaledEvent[] {
    const read = this.window.read(after, limit);
    return read.kind === "events" ? read.events : [];
  }

  /** Comes before a group, which removes from the store what can no longer be read from now on (R27). */
  private letGo(): void {
    const slice = this.expiry.dueSlice(this.pendingWrites.length);
    if (slice === undefined) return;
    this.totals = slice.totals;
    this.pendingRemovals = this.pendingRemovals.concat(slice.places);
    this.reader.forgetBefore(this.totals.lostThrough + 1);
    this.expiry.changed(true);
  }

  private begin(): Group | undefined {
    const events = this.pendingWrites;
    const blocks = packBlocks(events, this.wallTimeOffset());
    const changes = this.state.take();
    const state = changes === undefined ? [] : this.state.writesOf(changes);
    const removed = this.pendingRemovals;
    this.pendingWrites = [];
    this.pendingRemovals = [];
    if (events.length === 0 && changes === undefined && removed.length === 0) return undefined;

    const last = events.at(-1)?.epoch;
    const totals: Totals = {
      eventCount: this.totals.eventCount + events.length,
      bytes: blocks.reduce((sum, { bytes: { length } }) => sum + recordBytes(length), this.totals.bytes),
      head: last ?? this.totals.head,
      lostThrough: this.totals.lostThrough,
    };
    return {
      batch: { blocks, removed, state, totals },
      written: () => {
        this.totals = totals;
        this.written = last ?? this.written;
        this.pendingCount -= events.length;
        this.pendingBytes -= events.reduce((sum, event) => sum + blockBytesOf(event), 0);
        this.expiry.changed(false);
      },
      giveBack: () => {
        this.look();
        this.pendingWrites = events.concat(this.pendingWrites);
        if (changes !== undefined) this.state.giveBack(changes);
        this.pendingRemovals = removed.concat(this.pendingRemovals);
      },
    };
  }
}
