// From where a subscription that comes back must be read (R17): repeats are possible, gaps are not.
import type { Journal, KeptState } from "../../contracts/journal.js";
import type { Log } from "../../contracts/log.js";
import { epochOfDerivedId } from "../event/derived-id.js";
import type { Epoch, JournaledEvent } from "../event/event.js";
import type { EpochRuns } from "../journal/epoch-runs.js";
import { readKept } from "../journal/kept-entry.js";
import type { RunLows } from "../views/run-lows.js";
import { createNamedReturns } from "./named-returns.js";
import { createOutputSpans } from "./output-spans.js";
import type { SubscriberLows } from "./subscriber-lows.js";
import { type Point, SubscriberPoints } from "./subscriber-points.js";

export interface ResumePoints {
  /** Notes the beginning and the end of outputs, as they are published. */
  readonly published: (entry: JournaledEvent) => void;
  /** `low`: the lowest epoch that was still owed when the event of `epoch` went out. */
  readonly delivered: (subscriberId: string, sessionId: string, eventId: string, low: Epoch, epoch: Epoch) => void;
  /** A connection has ended, and these were the last runs that left over it as others got them. */
  readonly ran: (subscriberId: string, runs: readonly RunLows[]) => void;
  /** The epoch after which to read for a subscriber that names `eventId` as its last; undefined where nothing is known of it. */
  readonly after: (subscriberId: string, eventId: string, sessionId: string | undefined) => Epoch | undefined;
  /** A subscriber that named `eventId` is read to from the epoch after `after`: if it names that again, it is read to from there again. */
  readonly returned: (subscriberId: string, eventId: string, after: Epoch) => void;
  /** Whether that is known of the id itself, and not only of where the subscriber was last. */
  readonly knows: (subscriberId: string, eventId: string) => boolean;
  readonly forgetSession: (sessionId: string) => void;
  /** Outputs of which it is remembered where they began: those that are open or ended within the journal's window, and at most as many again. */
  readonly outputCount: () => number;
  /** Keeps for the next run what was delivered since it was last called. */
  readonly keepMoved: () => void;
  /** Takes over the points of the run before, of sessions that are known. */
  readonly restore: (isKnown: (sessionId: string) => boolean) => void;
}

export interface ResumePointsServices {
  readonly journal: Pick<Journal, "find" | "head" | "oldest">;
  readonly kept: KeptState;
  readonly log: Pick<Log, "error">;
  readonly runs: Pick<EpochRuns, "isBefore">;
  readonly lows: Pick<SubscriberLows, "before" | "returning" | "known">;
}

/** Subscribers whose points are remembered; the one that was silent longest goes first. */
const SUBSCRIBERS_KEPT = 1000;
/** Points of all subscribers together, some 10 MiB, the events of runs among them; the subscriber that was silent longest goes first. */
const POINTS_KEPT = 65_536;

export function createResumePoints(services: ResumePointsServices): ResumePoints {
  const { journal, kept, log, runs, lows } = services;
  const points = new Map<string, SubscriberPoints>();
  let pointCount = 0;
  // What was delivered and is not kept yet: the sessions of each subscriber.
  const moved = new Map<string, Set<string>>();
  // Of whom anything is kept.
  const onDisk = new Set<string>();
  const returns = createNamedReturns(kept, log);
  const spans = createOutputSpans({ journal, kept, log, isBefore: runs.isBefore });

  /** Known of the id itself: as it went to this subscriber, or as it stands in the journal. */
  const afterId = (subscriberId: string, eventId: string, sessionId: string | undefined): Epoch | undefined => {
    const whole = journal.find(eventId)?.epoch;
    const epoch = whole ?? epochOfDerivedId(eventId);
    // Where it went out again and nothing of that is kept: in the order of the journal, or owed no less than was kept.
    const again = Math.min(
      (epoch ?? Number.POSITIVE_INFINITY) + 1,
      lows.before(subscriberId) ?? Number.POSITIVE_INFINITY,
    );
    const exact = points.get(subscriberId)?.lowOf(eventId, again);
    if (exact !== undefined) return exact - 1;
    if (epoch === undefined || epoch > journal.head()) return undefined;
    const after = spans.beforeOpen(epoch, sessionId, whole === undefined);
    // Of the last second of the run before it is not known what went ahead of what.
    const low = runs.isBefore(epoch) ? lows.before(subscriberId) : lows.returning(subscriberId);
    return low === undefined ? after : Math.min(after, low - 1);
  };

  /** Whether its place in the journal would not tell what was owed when it went out. */
  const wentAhead = ({ low, epoch }: Point, sessionId: string): boolean =>
    epoch === undefined || (low <= epoch && spans.beforeOpen(epoch, sessionId, false) >= low);

  const lastKnown = (subscriberId: string, sessionId: string | undefined): Epoch | undefined => {
    const low = lows.known(subscriberId) ?? points.get(subscriberId)?.lastLow(sessionId);
    return low === undefined ? undefined : low - 1;
  };

  // Goes on where it stopped. From the beginning, each time it would have to pass over all that was moved to the end before.
  let silent = points.keys();

  const forgetMostSilent = (): void => {
    let next = silent.next();
    if (next.done === true) {
      silent = points.keys();
      next = silent.next();
    }
    if (next.done === true) return;
    pointCount -= points.get(next.value)?.count() ?? 0;
    points.delete(next.value);
    moved.delete(next.value);
    if (onDisk.delete(next.value)) kept.removeAll(["point", next.value]);
  };

  const makeRoom = (): void => {
    while (points.size > SUBSCRIBERS_KEPT || (pointCount > POINTS_KEPT && points.size > 1)) forgetMostSilent();
  };

  /** Moved to the end, so that the order is that of the last delivery. */
  const atEnd = (subscriberId: string): SubscriberPoints => {
    const known = points.get(subscriberId) ?? new SubscriberPoints();
    points.delete(subscriberId);
    points.set(subscriberId, known);
    return known;
  };

  return {
    published: spans.published,
    delivered: (subscriberId, sessionId, eventId, low, epoch) => {
      const known = atEnd(subscriberId);
      const before = known.count();
      const reduced = known.delivered(sessionId, { eventId, low, epoch }, wentAhead);
      if (kept.isKept) {
        const theirs = moved.get(subscriberId) ?? new Set();
        moved.set(subscriberId, theirs.add(sessionId));
        for (const one of reduced) theirs.add(one);
      }
      pointCount += known.count() - before;
      makeRoom();
    },
    ran: (subscriberId, runs) => {
      if (runs.length === 0) return;
      const known = atEnd(subscriberId);
      const before = known.count();
      known.ran(runs);
      pointCount += known.count() - before;
      makeRoom();
    },
    after: (subscriberId, eventId, sessionId) => {
      const after = afterId(subscriberId, eventId, sessionId) ?? lastKnown(subscriberId, sessionId);
      const before = returns.after(subscriberId, eventId);
      return after === undefined || before === undefined ? (after ?? before) : Math.min(after, before);
    },
    returned: (subscriberId, eventId, after) => {
      const place = journal.find(eventId)?.epoch;
      // Where nothing before the event was owed, its place says as much.
      if (place === undefined || after < place) returns.note(subscriberId, eventId, after);
    },
    knows: (subscriberId, eventId) => afterId(subscriberId, eventId, undefined) !== undefined,
    outputCount: spans.count,
    forgetSession: (sessionId) => {
      spans.forgetSession(sessionId);
      for (const [subscriberId, known] of points) {
        const before = known.count();
        if (known.forget(sessionId)) kept.put(["point", subscriberId, sessionId], () => undefined);
        pointCount += known.count() - before;
      }
    },
    keepMoved: () => {
      for (const [subscriberId, sessionIds] of moved) {
        for (const sessionId of sessionIds) {
          const all = (points.get(subscriberId)?.of(sessionId) ?? []).flatMap(({ eventId, low }) => [eventId, low]);
          onDisk.add(subscriberId);
          kept.put(["point", subscriberId, sessionId], () =>
            all.length === 0 ? undefined : [subscriberId, sessionId, ...all],
          );
        }
      }
      moved.clear();
    },
    restore: (isKnown) => {
      returns.restore();
      const found: { readonly subscriberId: string; readonly sessionId: string; readonly all: readonly Point[] }[] = [];
      readKept(kept, ["point"], log, (value) => {
        const [subscriberId, sessionId, ...rest] = value as readonly (string | number)[];
        if (!isKnown(String(sessionId)))
          return kept.put(["point", String(subscriberId), String(sessionId)], () => undefined);
        const all: Point[] = [];
        for (let index = 0; index + 1 < rest.length; index += 2)
          all.push({ eventId: String(rest[index]), low: Number(rest[index + 1]) });
        found.push({ subscriberId: String(subscriberId), sessionId: String(sessionId), all });
      });
      // They come back by name; what is forgotten first is what was delivered longest ago.
      found.sort((a, b) => (a.all.at(-1)?.low ?? 0) - (b.all.at(-1)?.low ?? 0));
      for (const { subscriberId, sessionId, all } of found) {
        atEnd(subscriberId).restore(sessionId, all);
        pointCount += all.length;
        onDisk.add(subscriberId);
      }
    },
  };
}
