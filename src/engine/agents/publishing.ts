// The agents' side of the engine: a change of the sessions is journaled, filed and delivered, and takes effect only then (R2, R3, R8, R29).
import { Fault } from "../../base/errors.js";
import type { IdSource } from "../../base/ids.js";
import { keepNewest } from "../../base/keep-newest.js";
import type { Audit } from "../../contracts/audit.js";
import type { Clock, Millis } from "../../contracts/clock.js";
import type { Journal } from "../../contracts/journal.js";
import type { Log } from "../../contracts/log.js";
import { AWAITING_INPUT } from "../event/agent-states.js";
import type { JournaledEvent, NewEvent } from "../event/event.js";
import type { Hub } from "../hub/hub.js";
import type { NoticeFactory } from "../notices/notice-factory.js";
import type { Questions } from "../questions/questions.js";
import type { SharedConnections } from "../questions/shared-connections.js";
import type { Change, Moment } from "../sessions/change.js";
import type { OpenQuestion } from "../sessions/session-record.js";
import type { Sessions } from "../sessions/sessions.js";
import { LatencyHistogram } from "../time/latency-histogram.js";
import type { Turns } from "../time/turns.js";
import type { WakeUps } from "../time/wake-ups.js";
import { QuestionAgents } from "./question-agents.js";
import { SessionGraces } from "./session-graces.js";

export interface PublishingServices {
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly log: Log;
  readonly audit: Audit;
  readonly journal: Journal;
  readonly hub: Hub;
  readonly sessions: Sessions;
  readonly questions: Questions;
  readonly sendingTurns: Turns;
  readonly connections: SharedConnections;
  readonly notices: NoticeFactory;
  readonly wakeUps: WakeUps;
  readonly producerId: string | undefined;
  /** Read for each grace, because the value may change. */
  readonly agentGraceMs: () => Millis;
  /** Called after each append; undefined if the journal keeps nothing for the next boot. */
  readonly appended: (() => void) | undefined;
}

/** A change that was journaled. */
interface CarriedOut {
  /** The events, without the notices of questions. */
  readonly journaled: readonly JournaledEvent[];
  readonly durable: Promise<void> | undefined;
}

/** A session's agent is asked to stop at most so often, ms. A request in between changes nothing. */
const STOP_EVERY_MS = 1000;
/** Most sessions whose last request to stop is remembered. */
const MOST_STOPS_REMEMBERED = 1024;

export class Publishing {
  readonly agents: QuestionAgents;
  readonly services: PublishingServices;
  readonly graces: SessionGraces;
  private readonly stopAskedAt = new Map<string, Millis>();
  /** Latencies of the publishes of agents, from the call to the moment at which the journal's policy holds (R29). */
  readonly latency = new LatencyHistogram();
  /** The newest group of the journal, and the beginnings of the publishes in it. All of a group have the same promise. */
  private group: { readonly durable: Promise<void>; readonly begun: Millis[] } | undefined;
  private stopping: Fault | undefined;
  private isLeaving = false;

  constructor(services: PublishingServices) {
    this.services = services;
    this.agents = new QuestionAgents(services.sessions);
    this.graces = new SessionGraces(services, (sessionId) => this.end(sessionId, false));
  }

  /** Throws "shutting_down" after `stop`. */
  assertTaking(): void {
    if (this.stopping !== undefined) throw this.stopping;
  }

  /** Carries out what a connection publishes since `begunAt`. `isByToken`: it showed the token of a session, which it becomes a party of (R5). */
  publishAs(connection: object, change: Change, isByToken: boolean, begunAt: Millis): CarriedOut {
    const { connections, questions } = this.services;
    let isAudienceLost = false;
    for (const { token, sessionId } of change.asked ?? NONE) {
      this.agents.asks(token, connection);
      if (connections.tookPart(connection, sessionId)) isAudienceLost = true;
    }
    for (const { event } of isByToken ? change.events : NONE)
      if (connections.tookPart(connection, event.session_id)) isAudienceLost = true;
    const carriedOut = this.carryOut(change);
    for (const { sessionId } of change.adopted ?? NONE) this.taken(sessionId, connection, undefined);
    if (isAudienceLost) questions.audienceChanged();
    if (carriedOut.durable === undefined) this.latency.note(this.services.clock.now() - begunAt, 1);
    else this.group?.begun.push(begunAt);
    return carriedOut;
  }

  /** Journals a change and its notices in one append, so that all is accepted or nothing (R3). The sessions have asked the journal before (R29). */
  carryOut(change: Change): CarriedOut {
    const { journal, sessions, hub, appended } = this.services;
    const { asked, withdrawn, ended, warnings } = change;
    const { events, durable: ofAppend } = journal.append(
      asked ? this.withNotices(change.events, asked) : change.events,
    );
    const journaled = asked ? events.filter(({ made }) => made !== "notice") : events;
    sessions.journaled(change, journaled);
    hub.deliver(events);
    // Suppressed events append nothing, but what is remembered of them may have to be written.
    const durable = events.length === 0 ? journal.durable() : ofAppend;
    if (durable !== undefined && durable !== this.group?.durable) this.beginGroup(durable);
    appended?.();
    if (asked ?? withdrawn ?? ended ?? warnings) this.follow(change, journaled, durable);
    return { journaled, durable };
  }

  /** A connection has taken over a session, from `former` if it had an owner. */
  taken(sessionId: string, connection: object, former: object | undefined): void {
    const { sessions, questions, connections } = this.services;
    this.graces.forget(sessionId);
    const open = sessions.summary(sessionId)?.openQuestions ?? NONE;
    this.agents.inherit(connection, open, former, (token) => questions.isWaiting(token));
    if (former !== undefined) connections.sessionLost(former);
    questions.audienceChanged(sessionId);
  }

  /** Ends a connection. Outcomes go to a later owner of its sessions, like those of other questions. */
  left(connection: object): void {
    this.agents.disconnected(connection);
    const left = this.services.sessions.owners.release(connection);
    if (!this.isLeaving) for (const { sessionId } of left) this.graces.begin(sessionId);
  }

  /**
   * Refuses every later publish and takeover ("shutting_down"), because the daemon stops. With `areSessionsKept`, sessions stay open for the next
   * boot even if their agents leave (R8b); otherwise the caller ends them (R8a). Agents are informed which of the two applies.
   */
  stop(areSessionsKept: boolean): void {
    const sentence = areSessionsKept
      ? "The daemon is stopping and takes nothing more. Publish again when it has started."
      : "The daemon is stopping, and its sessions end with it. Begin another when it has started.";
    this.stopping = new Fault("shutting_down", sentence, { pointer: "", rule: areSessionsKept ? "R8b" : "R8a" });
    this.isLeaving = areSessionsKept;
    if (areSessionsKept) this.graces.close();
    this.agents.tellClosing(areSessionsKept);
  }

  /**
   * Ends an open session as if its agent had vanished (R8). If the journal does not take the end, that is logged, and the session is open in the next
   * boot.
   */
  abandon(sessionId: string, isStopping: boolean): void {
    try {
      this.end(sessionId, isStopping);
    } catch (caught) {
      this.services.log.error({ err: caught, session: sessionId }, "a session could not be ended");
    }
  }

  /**
   * Asks a session's agent to stop; it ends its session itself (R39). Throws "not_found" for a session that is not open, "unsupported" if its agent
   * cannot be asked.
   */
  requestStop(sessionId: string, by: { readonly id: string; readonly subscriberId: string }): void {
    const { sessions, clock, audit } = this.services;
    const detail = { pointer: "/session_id", rule: "R39" };
    if (sessions.timestamp(sessionId) === undefined) throw new Fault("not_found", "Name an open session.", detail);
    const owner = sessions.ownerOf(sessionId);
    const agent = owner && this.agents.find(owner);
    if (agent?.abilities.canStop !== true || agent.events === undefined)
      throw new Fault("unsupported", "Stop the agent where it runs; it cannot be asked from here.", detail);
    const now = clock.now();
    if (now - (this.stopAskedAt.get(sessionId) ?? Number.NEGATIVE_INFINITY) < STOP_EVERY_MS) return;
    this.stopAskedAt.delete(sessionId);
    this.stopAskedAt.set(sessionId, now);
    keepNewest(this.stopAskedAt, MOST_STOPS_REMEMBERED);
    agent.events.stopRequested(sessionId);
    audit.record({ kind: "stop", session_id: sessionId, subscription_id: by.id, subscriber_id: by.subscriberId });
  }

  /** Starts the graces of the previous boot's open sessions (R8). */
  restore(): void {
    const { sessions, connections } = this.services;
    for (const sessionId of sessions.openIds()) {
      this.graces.begin(sessionId);
      for (const one of sessions.processesOf(sessionId)) connections.agentProcess(one);
    }
  }

  private end(sessionId: string, isStopping: boolean): void {
    const { sessions, clock, ids } = this.services;
    if (sessions.timestamp(sessionId) === undefined) {
      this.graces.forget(sessionId);
      return;
    }
    const moment: Moment = { now: clock.now(), wallTime: clock.wallTime(), ids };
    // It ends the grace of the session, unless the journal takes nothing: then that is tried again.
    this.carryOut(sessions.abandon(sessionId, moment, isStopping));
  }

  /** The events for the journal. Each question is followed by its notice for the subscriptions that cannot answer it (R6). */
  private withNotices(events: readonly NewEvent[], asked: readonly OpenQuestion[]): readonly NewEvent[] {
    const { notices, journal } = this.services;
    const all: NewEvent[] = [];
    for (const [index, planned] of events.entries()) {
      all.push(planned);
      if (!asked.some(({ event }) => event === planned.event)) continue;
      this.despiteAccidents("a question's notice could not be made", planned.event.event_id, () => {
        const before = events[index - 1];
        const fromState = before?.made === "supplied" ? before.event.from_state : AWAITING_INPUT;
        all.push(notices.notice({ ...planned, epoch: journal.head() + all.length }, fromState));
      });
    }
    return all;
  }

  /** Carries on with the questions, the graces and the warnings of a change that was journaled. */
  private follow(change: Change, journaled: readonly JournaledEvent[], durable: Promise<void> | undefined): void {
    const { log, questions } = this.services;
    const asked: readonly OpenQuestion[] = change.asked ?? NONE;
    const withdrawn: readonly OpenQuestion[] = change.withdrawn ?? NONE;
    for (const { sessionId } of change.ended ?? NONE) this.graces.forget(sessionId);
    // The sentence may repeat the agent's words, which do not belong in a log.
    for (const { isAdvice, sentence: _, ...warning } of change.warnings ?? NONE)
      if (isAdvice) log.warn(warning, "an event goes against advice");
    const entryOf = ({ event }: OpenQuestion): JournaledEvent | undefined =>
      journaled.find((entry) => entry.event === event);
    for (const question of withdrawn) {
      // Nobody can answer a question that one publish both asks and withdraws. Its outcome is reported all the same.
      const entry = asked.includes(question) ? entryOf(question) : undefined;
      this.despiteAccidents("a question could not be withdrawn", question.event.event_id, () =>
        questions.withdrawn(question, durable, entry),
      );
    }
    for (const question of asked) {
      const entry = entryOf(question);
      if (entry === undefined || withdrawn.includes(question)) continue;
      this.despiteAccidents("a question could not be put", question.event.event_id, () =>
        questions.asked(question, entry),
      );
    }
  }

  /** A journaled event is accepted, so an error after that only goes to the log (R29). */
  private despiteAccidents(what: string, event: string, act: () => void): void {
    try {
      act();
    } catch (caught) {
      this.services.log.error({ err: caught, event }, `${what}; what was published is accepted all the same`);
    }
  }

  private beginGroup(durable: Promise<void>): void {
    const begun: Millis[] = [];
    this.group = { durable, begun };
    const measure = (): void => {
      const now = this.services.clock.now();
      for (const at of begun) this.latency.note(now - at, 1);
    };
    // Every waiting caller hears of a rejection. Without one, a rejection is no error.
    durable.then(measure, () => undefined);
  }
}

const NONE: readonly never[] = [];
