// One subscription's membership in the hub: its stream, its queue and budget, the view it shares, and when it is to be woken.
import type { Millis } from "../contracts/clock.js";
import type { Journal } from "../contracts/journal.js";
import type { BacklogReader, ReadingPoint } from "./backlog-reader.js";
import { createBacklogReader, readingPoint } from "./backlog-reader.js";
import type { Delivery } from "./delivery.js";
import { createDeliveryQueue } from "./delivery-queue.js";
import { type AgentEvent, type Epoch, type JournaledEvent, topicKind } from "./event.js";
import type { SharedView } from "./hub.js";
import type { LiveEntry } from "./live-entry.js";
import { createRateBudget } from "./rate-budget.js";
import type { Stream, StreamServices, StreamTerms, Taken } from "./subscription.js";
import { createStream } from "./subscription.js";
import type { Terms } from "./terms.js";
import type { EventUnit, TextUnit, Unit } from "./unit.js";
import type { View } from "./view.js";
import type { WakeUpQueue, WakeUps } from "./wake-ups.js";

/** How a subscription begins: with what is live, or with what the journal holds after a point (R17). */
export type StreamStart =
  | {
      readonly kind: "live";
      /** Told before anything else: what can no longer be given, and what it led to (R17, R27). */
      readonly first: readonly AgentEvent[];
    }
  /** `summarize` names the open sessions of which the backlog tells nothing, so that they are summed up. */
  | {
      readonly kind: "resume";
      readonly point: ReadingPoint;
      readonly summarize: ReadonlySet<string>;
      readonly first?: readonly AgentEvent[];
    };

export interface LagLimits {
  /** Longest time in which the transport takes nothing, ms. */
  readonly maxMs: Millis;
  /** Most events published meanwhile. */
  readonly maxEvents: number;
}

export interface MemberSpec {
  readonly subscriptionId: string;
  readonly subscriberId: string;
  readonly terms: Terms;
  readonly start: StreamStart;
  /** Told that `take` may have something. Called often; must be cheap and must not take at once. */
  readonly wake: () => void;
  /** Told that the hub has ended it (R18). */
  readonly ended: (reason: "lagging") => void;
  readonly burst: number;
  /** Most units a subscription holds itself. Default 256. */
  readonly queueLimit: number;
  readonly lag: LagLimits;
  readonly markOvertook: (event: AgentEvent, count: number) => AgentEvent;
  readonly completeSkipped: (unit: TextUnit) => TextUnit;
  readonly collapsedEvent: (first: AgentEvent, last: AgentEvent, epoch: Epoch) => AgentEvent;
  /** What was asked and is still open, for a subscription of these terms: it leaves at once (R6, R17). */
  readonly openQuestions: (terms: Terms) => readonly JournaledEvent[];
  /** Whether a question of the journal is open, and one that these terms can answer. */
  readonly isOpenQuestion: (entry: JournaledEvent, terms: Terms) => boolean;
  /** Told of each question that left, once a subscription. */
  readonly shown: (subscriptionId: string, subscriberId: string, entry: JournaledEvent) => void;
  /** One state change for each open session, by which a newcomer knows where it stands (R17). */
  readonly summaries: (terms: Terms, epoch: Epoch, only?: ReadonlySet<string>) => readonly AgentEvent[];
  /** One for each session of which something aged out between two epochs (R27). */
  readonly gaps: (
    terms: Terms,
    after: Epoch,
    oldest: Epoch,
    last: ReadonlyMap<string, JournaledEvent>,
  ) => readonly AgentEvent[];
  /** An entry as the backlog tells it; undefined for a question, which was asked at once or has been resolved (R17). */
  readonly asBacklog: (entry: JournaledEvent) => JournaledEvent | undefined;
  /** Told what left and from where the rest would have to be read (R17). */
  readonly delivered: (subscriberId: string, unit: Unit, low: Epoch, render: (unit: Unit) => Delivery) => void;
}

export interface MemberServices {
  readonly join: (member: Member, terms: Terms) => SharedView;
  readonly leave: (member: Member, shared: SharedView) => void;
  readonly openPrivateView: (terms: Terms, wakeUps: WakeUps, startsAfter: Epoch) => View;
  readonly createWakeUps: () => WakeUpQueue;
  readonly liveEntry: (entry: JournaledEvent) => LiveEntry;
  readonly journal: Journal;
  readonly wakeUps: WakeUps;
  readonly now: () => Millis;
  readonly maxHoldMs: Millis;
}

export interface Member {
  readonly terms: () => Terms;
  readonly wake: () => void;
  /** What may leave now. A wait registers its own wake-up. */
  readonly take: () => Taken;
  /** The transport takes nothing more, or takes again. */
  readonly setBlocked: (blocked: boolean) => void;
  /** Applies new terms to everything that leaves from now on (AAEP §5.7.2). */
  readonly retune: (terms: Terms) => void;
  /** R26. Without an output: everything that waits, except what `keep` picks. */
  readonly skipOutput: (output: string) => void;
  readonly skipAll: (terminals: (after: Epoch) => readonly JournaledEvent[]) => void;
  /** Sends one event again, at once (R28). */
  readonly repeat: (entry: JournaledEvent) => void;
  /** Everything that is owed, coalesced, whatever the budget (R8a). */
  readonly drain: () => readonly Delivery[];
  readonly close: () => void;
  readonly isClosed: () => boolean;
  /** Where it stands in a view that is about to let go of units before `window`; undefined where it needs none of them any more. */
  readonly cursorIn: (shared: SharedView, window: number) => number | undefined;
  readonly status: () => MemberStatus;
}

export interface MemberStatus {
  readonly waitingCount: number;
  readonly behind: boolean;
  readonly blockedSince: Millis | undefined;
}

/** How many questions it remembers before it forgets those that are resolved. */
const ASKED_KEPT_COUNT = 256;

export function createMember(spec: MemberSpec, services: MemberServices): Member {
  let terms = spec.terms;
  let closed = false;
  let blockedSince: Millis | undefined;
  let blockedHead: Epoch = 0;
  let timer: (() => void) | undefined;
  // Epochs of the questions that it was asked.
  const asked = new Set<Epoch>();
  let pruneAt = ASKED_KEPT_COUNT;
  const budget = createRateBudget(terms.maxEventsPerSecond, spec.burst, services.now());
  const queue = createDeliveryQueue({
    limit: spec.queueLimit,
    maxChars: () => terms.maxChars,
    collapseStates: (first, last) => collapse(first, last, spec.collapsedEvent, services),
  });

  const streamServices: StreamServices = {
    markOvertook: spec.markOvertook,
    completeSkipped: spec.completeSkipped,
    maxHoldMs: services.maxHoldMs,
    openQuestions: (upTo) =>
      spec
        .openQuestions(terms)
        .filter(({ epoch }) => epoch <= upTo && !asked.has(epoch))
        .map((entry) => unitOf(services.liveEntry(entry), shared.view, "critical")),
    asked: (entry) => {
      if (asked.has(entry.epoch)) return;
      asked.add(entry.epoch);
      if (asked.size > pruneAt) forgetResolved();
      spec.shown(spec.subscriptionId, spec.subscriberId, entry);
    },
    delivered: (unit, low) => spec.delivered(spec.subscriberId, unit, low, shared.view.deliveryOf),
  };

  const eventUnit = (
    event: AgentEvent,
    kind: JournaledEvent["kind"],
    epoch: Epoch,
    role: EventUnit["role"],
  ): EventUnit => {
    const entry: JournaledEvent = {
      event,
      kind,
      source: undefined,
      at: services.now(),
      ordinal: 0,
      made: "state",
      epoch,
    };
    return unitOf(services.liveEntry(entry), shared.view, role);
  };

  const readerFrom = (point: ReadingPoint): BacklogReader =>
    createBacklogReader(point, {
      journal: services.journal,
      openView: (wakeUps, startsAfter) => services.openPrivateView(terms, wakeUps, startsAfter),
      createWakeUps: services.createWakeUps,
      liveEntry: services.liveEntry,
      // One that could not be asked before is asked where it stands; it was asked at once in all other cases (R28).
      asBacklog: (entry) =>
        !asked.has(entry.epoch) && spec.isOpenQuestion(entry, terms) ? entry : spec.asBacklog(entry),
      gapUnits: (after, oldest, last) =>
        spec.gaps(terms, after, oldest, last).map((event) => eventUnit(event, "state.changed", oldest - 1, "plain")),
      caughtUp: (own) => rejoin(own),
      wake: () => spec.wake(),
    });

  /** Goes on in the shared view, at the same epoch; where the two hold different text, the difference is settled here. */
  const rejoin = (own: View): void => {
    const at = services.now();
    const sharedHeld = new Map(shared.view.held().map((held) => [held.output, held.position]));
    for (const held of own.held()) {
      const position = sharedHeld.get(held.output);
      if (position === undefined || position > held.position)
        own.release(held.output, position ?? Number.MAX_SAFE_INTEGER, at);
      else if (position < held.position) stream.trim(held.output, held.position);
      sharedHeld.delete(held.output);
    }
    // The private view holds nothing of these outputs, so all of their text has been given.
    for (const output of sharedHeld.keys()) stream.trim(output, shared.view.endPosition(output));
    // What was just released waits in the private log; the reader is asked for it before the shared view is.
    if (own.log.end() > own.log.start()) return;
    stream.moveTo({ view: shared.view, cursor: shared.view.log.end() }, undefined);
    own.close();
  };

  const readOnFrom = (point: ReadingPoint): void => {
    stream.reader()?.close();
    for (const [output, position] of point.positions) stream.trim(output, position);
    stream.moveTo({ view: shared.view, cursor: shared.view.log.end() }, readerFrom(point));
  };

  const currentPoint = (): ReadingPoint => stream.reader()?.point() ?? readingPoint(stream.place());

  const forgetResolved = (): void => {
    const open = new Set(spec.openQuestions(terms).map(({ epoch }) => epoch));
    for (const epoch of asked) if (!open.has(epoch)) asked.delete(epoch);
    pruneAt = Math.max(ASKED_KEPT_COUNT, asked.size * 2);
  };

  const greet = (): void => {
    const head = services.journal.head();
    stream.askOpen(head);
    const first = spec.start.first ?? [];
    for (const event of first) queue.offer(eventUnit(event, topicKind(event.type), head, "plain"), false);
    const only = spec.start.kind === "resume" ? spec.start.summarize : undefined;
    for (const event of spec.summaries(terms, head, only))
      queue.offer(eventUnit(event, "state.changed", head, "plain"), false);
  };

  const cancelTimer = (): void => {
    timer?.();
    timer = undefined;
  };

  const checkLag = (): void => {
    if (blockedSince === undefined || closed) return;
    const now = services.now();
    const events = services.journal.head() - blockedHead;
    if (now - blockedSince >= spec.lag.maxMs || events >= spec.lag.maxEvents) spec.ended("lagging");
  };

  const member: Member = {
    terms: () => terms,
    wake: () => {
      if (!closed) spec.wake();
    },
    take: () => {
      const now = services.now();
      const taken = stream.take(now);
      if (taken.kind === "run") return taken;
      cancelTimer();
      shared.ready.delete(member);
      if (taken.kind === "wait") {
        timer = services.wakeUps.at(taken.until, () => {
          timer = undefined;
          spec.wake();
        });
      } else if (stream.isReady(now)) shared.ready.add(member);
      return taken;
    },
    setBlocked: (blocked) => {
      stream.markBlocked(blocked);
      if (!blocked) {
        blockedSince = undefined;
        cancelTimer();
        return;
      }
      shared.ready.delete(member);
      cancelTimer();
      blockedSince = services.now();
      blockedHead = services.journal.head();
      timer = services.wakeUps.at(blockedSince + spec.lag.maxMs, checkLag);
    },
    retune: (next) => {
      const now = services.now();
      const point = currentPoint();
      terms = next;
      budget.retune(next.maxEventsPerSecond, now);
      stream.setTerms(streamTermsOf(next), now);
      const before = shared;
      const after = services.join(member, next);
      if (after !== before) {
        services.leave(member, before);
        shared = after;
        stream.askOpen(services.journal.head());
        readOnFrom(point);
      }
      shared.ready.delete(member);
      spec.wake();
    },
    skipOutput: (output) => {
      stream.skipOutput(output);
      spec.wake();
    },
    skipAll: (terminals) => {
      const { after } = currentPoint();
      const waiting = Math.min(after, (stream.lowest() ?? after + 1) - 1);
      stream.reader()?.close();
      stream.skipHeld(() => false);
      stream.moveTo({ view: shared.view, cursor: shared.view.log.end() }, undefined);
      for (const held of shared.view.held()) stream.trim(held.output, shared.view.endPosition(held.output));
      for (const entry of terminals(waiting))
        queue.offer(unitOf(services.liveEntry(entry), shared.view, "plain"), false);
      const head = services.journal.head();
      for (const event of spec.summaries(terms, head))
        queue.offer(eventUnit(event, "state.changed", head, "plain"), false);
      spec.wake();
    },
    repeat: (entry) => {
      stream.urge([unitOf(services.liveEntry(entry), shared.view, "plain")]);
      spec.wake();
    },
    drain: () => stream.drain(services.now()),
    close: () => {
      if (closed) return;
      closed = true;
      cancelTimer();
      stream.reader()?.close();
      services.leave(member, shared);
    },
    isClosed: () => closed,
    cursorIn: (view, window) => {
      if (view !== shared || stream.reader() !== undefined) return undefined;
      const place = stream.place();
      if (place.cursor >= window) return place.cursor;
      checkLag();
      if (closed) return undefined;
      // A subscription that only waits for its budget takes what is about to go; it merges there as it would have merged here.
      if (terms.maxEventsPerSecond !== undefined && !terms.paused && blockedSince === undefined && stream.absorb()) {
        return stream.place().cursor;
      }
      readOnFrom(readingPoint(place));
      return undefined;
    },
    status: () => ({ waitingCount: stream.waiting(), behind: stream.reader() !== undefined, blockedSince }),
  };

  let shared = services.join(member, terms);
  const stream: Stream = createStream(
    { view: shared.view, cursor: shared.view.log.end() },
    undefined,
    queue,
    budget,
    streamTermsOf(terms),
    streamServices,
  );
  if (spec.start.kind === "resume") readOnFrom(spec.start.point);
  greet();
  return member;
}

function streamTermsOf(terms: Terms): StreamTerms {
  return { limited: terms.maxEventsPerSecond !== undefined, paused: terms.paused, paceWpm: terms.paceWpm };
}

function unitOf(live: LiveEntry, view: View, role: EventUnit["role"]): EventUnit {
  const { entry } = live;
  return {
    kind: "event",
    session: entry.event.session_id,
    agent: entry.event.producer.agent_id,
    at: entry.at,
    firstEpoch: entry.epoch,
    epoch: entry.epoch,
    low: entry.epoch + 1,
    role,
    terminal: false,
    entry,
    delivery: live.deliveryIn(view.terms.shape),
  };
}

function collapse(
  first: EventUnit,
  last: EventUnit,
  make: (first: AgentEvent, last: AgentEvent, epoch: Epoch) => AgentEvent,
  services: MemberServices,
): EventUnit {
  const event = make(first.delivery.event, last.delivery.event, last.epoch);
  const entry: JournaledEvent = { ...last.entry, event, source: undefined };
  const loud = first.role === "state" || last.role === "state";
  return {
    ...last,
    firstEpoch: first.firstEpoch,
    role: loud ? "state" : "background-state",
    entry,
    delivery: services.liveEntry(entry).deliveryIn({ key: "as it is", apply: (shaped) => shaped }),
  };
}
