// Reads the journal for one subscription that fell behind, changed its terms or resumes, through a private view, until it reaches the subscription's
// shared view (R17, R18, R27). Memory stays bounded: nothing is read while units wait to be taken.
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
  /** The cursor of the next unit. Reads on if necessary, but only events below the epoch `before`. Undefined if there is no unit at present. */
  readonly next: (before?: Epoch) => ViewCursor | undefined;
  /** The events that a critical event overtakes: units that were not taken, and events shortly before it that were not read (R4). */
  readonly overtaken: (critical: JournaledEvent) => Overtaken;
  /** The point from which another reader could continue. `queued` are units that were taken and not delivered. */
  readonly point: (
    queued: readonly Unit[],
    textFloors: ReadonlyMap<string, TextFloor>,
    skipped?: ReadonlySet<string>,
  ) => CatchUpPoint;
  /** Whether the reader has yet to read and deliver this event. */
  readonly owes: (entry: JournaledEvent) => boolean;
  /** Units that the reader released and the subscription has not taken. */
  readonly released: () => readonly Unit[];
  /** Whether gaps are still to be made or taken (R27). */
  readonly isTelling: () => boolean;
  /** Whether the reader has stopped so that other readers get their turn. It wakes its subscription to continue. */
  readonly isResting: () => boolean;
  /** Whether there is anything left to read. */
  readonly isReading: () => boolean;
  /** Lets the reader read out of turn: without limit, or for `stepCount` steps while the turn of the event loop has room for them. */
  readonly hurry: (stepCount?: number) => void;
  readonly close: () => void;
}

export interface BacklogServices {
  readonly journal: Journal;
  /** Opens a private view of the same terms, with text records and timers of its own. */
  readonly openView: (wakeUps: WakeUps, startsAfter: Epoch, sentBefore: CatchUpPoint["sent"]) => PrivateView;
  readonly createWakeUps: () => WakeUpQueue;
  readonly renderingOf: (entry: JournaledEvent) => SharedRendering;
  readonly lookBack: LookingBack;
  /** The form of an entry in a backlog; undefined for an entry that a backlog leaves out (R17). */
  readonly asBacklog: (entry: JournaledEvent) => JournaledEvent | undefined;
  /** The gaps for aged-out events after an epoch, each made when it is asked for (R27, R34). */
  readonly gaps: (after: Epoch, given: DeliveredBefore) => Iterable<GapEvent>;
  /** A gap as a unit in its place; undefined if the subscription does not want it, or has it already. */
  readonly gapUnit: (gap: GapEvent, oldest: Epoch) => Unit | undefined;
  /** The epoch of the shared view that the reader will join. It reads no further (R34). */
  readonly upTo: () => Epoch;
  /** Called when everything up to that epoch has been read and taken. */
  readonly caughtUp: (own: View) => void;
  readonly turns: ReadTurns;
  /** Called when an asynchronous read has ended, and when it is this reader's turn. */
  readonly wake: () => void;
}

/** Most events of one read, even after a peer took nothing for long. */
const MOST_AT_ONCE = 2048;

export function createBacklogReader(point: CatchUpPoint, services: BacklogServices): BacklogReader {
  const wakeUps = services.createWakeUps();
  const { view, push } = services.openView(wakeUps, point.after, point.sent);
  const viewCursor: ViewCursor = { view, cursor: 0 };
  for (const [output, position] of point.positions) view.texts.beginAt(output, position);
  const last = new Map<string, JournaledEvent>();
  // Ends of the text read, for outputs of which a part had been delivered before.
  const ends = new Map<string, number>();
  const completed = new Set<string>();
  let after = point.after;
  // Entries read and not taken, and the remaining steps of the entry that was taken last (R34).
  let unread: readonly JournaledEvent[] = [];
  let unreadAt = 0;
  let steps: Steps | undefined;
  let telling: { readonly after: Epoch; readonly oldest: Epoch; readonly gaps: Iterator<GapEvent> } | undefined;
  let at = Number.NEGATIVE_INFINITY;
  const turn = services.turns.join(services.wake);
  let headBefore = services.journal.head();
  let inFlight = false;
  // Number of steps that the reader may take out of turn.
  let hurried = 0;
  let hurriedCount = 0;
  let closed = false;

  const take = (entry: JournaledEvent): void => {
    after = entry.epoch;
    last.set(entry.event.session_id, entry);
    // Held text is released at the instant at which the live view would have released it.
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

  /** Makes one gap, takes one entry, or does one step of an entry. */
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

  /** Takes the result of a read. `to` is the limit of reading when the journal was asked. */
  const accept = (read: JournalRead, to: Epoch): boolean => {
    if (read.kind === "gap") {
      // Text from before the gap cannot be joined with text after it.
      view.texts.releaseAll(at);
      const { oldest } = read;
      const gaps = services.gaps(after, deliveredBefore(point, last));
      telling = { after, oldest, gaps: gaps[Symbol.iterator]() };
      after = oldest - 1;
      return true;
    }
    unread = read.events.filter(({ epoch }) => epoch <= to);
    if (unread.length > 0) return true;
    // Between the last event of the previous boot and the first of this boot there is none (R29).
    after = Math.max(after, to);
    return false;
  };

  const readsTo = (before = Number.POSITIVE_INFINITY): Epoch => Math.min(services.upTo(), before - 1);

  /**
   * Whether the reader has reached the shared view. The place can be beyond the view; the reader then waits until the view has taken the whole
   * journal.
   */
  const isLevel = (): boolean => {
    const upTo = services.upTo();
    return after === upTo || (after > upTo && upTo === services.journal.head());
  };

  /** A hurried reader also gives way after as many steps as a batch has events. Its subscription then asks again (R34). */
  const isHurriedEnough = (): boolean => {
    hurriedCount = (hurriedCount + 1) % BATCH_COUNT;
    return hurriedCount === 0;
  };

  /** The way in which the reader may read now. A stop does not wait for a turn. A critical event uses the room that this turn has. */
  const permission = (isItsTurn: () => boolean): "turn" | "aside" | undefined => {
    if (hurried === Number.POSITIVE_INFINITY || isItsTurn()) return "turn";
    return hurried > 0 && turn.mayReadAside() ? "aside" : undefined;
  };

  /** Reads a batch, or continues with one. Returns false if there is nothing to read, or if other readers have their turn first. */
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
    // Events published since the last read are added to the limit. Otherwise a reader among many would never catch up with a busy journal.
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
        // The journal reports its own failures. This subscription tries again when it is woken next.
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
      // Gaps that were not made yet are found again from their beginning.
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
