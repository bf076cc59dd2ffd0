// Reads on from the journal for one subscription that fell behind, changed its terms or resumes, through a view of its own, until it has
// caught up with the view that it shares (R17, R18, R27). Memory stays bounded: no more is read while units wait to be taken.
import type { Journal, JournalRead } from "../../contracts/journal.js";
import type { Epoch, JournaledEvent } from "../event/event.js";
import { codePointCount } from "../text/code-points.js";
import { BATCH_COUNT, type ReadTurns } from "../time/read-turns.js";
import type { Steps } from "../time/steps.js";
import type { WakeUpQueue, WakeUps } from "../time/wake-ups.js";
import type { SharedRendering } from "../views/shared-rendering.js";
import { isLocal, outputKey, type Unit } from "../views/unit.js";
import type { PrivateView, View, ViewCursor } from "../views/view.js";
import {
  type CatchUpPoint,
  catchUpPoint,
  type DeliveredBefore,
  deliveredBefore,
  type TextFloor,
  wasDelivered,
} from "./catch-up-point.js";
import type { GapEvent } from "./gap-events.js";
import type { LookingBack } from "./looking-back.js";
import type { Overtaken } from "./overtaken.js";
import { overtakenUnits } from "./superseded.js";

export interface BacklogReader {
  /** Where the next unit stands, after reading on if need be, though not to `before`; undefined while there is none. */
  readonly next: (before?: Epoch) => ViewCursor | undefined;
  /** What a critical event overtakes of what is read and not taken, and of the events shortly before it that are not read (R4). */
  readonly overtaken: (critical: JournaledEvent) => Overtaken;
  /** The point at which another reader could go on, were `queued` not given either. */
  readonly point: (
    queued: readonly Unit[],
    textFloors: ReadonlyMap<string, TextFloor>,
    skipped?: ReadonlySet<string>,
  ) => CatchUpPoint;
  /** Whether it has still to give an event that it has not read. */
  readonly owes: (entry: JournaledEvent) => boolean;
  /** What it has released and nobody took. */
  readonly released: () => readonly Unit[];
  /** Whether gaps are still to be told or taken (R27). */
  readonly isTelling: () => boolean;
  /** Whether it has stopped in the middle, so that others get their turn. It wakes its subscription to go on. */
  readonly isResting: () => boolean;
  /** Whether there is something that it has still to read. */
  readonly isReading: () => boolean;
  /** It reads whether or not it is its turn: from now on, or so many steps while this turn has room for them. */
  readonly hurry: (stepCount?: number) => void;
  readonly close: () => void;
}

export interface BacklogServices {
  readonly journal: Journal;
  /** A view of the same terms with text records and timers of its own. */
  readonly openView: (wakeUps: WakeUps, startsAfter: Epoch, sentBefore: CatchUpPoint["sent"]) => PrivateView;
  readonly createWakeUps: () => WakeUpQueue;
  readonly renderingOf: (entry: JournaledEvent) => SharedRendering;
  readonly lookBack: LookingBack;
  /** An entry as the backlog tells it; undefined for one that is not told any more (R17). */
  readonly asBacklog: (entry: JournaledEvent) => JournaledEvent | undefined;
  /** The gaps in place of the events between two epochs that aged out, each made when it is asked for (R27, R34). */
  readonly gaps: (after: Epoch, given: DeliveredBefore) => Iterable<GapEvent>;
  /** One of these, put where they would have been; undefined where its subscription does not want it, or has it. */
  readonly gapUnit: (gap: GapEvent, oldest: Epoch) => Unit | undefined;
  /** How far the view is that it is to join: it reads no further, and joins it there (R34). */
  readonly upTo: () => Epoch;
  /** Called in the moment when everything up to there has been read and taken. */
  readonly caughtUp: (own: View) => void;
  readonly turns: ReadTurns;
  /** Called when a read that took its time has ended, and when it is this reader's turn to read on. */
  readonly wake: () => void;
}

/** Most events that are read at once, also after a peer took nothing for long. */
const MOST_AT_ONCE = 2048;

export function createBacklogReader(point: CatchUpPoint, services: BacklogServices): BacklogReader {
  const wakeUps = services.createWakeUps();
  const { view, push } = services.openView(wakeUps, point.after, point.sent);
  const viewCursor: ViewCursor = { view, cursor: 0 };
  for (const [output, position] of point.positions) view.texts.beginAt(output, position);
  const last = new Map<string, JournaledEvent>();
  // Where the text ends that was read of outputs of which a part had been given.
  const ends = new Map<string, number>();
  const completed = new Set<string>();
  let after = point.after;
  // What was read and not taken, and what is left of the entry that was taken last (R34).
  let unread: readonly JournaledEvent[] = [];
  let unreadAt = 0;
  let steps: Steps | undefined;
  let telling: { readonly after: Epoch; readonly oldest: Epoch; readonly gaps: Iterator<GapEvent> } | undefined;
  let at = Number.NEGATIVE_INFINITY;
  const turn = services.turns.join(services.wake);
  let headBefore = services.journal.head();
  let inFlight = false;
  // Steps that it may take out of turn.
  let hurried = 0;
  let hurriedCount = 0;
  let closed = false;

  const take = (entry: JournaledEvent): void => {
    after = entry.epoch;
    last.set(entry.event.session_id, entry);
    // Held text is released when it would have been released, had the subscription been there.
    at = entry.at;
    wakeUps.advance(at);
    if (wasDelivered(entry, point)) {
      view.noteTimestamp(entry.event.session_id, entry.event.timestamp);
      return;
    }
    if (entry.kind === "output.streaming") noteEnd(entry);
    const told = services.asBacklog(entry);
    if (told === undefined) return;
    const rendering = services.renderingOf(told);
    steps = push(rendering, told.at);
  };

  const isInMidBatch = (): boolean => telling !== undefined || steps !== undefined || unreadAt < unread.length;

  const tellNext = ({ oldest, gaps }: NonNullable<typeof telling>): void => {
    const next = gaps.next();
    const unit = next.done === true ? undefined : services.gapUnit(next.value, oldest);
    if (next.done === true) telling = undefined;
    if (unit !== undefined) view.log.append(unit);
  };

  /** Tells one gap, takes one entry, or does one step of it. */
  const advance = (): void => {
    if (telling !== undefined) {
      tellNext(telling);
      return;
    }
    if (steps !== undefined) {
      if (steps.next().done === true) steps = undefined;
      return;
    }
    const entry = unread[unreadAt];
    unreadAt += 1;
    if (unreadAt >= unread.length) {
      unread = [];
      unreadAt = 0;
    }
    if (entry !== undefined) take(entry);
  };

  const noteEnd = ({ event }: JournaledEvent): void => {
    const key = outputKey(event);
    if (!point.positions.has(key)) return;
    if (event.complete === true) completed.add(key);
    const begin = typeof event.position === "number" ? event.position : 0;
    ends.set(key, begin + codePointCount(typeof event.chunk === "string" ? event.chunk : ""));
  };

  /** `to` is as far as there was something to read when the journal was asked. */
  const accept = (read: JournalRead, to: Epoch): boolean => {
    if (read.kind === "gap") {
      // What was read before the gap can no longer be joined with what comes after it.
      view.texts.releaseAll(at);
      const { oldest } = read;
      const gaps = services.gaps(after, deliveredBefore(point, last));
      telling = { after, oldest, gaps: gaps[Symbol.iterator]() };
      after = oldest - 1;
      return true;
    }
    unread = read.events.filter(({ epoch }) => epoch <= to);
    if (unread.length > 0) return true;
    // Between the last event of the run before and the first of this one there is nothing (R29).
    after = Math.max(after, to);
    return false;
  };

  const readsTo = (before = Number.POSITIVE_INFINITY): Epoch => Math.min(services.upTo(), before - 1);

  /** Whether it stands where the view is that it is to join; a place beyond that is one that the view has still to reach. */
  const isLevel = (): boolean => {
    const upTo = services.upTo();
    return after === upTo || (after > upTo && upTo === services.journal.head());
  };

  /** One that is hurried gives way as well, after as much as a batch: it is asked again (R34). */
  const isHurriedEnough = (): boolean => {
    hurriedCount = (hurriedCount + 1) % BATCH_COUNT;
    return hurriedCount === 0;
  };

  /** How it may read now: an end does not wait for a turn; a critical event takes what this turn has room for. */
  const permission = (isItsTurn: () => boolean): "turn" | "aside" | undefined => {
    if (hurried === Number.POSITIVE_INFINITY || isItsTurn()) return "turn";
    return hurried > 0 && turn.mayReadAside() ? "aside" : undefined;
  };

  /** Reads a batch, or goes on with one. False: there is nothing more now, or others have their turn first. */
  const readOn = (before?: Epoch): boolean => {
    if (hurried === Number.POSITIVE_INFINITY && isHurriedEnough()) return false;
    if (!isInMidBatch()) return readBatch(before);
    if (steps === undefined && before !== undefined && (unread[unreadAt]?.epoch ?? 0) >= before) return false;
    const how = permission(turn.mayGoOn);
    if (how === undefined) return false;
    if (how === "aside") hurried -= 1;
    advance();
    turn.hasRead(0);
    return true;
  };

  const readBatch = (before?: Epoch): boolean => {
    const to = readsTo(before);
    if (inFlight || closed || after >= to) return false;
    const how = permission(turn.mayRead);
    if (how === undefined) return false;
    const head = services.journal.head();
    // What was published since it last read comes on top: else one of many would never catch up while there is much to hear.
    const limit = how === "aside" ? hurried : Math.min(BATCH_COUNT + head - headBefore, MOST_AT_ONCE);
    headBefore = head;
    const read = services.journal.read(after, limit);
    if (!(read instanceof Promise)) {
      turn.hasRead(countOf(read));
      return accept(read, to);
    }
    turn.hasRead(0);
    inFlight = true;
    read.then(
      (done) => {
        inFlight = false;
        if (closed) return;
        turn.hasRead(countOf(done));
        accept(done, to);
        services.wake();
      },
      () => {
        // The journal reports its own failures; this subscription tries again when it is next woken.
        inFlight = false;
      },
    );
    return false;
  };

  return {
    next: (before) => {
      if (closed) return undefined;
      view.log.drop(viewCursor.cursor);
      while (viewCursor.cursor >= view.log.end()) {
        if (readOn(before)) continue;
        if (inFlight || isInMidBatch() || !isLevel()) return undefined;
        services.caughtUp(view);
        if (viewCursor.cursor >= view.log.end()) return undefined;
      }
      return viewCursor;
    },
    overtaken: (critical) => {
      const untaken: SharedRendering[] = [];
      for (const rendering of services.lookBack(critical)) {
        const { entry } = rendering;
        if (entry.epoch <= after || !view.terms.wants(rendering) || wasDelivered(entry, point)) continue;
        const told = entry.made === undefined && !rendering.critical ? entry : services.asBacklog(entry);
        const one = told === undefined || told === entry ? rendering : services.renderingOf(told);
        if (told !== undefined && !one.critical) untaken.push(one);
      }
      return {
        units: overtakenUnits(viewCursor, view.log.end(), critical),
        held: view.texts.heldIn(critical.event.session_id),
        untaken,
      };
    },
    point: (queued, textFloors, skipped) => {
      // Gaps that are still to be told are found again from where they begin.
      const onwards = catchUpPoint(viewCursor, queued, textFloors, skipped, {
        to: telling?.after ?? after,
        from: point,
      });
      const positions = new Map(onwards.positions);
      const resumeFloors = new Map(onwards.resumeFloors);
      const deliveredEpoch = new Map(onwards.deliveredEpoch);
      for (const [output, position] of point.positions) {
        if (positions.has(output) || completed.has(output)) continue;
        positions.set(output, Math.max(ends.get(output) ?? position, textFloors.get(output)?.position ?? 0));
        const from = point.resumeFloors?.get(output) ?? 0;
        resumeFloors.set(output, Math.max(from, after + 1));
        deliveredEpoch.set(output, textFloors.get(output)?.deliveredEpoch ?? point.deliveredEpoch?.get(output) ?? 0);
      }
      return { ...onwards, positions, resumeFloors, deliveredEpoch };
    },
    owes: (entry) => entry.epoch > after && !wasDelivered(entry, point),
    released: () => view.log.from(viewCursor.cursor),
    isTelling: () => telling !== undefined || view.log.from(viewCursor.cursor).some(isLocal),
    isResting: turn.isWaiting,
    isReading: () => inFlight || isInMidBatch() || after < readsTo(),
    hurry: (stepCount = Number.POSITIVE_INFINITY) => {
      hurried = Math.max(hurried, stepCount);
    },
    close: () => {
      closed = true;
      turn.leave();
      view.close();
    },
  };
}

function countOf(read: JournalRead): number {
  return read.kind === "events" ? read.events.length : 0;
}
