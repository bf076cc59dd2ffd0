// The engine: agents publish into it, and each subscription takes the stream that it negotiated. It joins sessions (which event may be published),
// the journal (in which order), questions (which subscription must answer) and the hub (which subscriptions get an event). It knows no format and no
// clock, draws no random number and does no I/O: handles return at once, time comes from the clock passed in, and subscriptions are pulled.
import { Fault } from "../base/errors.js";
import { within } from "../base/time-limit.js";
import { AgentHandle } from "./agents/agent-handle.js";
import { Publishing } from "./agents/publishing.js";
import type { AgentEvents } from "./agents/question-agents.js";
import type { EngineOptions, EngineServices } from "./engine-options.js";
import { createEngineAccounts, type EngineAccounts, type EngineStatus } from "./engine-status.js";
import { createEngineStop, type EngineStop } from "./engine-stop.js";
import { type AgentEvent, isQuestionKind, type JournaledEvent, type Producer } from "./event/event.js";
import { Hub } from "./hub/hub.js";
import { askedOf } from "./journal/asked-journal.js";
import { createEpochBoots } from "./journal/epoch-boots.js";
import { NoticeFactory } from "./notices/notice-factory.js";
import { durableQuestions } from "./questions/durable-questions.js";
import { Questions } from "./questions/questions.js";
import { SharedConnections } from "./questions/shared-connections.js";
import type { Moment } from "./sessions/change.js";
import { Sessions } from "./sessions/sessions.js";
import type { SubscribeSpec } from "./subscribe-spec.js";
import { startAt } from "./subscriptions/resume.js";
import { Subscription, type SubscriptionServices } from "./subscriptions/subscription.js";
import type { NamedSubscription, RefusedReply } from "./subscriptions/subscription-spec.js";
import { type AbleSubscriptions, canAnswerEvent, countAble } from "./terms/answering.js";
import { applyShape, shapeOf } from "./terms/shape.js";
import type { Terms } from "./terms/terms.js";
import { createReadTurns } from "./time/read-turns.js";
import { createTurnRoom } from "./time/turn-room.js";
import { createTurnSlices, type TurnSlices } from "./time/turn-slices.js";
import { wakeUpsOf } from "./time/wake-ups.js";

export interface Engine
  extends Pick<EngineAccounts, "report" | "refused" | "publishRefused" | "limits">,
    Pick<EngineStop, "endSessions" | "leaveSessionsOpen"> {
  /**
   * Opens an agent. Without `events`, news of its questions goes to the owner of their session. `connection` is the agent's connection if
   * subscriptions may open on it too; their `SubscribeSpec` then names the same object (R5). Ended sessions hold this object, so it must not refer to
   * anything large. `processId`: the process of the agent's connection (R5d).
   */
  readonly openAgent: (
    identity: Producer | undefined,
    events: AgentEvents | undefined,
    connection?: object,
    processId?: number,
  ) => AgentHandle;
  /** The agent that owns the open session of this token: the handle that `openAgent` returned (R8). */
  readonly holderOf: (resumeToken: string) => AgentHandle | undefined;
  /** Records, for the audit log, a reply over a connection without a subscription. */
  readonly strayReply: (fate: "wrong_subscription" | "malformed", token: string, raw: unknown) => void;
  /**
   * Returns a promise that resolves when all that was journaled so far is safe; undefined if it is safe already. Throws or rejects while the journal
   * fails (R29).
   */
  readonly whenDurable: () => Promise<void> | undefined;
  /** Opens a subscription. Throws "rate_limit" if there are too many already. */
  readonly subscribe: (spec: SubscribeSpec) => Subscription;
  /** Applies new values of the options to everything that waits by them. */
  readonly limitsChanged: () => void;
  /** Whether open sessions and questions can be left to the next boot. */
  readonly keepsSessions: boolean;
  /** Does work in the slices of the engine's turns, in order: for what ends in a protocol, and may end all at once (R34). */
  readonly inTurn: TurnSlices["add"];
  /** Resolves when all consequences of the accepted events are done, waiting slices included (R34). */
  readonly settled: () => Promise<void>;
  /**
   * Closes the journal and cancels all timers, once no agent publishes and no subscription listens. After that, nothing of the engine keeps the
   * process alive.
   */
  readonly close: () => Promise<void>;
  readonly status: () => EngineStatus;
}

export function createEngine(services: EngineServices, options: EngineOptions): Engine {
  const { clock, ids, log } = services;
  const wakeUps = wakeUpsOf(clock);
  const slices = createTurnSlices(clock, (caught) =>
    log.error({ err: caught }, "what was to be done for many at once failed for one"),
  );
  const journal = services.createJournal(() => {});
  const { durableState } = journal;
  const boots = createEpochBoots(journal, log);
  const { whenDurable, refusal } = askedOf(journal);
  const notices = new NoticeFactory(ids, options.defaultLanguage);
  const sessions = new Sessions({
    limits: options,
    isRecording: options.isRecording ?? false,
    refusal,
    checkQuestionRoom: (asked) => questions.checkRoom(asked),
    validate: services.validate,
    defaultLanguage: options.defaultLanguage,
    summary: (text) => notices.madeSummary(text),
    hashToken: services.idServices.sha256Hex,
    forgotten: (sessionId) => questions.forgetSession(sessionId),
    hasAnswered: (connection, sessionId) => connections.hasAnswered(connection, sessionId),
    durableState,
    log,
  });

  const moment = (): Moment => ({ now: clock.now(), wallTime: clock.wallTime(), ids });

  const shapeEvent = (event: AgentEvent, terms: Terms): AgentEvent =>
    applyShape(event, shapeOf(terms), options.defaultLanguage);

  const subscriptions = new Set<Subscription>();
  const hub = new Hub(
    { journal, steps: boots, log, segmenter: services.segmenter, clock, wakeUps, ids: services.idServices },
    options,
  );

  const connections = new SharedConnections(sessions);

  const countAbleNow = (): AbleSubscriptions => countAble([...subscriptions].map((one) => one.terms));

  // Sessions of the previous boot, while their listeners may be on the way back.
  const fromBefore = new Set<string>();
  let returnUntil = Number.NEGATIVE_INFINITY;
  const questions = new Questions({
    wakeUps,
    now: clock.now,
    wallTime: clock.wallTime,
    limits: options,
    audit: services.audit,
    isAgentAway: (sessionId) => publishing.graceUntil(sessionId) !== undefined,
    returnUntil: (sessionId) => {
      if (clock.now() >= returnUntil) fromBefore.clear();
      return fromBefore.has(sessionId) ? returnUntil : Number.NEGATIVE_INFINITY;
    },
    countAble: countAbleNow,
    resolve: (question, result) => {
      const resolution = notices.resolution(question, result);
      return publishing.carryOut(sessions.resolve(question.sessionId, question.token, resolution, moment())).durable;
    },
    remind: (question, passed, remainingSeconds) => {
      const fields = notices.reminder(question, passed, remainingSeconds);
      publishing.carryOut(sessions.remind(question.sessionId, question.token, fields, moment()));
    },
    waiting: (question, isWaiting) => publishing.agents.tellWaiting(question, isWaiting),
    resolved: (resolved) => publishing.agents.tellOutcome(resolved),
    durableState,
    whenDurable,
    accident: (caught) => log.error({ err: caught }, "somebody could not be told the outcome of a question"),
  });

  const publishing = new Publishing({
    ...services,
    journal,
    deliver: (entries) => hub.deliver(entries),
    sessions,
    questions,
    connections,
    notices,
    wakeUps,
    whenDurable,
    producerId: options.producerId,
    agentGraceMs: () => options.agentGraceMs,
    appended: boots.appended,
  });
  const handles = new Map<object, AgentHandle>();

  const accounts = createEngineAccounts(
    {
      clock,
      log,
      journal,
      hub,
      sessions,
      questions,
      graceUntil: (id) => publishing.graceUntil(id),
      publishLatencies: () => publishing.latencies(),
      countAble: countAbleNow,
    },
    options,
  );

  /** Records a reply that reached no question: it is malformed, or names another subscription. */
  const recordReply = ({ fate, token, raw, pointer }: RefusedReply, by: NamedSubscription): void =>
    services.audit.record({
      kind: "reply",
      fate,
      ...(pointer === undefined ? undefined : { pointer }),
      reply_token: token,
      token_is_open: questions.find(token) !== undefined,
      subscription_id: by.id,
      subscriber_id: by.subscriberId,
      reply: raw,
    });

  const settled = (): Promise<void> => slices.settled();
  const stop = createEngineStop({ afterTurn: clock.afterTurn, sessions, publishing, questions, settled, whenDurable });

  /** A question is found while it is open, for those who can answer it: one that is over is not asked again (R6). */
  const eventToRepeat = (eventId: string, terms: Terms): JournaledEvent => {
    const open = questions.entryOf(eventId);
    const entry = open ?? journal.find(eventId);
    const isOver =
      entry !== undefined && isQuestionKind(entry.kind) && (open === undefined || !canAnswerEvent(terms, open));
    if (entry !== undefined && !isOver) return entry;
    throw new Fault(
      "not_found",
      "Name an event that the journal still holds by the id that its agent gave it, or a question that is open.",
      { pointer: "/event_id", rule: "R28" },
    );
  };

  const subscriptionServices: SubscriptionServices = {
    hub,
    journal,
    steps: boots,
    readTurns: createReadTurns(clock, createTurnRoom(clock, options.turnRoomMs)),
    ids: services.idServices,
    wakeUps,
    now: clock.now,
    limits: options,
    notices,
    sessions: {
      openIds: () => sessions.openIds(),
      summary: (sessionId) => sessions.summary(sessionId),
      lastEnd: () => sessions.terminals().at(-1)?.event,
      endsAfter: (epoch) => sessions.terminals().filter((end) => end.epoch > epoch),
    },
    isOutputOpen: (sessionId, outputId) => sessions.isOutputOpen(sessionId, outputId),
    eventToRepeat,
    opened: (subscription) => {
      subscriptions.add(subscription);
      accounts.opened(subscription);
    },
    closed: (subscription, reason) => {
      subscriptions.delete(subscription);
      accounts.closed(subscription, reason);
    },
    pace: accounts.pace,
    isLeaving: stop.isLeaving,
    questions,
    connections,
    requestStop: (sessionId, by) => publishing.requestStop(sessionId, by),
    shapeEvent,
    recordReply,
  };

  const subscribe = (spec: SubscribeSpec): Subscription => {
    const { subscriberId, connection, lineage = [], isReplacing = false, replyNotTaken = () => {} } = spec;
    if (!isReplacing && subscriptions.size >= options.maxSubscriptions) {
      throw new Fault("rate_limit", `There are ${options.maxSubscriptions} subscriptions already; try again later.`, {
        rule: "AAEP §5.5.3",
        retryAfterSeconds: options.retryAfterSeconds,
      });
    }
    return new Subscription(
      {
        id: `sub_${ids.hex(16)}`,
        subscriberId,
        terms: spec.terms,
        start: startAt(spec.resumeAfter, journal, boots),
        connection,
        lineage,
        replyNotTaken,
        outlet: spec.outlet,
      },
      subscriptionServices,
    );
  };

  const forgetEnded = (): void => {
    sessions.forgetEnded(clock.now() - options.endedRetentionMs);
    cancelForgetting = wakeUps.at(clock.now() + FORGET_EVERY_MS, forgetEnded);
  };
  let cancelForgetting = wakeUps.at(clock.now() + FORGET_EVERY_MS, forgetEnded);

  /** Takes over the state of the previous boot (R29), before any agent or subscription. */
  const restore = (): void => {
    const open = sessions.restore(durableQuestions(durableState, log, moment()), moment());
    questions.restore(open, log);
    publishing.restore();
    returnUntil = clock.now() + options.agentGraceMs;
    for (const sessionId of sessions.openIds()) fromBefore.add(sessionId);
  };
  if (durableState.isDurable) restore();

  return {
    openAgent: (identity, events, connection = {}, processId) => {
      connections.agentOpened(connection);
      return new AgentHandle(publishing, handles, connection, events, identity, processId);
    },
    holderOf: (resumeToken) => handles.get(sessions.holderOf(resumeToken) ?? NOBODY),
    strayReply: (fate, token, raw) => recordReply({ fate, token, raw }, { id: "", subscriberId: "" }),
    whenDurable,
    subscribe,
    limitsChanged: () => {
      for (const one of subscriptions) one.limitsChanged();
      publishing.graceChanged();
    },
    endSessions: stop.endSessions,
    leaveSessionsOpen: stop.leaveSessionsOpen,
    keepsSessions: durableState.isDurable,
    inTurn: slices.add,
    settled,
    close: async () => {
      cancelForgetting();
      for (const one of [publishing, questions]) one.close();
      // Lines that the audit log has by now need not be written by the next boot.
      const audited = questions.audited();
      if (audited !== undefined) await within(clock.now() + AUDIT_TIMEOUT_MS, audited, clock);
      await journal.close();
    },
    status: () => ({
      ...hub.counts(),
      subscriptionCount: subscriptions.size,
      openSessionCount: sessions.openIds().length,
      openQuestionCount: questions.openCount(),
      head: journal.head(),
    }),
    report: accounts.report,
    refused: accounts.refused,
    publishRefused: accounts.publishRefused,
    limits: accounts.limits,
  };
}

/** Stands for a connection that does not exist. */
const NOBODY = {};
const FORGET_EVERY_MS = 60_000;
/** Longest wait of an orderly stop for the audit log, in ms. The whole stop may have only two seconds (R8a). */
const AUDIT_TIMEOUT_MS = 300;
