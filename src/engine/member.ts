// One subscription's membership in the hub: its stream, its queue and budget, the view it shares, and when it is to be woken.
import type { Millis } from "../contracts/clock.js";
import type { BacklogReader } from "./backlog-reader.js";
import { createBacklogReader } from "./backlog-reader.js";
import { createDeliveryQueue } from "./delivery-queue.js";
import { type AgentEvent, type Epoch, type JournaledEvent, topicKind } from "./event.js";
import { collapse, gapOf, unitOf } from "./event-units.js";
import type { SharedView } from "./hub.js";
import type { LiveEntry } from "./live-entry.js";
import { beginEpisode, createMemberAccount, endEpisode, noteGap, noteRun } from "./member-account.js";
import type { Lag, Member, MemberServices, MemberSpec } from "./member-spec.js";
import { createRateBudget } from "./rate-budget.js";
import type { ReadingPoint } from "./reading-point.js";
import type { Stream, StreamServices, StreamTerms } from "./stream.js";
import { createStream } from "./subscription.js";
import type { Terms } from "./terms.js";
import type { View } from "./view.js";

/** How many questions it remembers before it forgets those that are resolved. */
const ASKED_KEPT_COUNT = 256;
const NO_LAG: Lag = { ms: 0, eventCount: 0 };

export function createMember(spec: MemberSpec, services: MemberServices): Member {
  let terms = spec.terms;
  let closed = false;
  let isLagging = false;
  let blockedSince: Millis | undefined;
  let blockedHead: Epoch = 0;
  // How far it lagged when it was given up.
  let lastLag = NO_LAG;
  let timer: (() => void) | undefined;
  // Epochs of the questions that it was asked.
  const asked = new Set<Epoch>();
  let pruneAt = ASKED_KEPT_COUNT;
  const account = createMemberAccount();
  const { counts } = account;
  const budget = createRateBudget(terms.maxEventsPerSecond, spec.burst, services.now());
  const queue = createDeliveryQueue({
    limit: spec.queueLimit,
    maxChars: () => terms.maxChars,
    collapseStates: (first, last) => collapse(first, last, spec.collapsedEvent, services.liveEntry),
    counts,
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
    counts,
    delivered: (unit, low) => {
      noteGap(account, unit);
      if (spec.isRemembered) spec.delivered(spec.subscriberId, unit, low, shared.view.deliveryOf);
    },
  };

  const lag = (): Lag => {
    if (blockedSince === undefined || terms.paused) return isLagging ? lastLag : NO_LAG;
    return { ms: services.now() - blockedSince, eventCount: services.journal.head() - blockedHead };
  };

  const localEntry = (event: AgentEvent, kind: JournaledEvent["kind"], epoch: Epoch): LiveEntry =>
    services.liveEntry({ event, kind, source: undefined, at: services.now(), ordinal: 0, made: "state", epoch });

  const readerFrom = (point: ReadingPoint): BacklogReader =>
    createBacklogReader(point, {
      journal: services.journal,
      openView: (wakeUps, startsAfter) => services.openPrivateView(terms, wakeUps, startsAfter),
      createWakeUps: services.createWakeUps,
      turns: services.readingTurns,
      liveEntry: services.liveEntry,
      // One that could not be asked before is asked where it stands; it was asked at once in all other cases (R28).
      asBacklog: (entry) =>
        !asked.has(entry.epoch) && spec.isOpenQuestion(entry, terms) ? entry : spec.asBacklog(entry),
      gapUnits: (after, oldest, given) =>
        spec
          .gaps(terms, after, given)
          .filter(({ epoch }) => epoch === undefined || !stream.wentAhead(epoch))
          .map(({ event }) => localEntry(event, topicKind(event.type), oldest - 1))
          .filter((live) => shared.view.terms.wants(live))
          .map((live) => ({ ...unitOf(live, shared.view, "plain"), firstEpoch: after + 1 })),
      caughtUp: (own) => rejoin(own),
      wake: () => spec.wake(),
    });

  /** Goes on in the shared view, at the same epoch; where the two hold different text, the difference is settled here. */
  const rejoin = (own: View): void => {
    const at = services.now();
    const sharedHeld = new Map(shared.view.texts.held().map((held) => [held.output, held]));
    for (const held of own.texts.held()) {
      const position = sharedHeld.get(held.output)?.position;
      if (position === undefined || position > held.position)
        own.texts.release(held.output, position ?? held.endPosition, at);
      else if (position < held.position) stream.trim(held.output, held.position);
      sharedHeld.delete(held.output);
    }
    // The private view holds nothing of these outputs, so all of their text has been given.
    for (const held of sharedHeld.values()) stream.trim(held.output, held.endPosition);
    // What was just released waits in the private log; the reader is asked for it before the shared view is.
    if (own.log.end() > own.log.start()) return;
    for (const [session, timestamp] of own.timestamps()) shared.view.noteTimestamp(session, timestamp);
    stream.moveTo({ view: shared.view, cursor: shared.view.log.end() }, undefined);
    own.close();
    endEpisode(account, spec);
  };

  const readOnFrom = (point: ReadingPoint): void => {
    stream.reader()?.close();
    stream.setFloors(point.positions);
    stream.moveTo({ view: shared.view, cursor: shared.view.log.end() }, readerFrom(point));
  };

  /** Says what stands nowhere in the journal; `firstEpoch` is the first event that it stands for. */
  const say = (event: AgentEvent, firstEpoch: Epoch): void => {
    const live = localEntry(event, topicKind(event.type), services.journal.head());
    if (shared.view.terms.wants(live)) stream.say({ ...unitOf(live, shared.view, "plain"), firstEpoch });
  };

  /** Sums up where sessions stand (R17). What follows is not told as if it had happened before. */
  const sumUp = (only?: ReadonlySet<string>): void => {
    const summaries = spec.summaries(terms, services.journal.head(), only);
    for (const event of summaries) say(event, services.journal.head() + 1);
    for (const { session_id, timestamp } of summaries) shared.view.noteTimestamp(session_id, timestamp);
  };

  /** Those that are open are remembered though it may have given up answering their kind: it can take that up again (R28). */
  const forgetResolved = (): void => {
    const everyone = { ...terms, supportsConfirmationReply: true, supportsClarificationReply: true };
    const open = new Set(spec.openQuestions(everyone).map(({ epoch }) => epoch));
    for (const epoch of asked) if (!open.has(epoch)) asked.delete(epoch);
    pruneAt = Math.max(ASKED_KEPT_COUNT, asked.size * 2);
  };

  const greet = (): void => {
    stream.askOpen(services.journal.head());
    for (const event of spec.start.first) say(event, spec.start.owedFrom);
    const only = spec.start.kind === "resume" ? spec.start.summarize : undefined;
    sumUp(only);
    const { head } = services.journal;
    const notices = spec.notices(terms, head(), only).map((event) => localEntry(event, "state.changed", head()));
    // Critical, and so at no cost (R4, R6).
    const { wants } = shared.view.terms;
    stream.urge(notices.filter(wants).map((live) => unitOf(live, shared.view, "plain")));
  };

  const cancelTimer = (): void => {
    timer?.();
    timer = undefined;
  };

  const checkLag = (): void => {
    if (blockedSince === undefined || closed || isLagging || terms.paused) return;
    const { ms, eventCount } = lag();
    if (ms < spec.lag.maxMs && eventCount < spec.lag.maxEvents) return;
    lastLag = { ms, eventCount };
    isLagging = true;
    spec.ended("lagging");
  };

  const block = (): void => {
    cancelTimer();
    blockedSince = services.now();
    blockedHead = services.journal.head();
    timer = services.wakeUps.at(blockedSince + spec.lag.maxMs, checkLag);
  };

  /** Goes on in another view with all that has not left, so that nothing leaves by the old terms (AAEP §5.7.2). */
  const moveTo = (next: SharedView): void => {
    const point = stream.point(stream.giveBack());
    const pending = stream.takePendingCriticals().map(({ entry }) => services.liveEntry(entry));
    const before = shared;
    shared = next;
    readOnFrom(point);
    services.leave(member, before);
    stream.expedite(
      pending.filter((live) => next.view.terms.wants(live)).map((live) => unitOf(live, next.view, "critical")),
    );
    stream.askOpen(services.journal.head());
  };

  /** Of sessions that a resuming subscriber did not name, it begins like any other newcomer: with the text being held (R10, R17). */
  const withHeldText = (point: ReadingPoint): ReadingPoint => {
    const { sessions } = point;
    if (sessions === undefined) return point;
    const positions = new Map(point.positions);
    let { after } = point;
    for (const held of shared.view.texts.held()) {
      if (sessions.named.has(held.session) || held.firstEpoch < services.journal.oldest()) continue;
      positions.set(held.output, held.position);
      after = Math.min(after, held.firstEpoch - 1);
    }
    return { ...point, after, positions };
  };

  const member: Member = {
    terms: () => terms,
    wake: () => {
      if (!closed) spec.wake();
    },
    take: () => {
      const now = services.now();
      const taken = stream.take(now);
      if (taken.kind === "run") {
        noteRun(account, taken.run.deliveries);
        services.noteDelivered(taken.run.deliveries.length, now);
        return taken;
      }
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
      if (blockedSince === undefined) block();
    },
    retune: (next) => {
      const now = services.now();
      const before = shared;
      const old = terms;
      budget.retune(next.maxEventsPerSecond, now);
      stream.setTerms(streamTermsOf(next), now);
      terms = next;
      const after = services.join(member, next);
      if (after !== before) moveTo(after);
      // A pause does not count as the peer's slowness (R26).
      if (blockedSince !== undefined && old.paused) block();
      shared.ready.delete(member);
      spec.wake();
    },
    skipOutput: (output) => {
      stream.skipOutput(output);
      spec.wake();
    },
    skipAll: (terminals) => {
      const { wants } = shared.view.terms;
      const reader = stream.reader();
      // Ends are told, and a loss is told whatever is skipped (R26, R27).
      const kept = stream
        .waitingUnits()
        .flatMap((unit) => (unit.kind === "event" && (unit.terminal || gapOf(unit) !== undefined) ? [unit] : []));
      if (reader !== undefined) {
        for (const entry of terminals()) {
          const live = services.liveEntry(entry);
          if (reader.owes(entry) && wants(live) && !stream.wentAhead(entry.epoch))
            kept.push(unitOf(live, shared.view, "plain"));
        }
      }
      const open = new Set(spec.openQuestions(terms).map(({ epoch }) => epoch));
      const urgent = stream.takePendingCriticals().filter((unit) => unit.terminal || open.has(unit.epoch));
      const gone = new Set(urgent.map(({ epoch }) => epoch));
      reader?.close();
      stream.forget();
      stream.moveTo({ view: shared.view, cursor: shared.view.log.end() }, undefined);
      for (const held of shared.view.texts.held()) stream.trim(held.output, held.endPosition);
      endEpisode(account, spec);
      stream.expedite(urgent);
      stream.askOpen(services.journal.head());
      for (const unit of kept) if (!gone.has(unit.epoch)) stream.say(unit);
      sumUp();
      spec.wake();
    },
    repeat: (entry) => {
      stream.urge([unitOf(services.liveEntry(entry), shared.view, "plain")]);
      spec.wake();
    },
    owedFrom: () => stream.owedFrom(),
    drain: () => {
      const now = services.now();
      const deliveries = stream.drain(now);
      noteRun(account, deliveries);
      services.noteDelivered(deliveries.length, now);
      return deliveries;
    },
    close: () => {
      if (closed) return;
      closed = true;
      cancelTimer();
      stream.reader()?.close();
      services.leave(member, shared);
    },
    isClosed: () => closed,
    cursorIn: (view, window) => {
      if (view !== shared) return undefined;
      // One that has fallen back to the journal can fall behind too far there as well (R18).
      checkLag();
      if (closed || stream.reader() !== undefined) return undefined;
      const place = stream.place();
      if (place.cursor >= window) return place.cursor;
      // A subscription that only waits for its budget takes what is about to go; it merges there as it would have merged here.
      if (
        terms.maxEventsPerSecond !== undefined &&
        !terms.paused &&
        blockedSince === undefined &&
        stream.absorb(window)
      ) {
        return stream.place().cursor;
      }
      readOnFrom(stream.point([]));
      beginEpisode(account, spec, services.now());
      return undefined;
    },
    resumeAfter: () => {
      const { view, cursor } = stream.place();
      const isOwed = stream.reader() !== undefined || stream.waiting() > 0 || cursor < view.log.end();
      const newest = isOwed ? undefined : services.journal.at(services.journal.head());
      return newest?.event.event_id ?? account.lastEventId;
    },
    status: () => {
      const reader = stream.reader();
      const { view, cursor } = stream.place();
      const untaken = reader === undefined ? view.log.end() - cursor : services.journal.head() - stream.point([]).after;
      const isHeld = stream.waiting() > 0 || untaken > 0;
      return {
        waitingCount: stream.waiting(),
        readAheadCount: reader?.released().length ?? 0,
        rememberedCount: stream.remembered(),
        behind: reader !== undefined,
        blockedSince,
        reads: reader !== undefined ? "journal" : isHeld ? "queue" : "live",
        untakenCount: untaken,
        ...account,
        lag: lag(),
      };
    },
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
  if (spec.start.kind === "resume") readOnFrom(withHeldText(spec.start.point));
  greet();
  return member;
}

function streamTermsOf(terms: Terms): StreamTerms {
  return { limited: terms.maxEventsPerSecond !== undefined, paused: terms.paused, paceWpm: terms.paceWpm };
}
