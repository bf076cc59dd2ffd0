// Up to where each subscriber has been given everything, kept for the next run at least every second while it moves (R17): whoever comes back after a
// kill with the id of an event that the disk never had is read to from there.
import type { Clock, Millis } from "../../contracts/clock.js";
import type { KeptState } from "../../contracts/journal.js";
import type { Log } from "../../contracts/log.js";
import { orderedReturn } from "../catch-up/ordered-return.js";
import type { Epoch } from "../event/event.js";
import type { Member } from "../hub/member-spec.js";
import { readKept } from "../journal/kept-entry.js";
import type { WakeUps } from "../time/wake-ups.js";

type Owed = Pick<Member, "owedFrom">;
type Opened = Owed & Pick<Member, "readsBack" | "keepOrder" | "placeKept" | "placeRefused">;

export interface SubscriberLows {
  /**
   * A subscription begins, and nothing was taken from it yet. Where it is owed more than the disk remembers, it keeps the order of the journal until
   * the disk has that.
   */
  readonly opened: (subscriberId: string, subscription: Opened) => void;
  /** It ends, and answers once more. */
  readonly left: (subscriberId: string, subscription: Owed) => void;
  /** Something was published or taken: what has moved is kept within a second. Cheap. */
  readonly moved: () => void;
  /** The lowest epoch that a subscriber was owed when the run before ended. */
  readonly before: (subscriberId: string) => Epoch | undefined;
  /**
   * The lowest epoch that a subscriber of the run before is owed, also while it is there. An event that the disk never had may be published again:
   * its id is one of this run then, and who names it may have had it in the run before.
   */
  readonly returning: (subscriberId: string) => Epoch | undefined;
  /** What it was owed in the run before, or where it was not there, what it is owed. */
  readonly known: (subscriberId: string) => Epoch | undefined;
  /** Forgets who has not been there since, milliseconds since 1970. */
  readonly forget: (before: number) => void;
  /** Keeps what has moved, and lets go of the clock. */
  readonly close: () => void;
}

export interface SubscriberLowsServices {
  readonly kept: KeptState;
  readonly log: Pick<Log, "error">;
  readonly clock: Pick<Clock, "now" | "wallTime">;
  readonly wakeUps: WakeUps;
  /** The last epoch that the disk has. */
  readonly safe: () => Epoch;
  /** As `EngineSubscription.safety`. */
  readonly safety: () => Promise<void> | undefined;
  /** Told to keep what else has moved. */
  readonly keepMoved: () => void;
}

interface Row {
  readonly subscriberId: string;
  readonly bucket: Bucket;
  low: Epoch;
  /** The disk has no later place than this; above all where it may have none. */
  highest: Epoch;
  /** The highest that was noted since the first of those that wait for the disk to have a lower one. */
  peak: Epoch;
  waitingCount: number;
  /** As the run before left it. */
  readonly before: Epoch | undefined;
  /** When it last moved, milliseconds since 1970. */
  at: number;
  /** It has been there in this run. */
  isBack: boolean;
  present: readonly Owed[];
}

/** Subscribers that are kept as one value: ten thousand that move are some hundred writes. */
interface Bucket {
  readonly number: number;
  readonly rows: Set<Row>;
  isOwed: boolean;
}

type RowRecord = readonly [subscriberId: string, low: Epoch, at: number];

const KEEP_EVERY_MS: Millis = 1000;
const ROWS_PER_BUCKET = 64;
/** Subscribers that are remembered while they are away; the one that came or went longest ago goes first. */
const SUBSCRIBERS_KEPT = 16_384;

const NOBODY_WAITS: Pick<Opened, "placeKept" | "placeRefused"> = { placeKept: () => {}, placeRefused: () => false };

export function createSubscriberLows(services: SubscriberLowsServices): SubscriberLows {
  const { kept, clock, wakeUps } = services;
  // In the order of their last coming or going.
  const rows = new Map<string, Row>();
  const present = new Set<Row>();
  const spare = new Set<Bucket>();
  let bucketCount = 0;
  let isClosed = false;
  let cancel: (() => void) | undefined;
  const retries = new Set<() => void>();

  const owe = (bucket: Bucket): void => {
    if (bucket.isOwed) return;
    bucket.isOwed = true;
    kept.put(["low", bucket.number], () => {
      bucket.isOwed = false;
      if (bucket.rows.size === 0) return undefined;
      return [...bucket.rows].map(({ subscriberId, low, at }): RowRecord => [subscriberId, low, at]);
    });
  };

  const add = (subscriberId: string, low: Epoch, at: number, before?: Epoch): Row => {
    const [free] = spare;
    const bucket = free ?? { number: bucketCount, rows: new Set<Row>(), isOwed: false };
    if (free === undefined) bucketCount += 1;
    const highest = before ?? Number.POSITIVE_INFINITY;
    const row: Row = {
      subscriberId,
      bucket,
      low,
      highest,
      peak: low,
      waitingCount: 0,
      at,
      before,
      isBack: false,
      present: [],
    };
    bucket.rows.add(row);
    if (bucket.rows.size >= ROWS_PER_BUCKET) spare.delete(bucket);
    else spare.add(bucket);
    rows.set(subscriberId, row);
    return row;
  };

  const remove = (row: Row): void => {
    rows.delete(row.subscriberId);
    row.bucket.rows.delete(row);
    spare.add(row.bucket);
    owe(row.bucket);
  };

  const note = (row: Row, low: Epoch): void => {
    if (low === row.low) return;
    row.low = low;
    row.highest = Math.max(row.highest, low);
    row.peak = Math.max(row.peak, low);
    row.at = clock.wallTime();
    owe(row.bucket);
  };

  /** One has come or is about to go; of the others it is enough that they are owed no less than when they were last looked at. */
  const noteOne = (row: Row, subscription: Owed): void =>
    note(row, Math.min(row.present.length > 1 ? row.low : Number.POSITIVE_INFINITY, subscription.owedFrom()));

  /** Learns when the disk has a subscriber's place, and tells the subscription that waits for that. */
  const secure = (row: Row, subscription: Pick<Opened, "placeKept" | "placeRefused">): void => {
    if (row.waitingCount === 0) row.peak = row.low;
    row.waitingCount += 1;
    const placeKept = (): void => {
      row.waitingCount -= 1;
      row.highest = row.peak;
      subscription.placeKept();
    };
    const placeRefused = (): void => {
      row.waitingCount -= 1;
      if (!subscription.placeRefused() || isClosed) return;
      const cancelRetry = wakeUps.at(clock.now() + KEEP_EVERY_MS, () => {
        retries.delete(cancelRetry);
        secure(row, subscription);
      });
      retries.add(cancelRetry);
    };
    let safety: Promise<void> | undefined;
    try {
      safety = services.safety();
    } catch {
      // The disk takes nothing; whoever publishes is told why.
      placeRefused();
      return;
    }
    if (safety === undefined) placeKept();
    else safety.then(placeKept, placeRefused);
  };

  const comeBack = (row: Row, subscription: Opened): void => {
    const owedFrom = subscription.owedFrom();
    if (owedFrom >= row.highest || !subscription.readsBack()) return;
    const order = orderedReturn(owedFrom, row.highest, services.safe());
    if (order === undefined) return;
    subscription.keepOrder(order);
    secure(row, subscription);
  };

  const keepAll = (): void => {
    cancel = undefined;
    for (const row of present) {
      let low = Number.POSITIVE_INFINITY;
      for (const subscription of row.present) low = Math.min(low, subscription.owedFrom());
      note(row, low);
    }
    services.keepMoved();
  };

  /** Moves it to the end of the order. */
  const touch = (row: Row): void => {
    rows.delete(row.subscriberId);
    rows.set(row.subscriberId, row);
  };

  const makeRoom = (): void => {
    for (const row of rows.values()) {
      if (rows.size <= SUBSCRIBERS_KEPT) return;
      if (row.present.length === 0) remove(row);
    }
  };

  const restore = (): void => {
    const found: RowRecord[] = [];
    readKept(kept, ["low"], services.log, (value, key) => {
      found.push(...(value as readonly RowRecord[]));
      // They are filled anew.
      kept.put(key, () => undefined);
    });
    found.sort((a, b) => a[2] - b[2]);
    for (const [subscriberId, low, at] of found.slice(-SUBSCRIBERS_KEPT)) owe(add(subscriberId, low, at, low).bucket);
  };
  restore();

  return {
    opened: (subscriberId, subscription) => {
      if (!kept.isKept) return;
      const known = rows.get(subscriberId);
      const row = known ?? add(subscriberId, subscription.owedFrom(), clock.wallTime());
      touch(row);
      row.isBack = true;
      row.present = [...row.present, subscription];
      present.add(row);
      if (known === undefined) owe(row.bucket);
      noteOne(row, subscription);
      comeBack(row, subscription);
      if (row.highest === Number.POSITIVE_INFINITY && row.waitingCount === 0) secure(row, NOBODY_WAITS);
      makeRoom();
    },
    left: (subscriberId, subscription) => {
      const row = rows.get(subscriberId);
      if (row?.present.includes(subscription) !== true) return;
      noteOne(row, subscription);
      services.keepMoved();
      row.present = row.present.filter((one) => one !== subscription);
      if (row.present.length > 0) return;
      present.delete(row);
      touch(row);
    },
    moved: () => {
      if (cancel !== undefined || present.size === 0 || isClosed) return;
      cancel = wakeUps.at(clock.now() + KEEP_EVERY_MS, keepAll);
    },
    before: (subscriberId) => rows.get(subscriberId)?.before,
    returning: (subscriberId) => {
      const row = rows.get(subscriberId);
      return row?.before === undefined || row.isBack === false ? row?.before : row.low;
    },
    known: (subscriberId) => {
      const row = rows.get(subscriberId);
      return row?.before ?? row?.low;
    },
    forget: (before) => {
      for (const row of rows.values()) if (row.present.length === 0 && row.at < before) remove(row);
    },
    close: () => {
      isClosed = true;
      cancel?.();
      for (const cancelRetry of retries) cancelRetry();
      keepAll();
    },
  };
}
