// The agents' side of the engine: a publish is planned and journaled, and takes effect only then (R2, R3, R8, R29).
import { Fault } from "../../base/errors.js";
import type { Millis } from "../../contracts/clock.js";
import { type AgentProcess, withProcess } from "../event/agent-process.js";
import { AWAITING_INPUT } from "../event/agent-states.js";
import type { JournaledEvent, NewEvent, Producer } from "../event/event.js";
import type { DurableQuestion } from "../questions/durable-questions.js";
import type { Change, Moment, PublishAnswer } from "../sessions/change.js";
import type { OpenQuestion } from "../sessions/session-record.js";
import type { LatencyCounts } from "../time/latency-histogram.js";
import type { AgentHandle, PublishedPlace } from "./agent-handle.js";
import { createPublishLatency } from "./publish-latency.js";
import type { PublishingServices } from "./publishing-services.js";
import { type AgentEvents, createQuestionAgents } from "./question-agents.js";
import { SessionGraces } from "./session-graces.js";
import { createStopRequests, type StopRequests } from "./stop-requests.js";

const FORGOTTEN = "Ask anew, with another event_id: this was asked before, and its outcome is no longer remembered.";

/** A change that was journaled. */
interface CarriedOut {
  readonly journaled: readonly JournaledEvent[];
  readonly durable: Promise<void> | undefined;
}

export interface Publishing {
  /** Opens an agent. Without `events`, news of its questions goes to the owner of their session. */
  readonly openAgent: (
    identity: Producer | undefined,
    events: AgentEvents | undefined,
    connection: object,
    processId?: number,
  ) => AgentHandle;
  /** The agent that owns the open session of this token: the handle that `openAgent` returned. */
  readonly holderOf: (resumeToken: string) => AgentHandle | undefined;
  /** Reports to the question's agent, if it is connected, that the question begins or stops to wait for a person. */
  readonly tellWaiting: (question: OpenQuestion, isWaiting: boolean) => void;
  /** Journals a change of the sessions and delivers its events. The journal takes them: the sessions have asked it (R29). */
  readonly carryOut: (change: Change) => CarriedOut;
  /**
   * Refuses every later publish and takeover ("shutting_down"), because the daemon stops. With `areSessionsKept`, sessions stay open for the next
   * boot even if their agents leave (R8b); otherwise the caller ends them (R8a). Agents are informed which of the two applies.
   */
  readonly stop: (areSessionsKept: boolean) => void;
  /**
   * Ends an open session as if its agent had vanished (R8). If the journal does not take the end, that is logged, and the session is open in the next
   * boot.
   */
  readonly abandon: (sessionId: string, isStopping: boolean) => void;
  readonly requestStop: StopRequests["request"];
  /** The instant at which the grace of a session ends (R8); undefined if none runs. */
  readonly graceUntil: (sessionId: string) => Millis | undefined;
  /** Applies a new value of `agentGraceMs` to running graces. */
  readonly graceChanged: () => void;
  /** Latencies of the publishes of agents, from the call to the acceptance. */
  readonly latencies: () => LatencyCounts;
  /** Starts the graces of the previous boot's open sessions, and reports the outcomes of these questions to their agents (R8). */
  readonly restore: (questions: readonly DurableQuestion[]) => void;
  /** Cancels the timers. Open sessions stay open for the next boot. */
  readonly close: () => void;
}

/** Stands for a connection that does not exist. */
const NOBODY = {};
const NO_TOKENS: ReadonlySet<string> = new Set();

export function createPublishing(services: PublishingServices): Publishing {
  const { clock, ids, log, journal, deliver, sessions, questions, noticeFactory, whenDurable } = services;
  // All events of a group have the same promise.
  let lastDurable: Promise<void> | undefined;

  const agents = createQuestionAgents(
    (sessionId) => sessions.ownerOf(sessionId),
    (token) => questions.isWaiting(token),
  );
  const stops = createStopRequests(clock, sessions, agents, services.audit);
  const latency = createPublishLatency(clock);

  const moment = (): Moment => ({ now: clock.now(), wallTime: clock.wallTime(), ids });

  const logAccident = (what: string, about: Readonly<Record<string, unknown>>, caught: unknown): void =>
    log.error({ err: caught, ...about }, `${what}; what was published is accepted all the same`);

  /** A journaled event is accepted, so an error after that only goes to the log (R29). */
  const despiteAccidents = (what: string, about: Readonly<Record<string, unknown>>, act: () => void): void => {
    try {
      act();
    } catch (caught) {
      logAccident(what, about, caught);
    }
  };

  /** The change's events for the journal. Each question is followed by its notice for the subscriptions that cannot answer it (R6). */
  const withNotices = ({ events, asked }: Change): readonly NewEvent[] => {
    if (asked === undefined) return events;
    const all: NewEvent[] = [];
    for (const [index, planned] of events.entries()) {
      all.push(planned);
      if (!asked.some(({ event }) => event === planned.event)) continue;
      despiteAccidents("a question's notice could not be made", { event: planned.event.event_id }, () => {
        const before = events[index - 1];
        const fromState = before?.made === "supplied" ? before.event.from_state : AWAITING_INPUT;
        all.push(noticeFactory.notice({ ...planned, epoch: journal.head() + all.length }, fromState));
      });
    }
    return all;
  };

  /** Journals a change and its notices in one append, so that all is accepted or nothing (R3), and delivers the events. */
  const append = (change: Change): CarriedOut => {
    const { events, durable: appended } = journal.append(withNotices(change));
    const journaled = change.asked === undefined ? events : events.filter(({ made }) => made !== "notice");
    sessions.journaled(change, journaled);
    deliver(events);
    // Suppressed events append nothing, but what is remembered of them may have to be written.
    const durable = events.length === 0 ? whenDurable() : appended;
    if (durable !== undefined && durable !== lastDurable) {
      lastDurable = durable;
      // Every waiting caller hears of a rejection. Without one, a rejection is no error.
      durable.catch(() => undefined);
    }
    services.appended();
    return { journaled, durable };
  };

  const carryOut = (change: Change): CarriedOut => {
    const carriedOut = append(change);
    const { asked, withdrawn } = change;
    const inOneBreath = withdrawn === undefined ? NO_TOKENS : withdraw(withdrawn, asked ?? [], carriedOut);
    for (const { sessionId } of change.ended ?? []) graces.forget(sessionId);
    for (const { sessionId } of change.adopted ?? []) graces.forget(sessionId);
    // The sentence may repeat the agent's words, which do not belong in a log.
    for (const { isAdvice, sentence: _, ...warning } of change.warnings ?? [])
      if (isAdvice) log.warn(warning, "an event goes against advice");
    if (asked !== undefined) put(asked, carriedOut, inOneBreath);
    return carriedOut;
  };

  const entryOf = ({ event }: OpenQuestion, { journaled }: CarriedOut): JournaledEvent | undefined =>
    journaled.find((entry) => entry.event === event);

  /** Reports withdrawn questions, and returns the tokens of those that this change also asked. */
  const withdraw = (
    withdrawn: readonly OpenQuestion[],
    asked: readonly OpenQuestion[],
    carriedOut: CarriedOut,
  ): ReadonlySet<string> => {
    const inOneBreath = new Set<string>();
    for (const question of withdrawn) {
      // Nobody can answer a question that one publish both asks and withdraws. Its outcome is reported all the same.
      const entry = asked.includes(question) ? entryOf(question, carriedOut) : undefined;
      if (entry !== undefined) inOneBreath.add(question.token);
      despiteAccidents("a question could not be withdrawn", { event: question.event.event_id }, () => {
        questions.withdrawn(question, carriedOut.durable, entry);
        if (entry !== undefined) questions.whenResolved(question.token, agents.tellOutcome);
      });
    }
    return inOneBreath;
  };

  const put = (asked: readonly OpenQuestion[], carriedOut: CarriedOut, inOneBreath: ReadonlySet<string>): void => {
    for (const question of asked) {
      const entry = entryOf(question, carriedOut);
      if (entry === undefined || inOneBreath.has(question.token)) continue;
      despiteAccidents("a question could not be put", { event: question.event.event_id }, () => {
        questions.asked(question, entry);
        questions.whenResolved(question.token, agents.tellOutcome);
      });
    }
  };

  const abandon = (sessionId: string, isStopping = false): void => {
    graces.forget(sessionId);
    if (sessions.summary(sessionId) !== undefined) carryOut(sessions.abandon(sessionId, moment(), isStopping));
  };

  const graces = new SessionGraces(services, (sessionId) => abandon(sessionId));

  const handles = new WeakMap<object, AgentHandle>();
  let isRefusing = false;
  let isLeaving = false;

  const stopping = (): Fault => {
    const sentence = isLeaving
      ? "The daemon is stopping and takes nothing more. Publish again when it has started."
      : "The daemon is stopping, and its sessions end with it. Begin another when it has started.";
    return new Fault("shutting_down", sentence, { pointer: "", rule: isLeaving ? "R8b" : "R8a" });
  };

  const assertTaking = (): void => {
    if (isRefusing) throw stopping();
  };

  const openAgent: Publishing["openAgent"] = (declared, events, connection, processId) => {
    let identity = declared;
    let agentLanguage: string | undefined;
    let processes: readonly AgentProcess[] = [];
    const addProcess = (pid: number | undefined, isNamed = false): void => {
      if (pid === undefined) return;
      services.agentProcess({ pid, isNamed });
      processes = withProcess(processes, { pid, isNamed });
    };
    let isListed = false;
    agents.connected(connection, events);
    const place = (answer: PublishAnswer, journaled: readonly JournaledEvent[]): PublishedPlace => {
      const entry = answer.kind === "accepted" ? journaled[answer.index] : journal.find(answer.eventId);
      const resumeToken = answer.kind === "suppressed" ? undefined : answer.resumeToken;
      return { eventId: answer.eventId, epoch: entry?.epoch ?? journal.head(), resumeToken };
    };
    const publish: AgentHandle["publish"] = (inputs, isArray, resumeToken) => {
      assertTaking();
      if (!isListed) addProcess(processId);
      isListed = true;
      const begunAt = clock.now();
      const change = sessions.publish(inputs, {
        now: begunAt,
        wallTime: clock.wallTime(),
        ids,
        agent: identity,
        agentLanguage,
        producerId: services.producerId,
        connection,
        processes,
        resumeToken,
        isArray,
        known: (eventId) => journal.find(eventId),
      });
      let isAudienceLost = false;
      for (const { token, sessionId } of change.asked ?? []) {
        agents.asks(token, connection);
        if (services.tookPart(connection, sessionId)) isAudienceLost = true;
      }
      if (resumeToken !== undefined)
        for (const { event } of change.events)
          if (services.tookPart(connection, event.session_id)) isAudienceLost = true;
      const { journaled, durable } = carryOut(change);
      for (const { sessionId } of change.adopted ?? []) {
        agents.inherit(connection, sessions.summary(sessionId)?.openQuestions ?? [], undefined);
        services.sessionTaken(sessionId, undefined);
      }
      if (isAudienceLost) services.audienceLost();
      latency.published(begunAt, durable);
      const places = change.answers.map((answer) => place(answer, journaled));
      return { events: places, resumeToken: places.find((one) => one.resumeToken !== undefined)?.resumeToken, durable };
    };
    const isTheirs = (sessionId: string, token: string, resumeToken: string | undefined): boolean =>
      sessions.belongsTo(sessionId, connection, resumeToken) || agents.isAsker(token, connection);
    /** The token of a question. If the agent gave none, and this event was asked before, it is the token of the first time (R3). */
    const tokenOf = (fields: Readonly<Record<string, unknown>>, resumeToken: string | undefined): string => {
      const { event_id: eventId, session_id: sessionId, reply_token: given } = fields;
      const known = typeof eventId === "string" ? journal.find(eventId)?.event : undefined;
      const first = known?.session_id === sessionId ? known?.reply_token : undefined;
      // Only the question's own agent may receive its outcome.
      if (typeof first === "string" && !isTheirs(String(sessionId), first, resumeToken)) {
        const sentence = "Take the session over with its resume_token first; another connection asked this.";
        throw new Fault("session_not_yours", sentence, { pointer: "/session_id", rule: "R8" });
      }
      if (typeof given === "string") return given;
      return typeof first === "string" ? first : `rpl_${ids.hex(16)}`;
    };
    const ask: AgentHandle["ask"] = (fields, done, resumeToken) => {
      const token = tokenOf(fields, resumeToken);
      const answer = agents.answer(token, connection, done);
      try {
        // A `reply_token` of the wrong type stays, so that validation refuses it.
        const sent = fields.reply_token === undefined ? { ...fields, reply_token: token } : fields;
        const receipt = publish([{ fields: sent }], false, resumeToken);
        const known = questions.outcomeOf(token);
        // The event was asked before, and its question was resolved long ago.
        if (known !== "open" && answer.forget()) {
          if (known === undefined) throw new Fault("not_found", FORGOTTEN, { pointer: "/event_id", rule: "R3" });
          done(known);
        }
        return { token, receipt };
      } catch (caught) {
        answer.forget();
        throw caught;
      }
    };
    const handle: AgentHandle = {
      publish,
      ask,
      cancel: (token, resumeToken, byHost) => {
        const question = questions.find(token);
        return (
          question !== undefined && isTheirs(question.sessionId, token, resumeToken) && questions.cancel(token, byHost)
        );
      },
      outcomeOf: (token, resumeToken) => {
        const outcome = questions.outcomeOf(token);
        const sessionId = outcome === "open" ? questions.sessionOf(token) : outcome?.question.sessionId;
        return sessions.belongsTo(sessionId, connection, resumeToken) ? outcome : undefined;
      },
      setIdentity: (producer, language) => {
        identity = producer;
        agentLanguage = language;
      },
      identity: () => identity,
      setCanStop: (canStop) => stops.setCanStop(connection, canStop),
      addProcess,
      whenDurable,
      isHolding: () => sessions.isHolder(connection) || agents.hasAsked(connection),
      resumeSession: (sessionId, resumeToken) => {
        assertTaking();
        const former = sessions.ownerOf(sessionId);
        addProcess(processId);
        const summary = sessions.resume(sessionId, resumeToken, connection, processes);
        graces.forget(sessionId);
        agents.inherit(connection, summary.openQuestions, former);
        services.sessionTaken(sessionId, former);
        return summary;
      },
      close: () => {
        // Outcomes can no longer be sent to this connection. A later owner of the session receives them like those of other questions.
        agents.disconnected(connection);
        // Records of ended sessions hold the connection's identity. Without this line, they would also keep its handle in memory.
        handles.delete(connection);
        const left = sessions.connectionEnded(connection);
        if (!isLeaving) for (const sessionId of left) graces.begin(sessionId);
      },
    };
    handles.set(connection, handle);
    return handle;
  };

  return {
    openAgent,
    holderOf: (resumeToken) => handles.get(sessions.holderOf(resumeToken) ?? NOBODY),
    carryOut,
    stop: (areSessionsKept) => {
      isRefusing = true;
      if (areSessionsKept) {
        isLeaving = true;
        graces.close();
      }
      agents.tellClosing(areSessionsKept);
    },
    abandon: (sessionId, isStopping) => {
      try {
        abandon(sessionId, isStopping);
      } catch (caught) {
        log.error({ err: caught, session: sessionId }, "a session could not be ended");
      }
    },
    tellWaiting: agents.tellWaiting,
    requestStop: stops.request,
    graceUntil: (sessionId) => graces.until(sessionId),
    graceChanged: () => graces.graceChanged(),
    latencies: latency.counts,
    restore: (restored) => {
      for (const { question } of restored) questions.whenResolved(question.token, agents.tellOutcome);
      for (const sessionId of sessions.openIds()) {
        graces.begin(sessionId);
        for (const one of sessions.processesOf(sessionId)) services.agentProcess(one);
      }
    },
    close: () => graces.close(),
  };
}
