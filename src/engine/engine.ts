// The engine: agents publish into it, and each subscription takes the stream that it negotiated. It joins sessions (which event may be published),
// the journal (in which order), questions (which subscription must answer) and the hub (which subscriptions get an event). It knows no format and no
// clock, draws no random number and does no I/O: handles return at once, time comes from the clock passed in, and subscriptions are pulled.
import { Fault } from "../base/errors.js";
import { within } from "../base/time-limit.js";
import type { AgentHandle } from "./agents/agent-handle.js";
import { createPublishing } from "./agents/publishing.js";
import type { AgentEvents } from "./agents/question-agents.js";
import { createGapEvents } from "./catch-up/gap-events.js";
import { createResend } from "./catch-up/resend.js";
import type { EngineOptions, EngineServices } from "./engine-options.js";
import { createEngineAccounts, type EngineAccounts, type EngineStatus } from "./engine-status.js";
import { createEngineStop, type EngineStop } from "./engine-stop.js";
import { createOutputDigests } from "./event/cursor.js";
import type { AgentEvent, Producer } from "./event/event.js";
import { createHub } from "./hub/hub.js";
import { askedOf } from "./journal/asked-journal.js";
import { createEpochBoots } from "./journal/epoch-boots.js";
import { createEvictions } from "./journal/evictions.js";
import { createNoticeFactory } from "./notices/notice-factory.js";
import { createOpenSessionNotices, type OpenSessionNotices } from "./notices/notice-series.js";
import { durableQuestions } from "./questions/durable-questions.js";
import { Questions } from "./questions/questions.js";
import { createSharedConnections } from "./questions/shared-connections.js";
import type { Moment } from "./sessions/change.js";
import { terminalsOf } from "./sessions/ended-sessions.js";
import type { OpenQuestion } from "./sessions/session-record.js";
import { createSessionSnapshots } from "./sessions/session-snapshots.js";
import { Sessions } from "./sessions/sessions.js";
import type { SubscribeSpec } from "./subscribe-spec.js";
import { resumeStart } from "./subscriptions/resume-start.js";
import { createSubscription, withOwnSessions } from "./subscriptions/subscription.js";
import type {
  MemberSubscription,
  RefusedReply,
  Subscription,
  SubscriptionRules,
  SubscriptionServices,
} from "./subscriptions/subscription-spec.js";
import { type AbleSubscriptions, canAnswer, canAnswerEvent, countAble } from "./terms/answering.js";
import { applyShape, shapeOf } from "./terms/shape.js";
import type { Terms } from "./terms/terms.js";
import { createTurnSlices, type TurnSlices } from "./time/turn-slices.js";
import { createWakeUps, wakeUpsOf } from "./time/wake-ups.js";
import { collapsedStateEvent, completeSkipped, overtookEvent, textEvent } from "./views/merged-events.js";

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
  const journal = services.createJournal((event) => {
    if (sessions.isKnown(event.sessionId)) evictions.evicted(event);
  });
  const { durableState } = journal;
  const evictions = createEvictions(durableState);
  const boots = createEpochBoots(journal, log);
  const { whenDurable, refusal } = askedOf(journal);
  const noticeFactory = createNoticeFactory(ids, services.idServices, options.defaultLanguage);
  const sessions = new Sessions({
    limits: options,
    isRecording: options.isRecording ?? false,
    refusal,
    checkQuestionRoom: (asked) => questions.checkRoom(asked),
    validate: services.validate,
    defaultLanguage: options.defaultLanguage,
    summary: noticeFactory.madeSummary,
    hashToken: services.idServices.sha256Hex,
    forgotten: (sessionId) => {
      questions.forgetSession(sessionId);
      evictions.forget(sessionId);
    },
    changing: (sessionId, summary) => sessionSnapshots.changing(sessionId, summary),
    hasAnswered: (connection, sessionId) => connections.hasAnswered(connection, sessionId),
    durableState,
    log,
  });
  const sessionSnapshots = createSessionSnapshots(sessions);

  const moment = (): Moment => ({ now: clock.now(), wallTime: clock.wallTime(), ids });

  const shapeEvent = (event: AgentEvent, terms: Terms): AgentEvent =>
    applyShape(event, shapeOf(terms), options.defaultLanguage);

  const notices: OpenSessionNotices = createOpenSessionNotices({
    sessionSnapshots,
    questions: {
      open: () => questions.open(),
      find: (token) => questions.find(token),
      entryOf: (eventId) => questions.entryOf(eventId),
    },
    noticeFactory,
  });

  const digestOf = createOutputDigests(services.idServices);
  const subscriptions = new Set<MemberSubscription>();

  const hub = createHub(
    {
      journal,
      steps: boots,
      log,
      segmenter: services.segmenter,
      clock,
      wakeUps,
      createWakeUps,
      shapeEvent,
      renderText: (unit, terms) => textEvent(unit, terms, services.idServices),
      outputDigest: digestOf,
    },
    options,
  );

  const rules: SubscriptionRules = {
    limits: options,
    queueLimit: options.queueLimitCount,
    markOvertook: overtookEvent,
    completeSkipped,
    collapsedEvent: (shape, first, last, place, from) =>
      collapsedStateEvent(first, last, { ...place, shape, from }, services.idServices),
    openQuestions: (terms) => questionsFor(terms).flatMap(({ event }) => questions.entryOf(event.event_id) ?? []),
    *openQuestionsAfter(terms, after) {
      for (const { question, entry } of questions.openAfter(after))
        if (canAnswer(terms, question.kind, question.sessionId)) yield entry;
    },
    isOpenQuestion: (entry, terms) => canAnswerEvent(terms, entry) && isAsked(entry.event.event_id),
    shown: (subscriptionId, subscriberId, { event }) =>
      questions.shown(String(event.reply_token), event.event_id, { subscriptionId, subscriberId }),
    notices,
    timestamp: (sessionId) => sessions.timestamp(sessionId),
    mayHaveText: (sessionId, outputId) => sessions.isOutputOpen(sessionId, outputId),
    gaps: (terms, after, given) => gapEvents(terms, after, given),
    asBacklog: (entry) => noticeFactory.asBacklog(entry, (eventId) => isAsked(eventId)),
    outputDigest: digestOf,
    pace: (change, who) => accounts.pace(change, who),
  };

  const connections = createSharedConnections(sessions);

  const countAbleNow = (): AbleSubscriptions => countAble([...subscriptions].map((one) => one.terms()));

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
      const resolution = noticeFactory.resolution(question, result);
      return publishing.carryOut(sessions.resolve(question.sessionId, question.token, resolution, moment())).durable;
    },
    remind: (question, passed, remainingSeconds) => {
      const fields = noticeFactory.reminder(question, passed, remainingSeconds);
      publishing.carryOut(sessions.remind(question.sessionId, question.token, fields, moment()));
    },
    waiting: (question, isWaiting) => publishing.tellWaiting(question, isWaiting),
    durableState,
    whenDurable,
    accident: (caught) => log.error({ err: caught }, "somebody could not be told the outcome of a question"),
  });

  const questionsFor = (terms: Terms): readonly OpenQuestion[] =>
    questions.open().filter(({ kind, sessionId }) => canAnswer(terms, kind, sessionId));
  const isAsked = (eventId: string): boolean => questions.entryOf(eventId) !== undefined;

  const resend = createResend({
    journal,
    steps: boots,
    idServices: services.idServices,
    openPrivateView: hub.openPrivateView,
    createWakeUps,
    shapeEvent,
    openQuestion: (eventId) => questions.entryOf(eventId),
  });

  const { gapEvents, lateGaps } = createGapEvents({
    journal,
    sessions,
    evictions,
    noticeFactory,
  });

  const publishing = createPublishing({
    ...services,
    journal,
    deliver: hub.deliver,
    sessions,
    questions,
    noticeFactory,
    wakeUps,
    whenDurable,
    producerId: options.producerId,
    agentGraceMs: () => options.agentGraceMs,
    tookPart: connections.tookPart,
    audienceLost: () => questions.audienceChanged(),
    agentProcess: connections.agentProcess,
    sessionTaken: (sessionId, former) => {
      if (former !== undefined) connections.sessionLost(former);
      questions.audienceChanged(sessionId);
    },
    appended: boots.appended,
  });

  const { graceUntil, latencies: publishLatencies } = publishing;
  const accounts = createEngineAccounts(
    { clock, log, journal, hub, sessions, questions, graceUntil, publishLatencies, countAble: countAbleNow },
    options,
  );

  /** Records a reply that reached no question: it is malformed, or names another subscription. */
  const recordReply = ({ fate, token, raw, pointer }: RefusedReply, id: string, subscriberId: string): void =>
    services.audit.record({
      kind: "reply",
      fate,
      ...(pointer === undefined ? undefined : { pointer }),
      reply_token: token,
      token_is_open: questions.find(token) !== undefined,
      subscription_id: id,
      subscriber_id: subscriberId,
      reply: raw,
    });

  const settled = (): Promise<void> => slices.settled().then(hub.settled);
  const stop = createEngineStop({ sessions, hub, publishing, questions, settled, whenDurable });

  const subscriptionServices: SubscriptionServices = {
    rules,
    hub,
    journal,
    steps: boots,
    wakeUps,
    createWakeUps,
    now: clock.now,
    maxHoldMs: () => options.maxHoldMs,
    opened: (subscription) => {
      subscriptions.add(subscription);
      accounts.opened(subscription);
    },
    closed: (subscription, reason) => {
      subscriptions.delete(subscription);
      accounts.closed(subscription, reason);
    },
    isLeaving: stop.isLeaving,
    questions,
    resend,
    whenDurable,
    connections,
    questionsFor,
    requestStop: publishing.requestStop,
    shapeEvent,
    terminals: () => terminalsOf(sessions.endedSince(Number.NEGATIVE_INFINITY)),
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
    const { start, resumed } = resumeStart(spec.resumeAfter, {
      journal,
      boots,
      openIds: () => sessions.openIds(),
      lateGaps,
    });
    return createSubscription(
      {
        id: `sub_${ids.hex(16)}`,
        subscriberId,
        terms: withOwnSessions(spec.terms, { connection, lineage }, connections),
        start,
        resumed,
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
    evictions.restore((sessionId) => sessions.isKnown(sessionId), log);
    questions.restore(open, log);
    publishing.restore(open);
    returnUntil = clock.now() + options.agentGraceMs;
    for (const sessionId of sessions.openIds()) fromBefore.add(sessionId);
  };
  if (durableState.isDurable) restore();

  return {
    openAgent: (identity, events, connection = {}, processId) => {
      connections.agentOpened(connection);
      return publishing.openAgent(identity, events, connection, processId);
    },
    holderOf: publishing.holderOf,
    strayReply: (fate, token, raw) => recordReply({ fate, token, raw }, "", ""),
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
      ...sessions.remembered(),
      ...hub.counts(),
      subscriptionCount: subscriptions.size,
      openSessionCount: sessions.openIds().length,
      openQuestionCount: questions.openCount(),
      lostSessionCount: evictions.count(),
      head: journal.head(),
    }),
    report: accounts.report,
    refused: accounts.refused,
    publishRefused: accounts.publishRefused,
    limits: accounts.limits,
  };
}

const FORGET_EVERY_MS = 60_000;
/** Longest wait of an orderly stop for the audit log, in ms. The whole stop may have only two seconds (R8a). */
const AUDIT_TIMEOUT_MS = 300;
