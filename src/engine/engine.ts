// The engine: agents publish into it, and each subscription takes the stream that it negotiated. It joins sessions (which event may be published),
// the journal (in which order), questions (which subscription must answer) and the hub (which subscriptions get an event). It knows no format and no
// clock, draws no random number and does no I/O: handles return at once, time comes from the clock passed in, and subscriptions are pulled.
import { Fault, type FaultCode } from "../base/errors.js";
import { within } from "../base/time-limit.js";
import type { Journal } from "../contracts/journal.js";
import { AgentHandle } from "./agents/agent-handle.js";
import { Publishing } from "./agents/publishing.js";
import type { AgentEvents } from "./agents/question-agents.js";
import type { EngineOptions, EngineServices } from "./engine-options.js";
import { EngineAccounts, type EngineReport } from "./engine-status.js";
import type { Producer } from "./event/event.js";
import { Hub } from "./hub/hub.js";
import { createEpochBoots, type EpochBoots } from "./journal/epoch-boots.js";
import { NoticeFactory } from "./notices/notice-factory.js";
import { durableQuestions } from "./questions/pending-question.js";
import { Questions } from "./questions/questions.js";
import { SharedConnections } from "./questions/shared-connections.js";
import type { Moment } from "./sessions/change.js";
import { Sessions } from "./sessions/sessions.js";
import { startAt } from "./subscriptions/resume.js";
import { Subscription } from "./subscriptions/subscription.js";
import type { SubscriptionServices } from "./subscriptions/subscription-services.js";
import type {
  ClosureReason,
  NamedSubscription,
  RefusedReply,
  SlowLimits,
  SubscribeSpec,
} from "./subscriptions/subscription-spec.js";
import { type AbleCount, countAble } from "./terms/answering.js";
import { Turns } from "./time/turns.js";
import { type WakeUps, wakeUpsOf } from "./time/wake-ups.js";

/** Stands for a connection that does not exist. */
const NOBODY = {};
const FORGET_EVERY_MS = 60_000;
/** Subscriptions of one connection: it may take a quarter of the sets of terms, and leaves the others to other people. */
const MOST_OF_A_CONNECTION = 16;
/** Longest wait of an orderly stop for the audit log, in ms. The whole stop may have only two seconds (R8a). */
const AUDIT_TIMEOUT_MS = 300;
/** Most pieces of work that `inTurn` does in one turn. */
export const ENDINGS_IN_A_TURN = 8;
/** Most sessions that a stop ends in one turn. */
const ENDED_IN_A_TURN = 64;

/**
 * The parts are made in the order of the fields. A part that asks one that is made after it does so through the engine, and never before `restore` at
 * the end of the constructor.
 */
export class Engine {
  private readonly services: EngineServices;
  private readonly options: EngineOptions;
  private readonly wakeUps: WakeUps;
  /** Turns for what ends in protocols. */
  private readonly endingTurns: Turns;
  /** Turns for those who encode and send what subscriptions take. */
  readonly sendingTurns: Turns;
  private readonly journal: Journal;
  private readonly boots: EpochBoots;
  private readonly notices: NoticeFactory;
  private readonly sessions: Sessions;
  private readonly connections: SharedConnections;
  private readonly hub: Hub;
  private readonly questions: Questions;
  private readonly publishing: Publishing;
  private readonly accounts: EngineAccounts;
  private readonly subscriptionServices: SubscriptionServices;
  // Handles by their connections.
  private readonly handles = new Map<object, AgentHandle>();
  private readonly subscriptions = new Map<string, Subscription>();
  // Sessions of the previous boot, while their listeners may be on the way back.
  private readonly fromBefore = new Set<string>();
  private returnUntil = Number.NEGATIVE_INFINITY;
  private isLeaving = false;
  private cancelForgetting: (() => void) | undefined;

  constructor(services: EngineServices, options: EngineOptions) {
    const { clock, ids, log, segmenter, idServices, loadSpeakable } = services;
    this.services = services;
    this.options = options;
    this.wakeUps = wakeUpsOf(clock);
    this.endingTurns = new Turns(clock, { most: ENDINGS_IN_A_TURN });
    this.sendingTurns = new Turns(clock);
    this.journal = services.createJournal();
    this.boots = createEpochBoots(this.journal, log);
    this.notices = new NoticeFactory(ids, options.defaultLanguage);
    this.sessions = this.makeSessions();
    this.connections = new SharedConnections(this.sessions);
    const { journal, boots, wakeUps, sendingTurns, sessions, connections } = this;
    this.hub = new Hub(
      { ...{ journal, steps: boots, ids: idServices, wakeUps, sendingTurns }, log, segmenter, clock, loadSpeakable },
      options,
    );
    this.questions = this.makeQuestions();
    this.publishing = this.makePublishing();
    const { hub, questions, publishing } = this;
    this.accounts = new EngineAccounts(
      { clock, log, journal, hub, sessions, questions, publishing, countAble: () => this.countAble() },
      options,
    );
    this.subscriptionServices = {
      ...{ hub, journal, steps: boots, ids: idServices, wakeUps, limits: options, sessions, questions, connections },
      readTurns: { events: new Turns(clock, { mostMs: options.turnRoomMs }), batches: new Turns(clock, { most: 1 }) },
      now: clock.now,
      notices: this.notices,
      closed: ({ id }, reason) => this.closed(id, reason),
      pace: (change, who) => this.accounts.pace(change, who),
      isLeaving: () => this.isLeaving,
      requestStop: (sessionId, by) => publishing.requestStop(sessionId, by),
      shapeEvent: (event, terms) => hub.shaped(event, terms),
      recordReply: (refused, by) => this.recordReply(refused, by),
    };
    this.forgetEnded();
    if (this.keepsSessions) this.restore();
  }

  /** Limits of a subscription's lag and queue (R18). */
  get limits(): SlowLimits {
    return this.options;
  }

  /** Hands what a person says to an agent that takes it. Returns whether there is one. */
  userInput(text: string): boolean {
    return this.publishing.agents.tellUserInput(text);
  }

  /** Whether open sessions and questions can be left to the next boot. */
  get keepsSessions(): boolean {
    return this.journal.durableState.isDurable;
  }

  /**
   * Opens an agent. Without `events`, news of its questions goes to the owner of their session. `connection` is the agent's connection if
   * subscriptions may open on it too; their `SubscribeSpec` then names the same object (R5). Ended sessions hold this object, so it must not refer to
   * anything large. `processId`: the process of the agent's connection (R5d).
   */
  openAgent(
    identity: Producer | undefined,
    events: AgentEvents | undefined,
    connection: object = {},
    processId?: number,
  ): AgentHandle {
    this.connections.agentOpened(connection);
    return new AgentHandle(this.publishing, this.handles, connection, events, identity, processId);
  }

  /** The agent that owns the open session of this token: the handle that `openAgent` returned (R8). */
  holderOf(resumeToken: string): AgentHandle | undefined {
    return this.handles.get(this.sessions.holderOf(resumeToken) ?? NOBODY);
  }

  /** Opens a subscription. Throws "rate_limit" if there are too many already. */
  subscribe(spec: SubscribeSpec): Subscription {
    const { subscriptions } = this;
    if (spec.isReplacing !== true) this.assertRoom(spec.connection);
    const start = startAt(spec.resumeAfter, this.journal, this.boots);
    const id = `sub_${this.services.ids.hex(16)}`;
    const subscription = new Subscription(id, spec, start, this.subscriptionServices);
    subscriptions.set(id, subscription);
    this.accounts.opened(subscription);
    this.questions.audienceChanged();
    return subscription;
  }

  /** Throws "rate_limit" if there are too many subscriptions, or too many of this connection. */
  private assertRoom(connection: object | undefined): void {
    const { maxSubscriptions, retryAfterSeconds } = this.options;
    const all = [...this.subscriptions.values()];
    if (all.length >= maxSubscriptions) {
      const sentence = `There are ${maxSubscriptions} subscriptions already; try again later.`;
      throw new Fault("rate_limit", sentence, { rule: "AAEP §5.5.3", retryAfterSeconds });
    }
    if (connection === undefined || all.filter((one) => one.connection === connection).length < MOST_OF_A_CONNECTION)
      return;
    const sentence = `This connection has ${MOST_OF_A_CONNECTION} subscriptions already: close one, or take another connection.`;
    throw new Fault("rate_limit", sentence, { rule: "R34" });
  }

  /** Records, for the audit log, a reply over a connection without a subscription. `raw`: undefined if it could not be decoded. */
  strayReply(fate: "wrong_subscription" | "malformed", token: string, raw: unknown): void {
    this.recordReply({ fate, token, raw }, { id: "", subscriberId: "" });
  }

  /**
   * Returns a promise that resolves when all that was journaled so far is safe; undefined if it is safe already. Throws or rejects while the journal
   * fails (R29).
   */
  whenDurable(): Promise<void> | undefined {
    return this.journal.durable();
  }

  /** Applies new values of the options to everything that waits by them. */
  limitsChanged(): void {
    for (const one of this.subscriptions.values()) one.limitsChanged();
    this.publishing.graces.graceChanged();
  }

  /**
   * Does work that takes at most a question back, in order and a little in each turn: for what ends in a protocol, and may end all at once (R34). An
   * error goes to the log.
   */
  inTurn(work: () => void): void {
    this.endingTurns.run(() => {
      try {
        work();
      } catch (caught) {
        this.services.log.error({ err: caught }, "what was to be done for many at once failed for one");
      }
    });
  }

  /** Resolves when all consequences of the accepted events are done, what waits for a turn included (R34). */
  settled(): Promise<void> {
    return new Promise((resolve) => this.endingTurns.run(resolve));
  }

  /**
   * Ends all open sessions as if their agents had vanished (R8a), the oldest first. Later publishes are refused ("shutting_down"). `isAgentGone` is
   * true if the agents have indeed gone and the daemon stops because of it. Resolves when subscriptions can take the ends, and agents know the
   * outcomes of their questions. Never rejects.
   */
  async endSessions(isAgentGone = false): Promise<void> {
    const { publishing, sessions, services } = this;
    publishing.stop(false);
    for (const [index, sessionId] of sessions.openIds().entries()) {
      // Listeners take the ends meanwhile (R34).
      if (index % ENDED_IN_A_TURN === ENDED_IN_A_TURN - 1) await new Promise<void>(services.clock.afterTurn);
      publishing.abandon(sessionId, !isAgentGone);
    }
    try {
      // Outcomes are reported when they are safe. If the journal takes nothing, they are no decisions yet.
      await this.whenDurable();
    } catch {
      // The journal reports its own failures.
    }
    await this.settled();
  }

  /**
   * Leaves sessions and questions open instead, for a journal with durable state. Later publishes are refused ("shutting_down"), and nothing is
   * pending for subscriptions in this boot (R8b). Resolves when the consequences of the accepted events are done. Never rejects.
   */
  async leaveSessionsOpen(): Promise<void> {
    this.isLeaving = true;
    this.publishing.stop(true);
    this.questions.leaveOpen();
    await this.settled();
  }

  /**
   * Closes the journal and cancels all timers, once no agent publishes and no subscription listens. After that, nothing of the engine keeps the
   * process alive.
   */
  async close(): Promise<void> {
    const { questions, services } = this;
    this.cancelForgetting?.();
    for (const one of [this.publishing.graces, questions]) one.close();
    // Lines that the audit log has by now need not be written by the next boot.
    const audited = questions.outcomes.audited();
    if (audited !== undefined) await within(services.clock.now() + AUDIT_TIMEOUT_MS, audited, services.clock);
    await this.journal.close();
  }

  status() {
    return {
      ...this.hub.counts(),
      subscriptionCount: this.subscriptions.size,
      openSessionCount: this.sessions.openIds().length,
      openQuestionCount: this.questions.openCount(),
      head: this.journal.head(),
    };
  }

  /** The whole report. It costs in proportion to the number of subscriptions and questions. */
  report(): EngineReport {
    return this.accounts.report();
  }

  /** Counts a conversation that ended before it became a subscription. */
  refused(reason: ClosureReason): void {
    this.accounts.refused(reason);
  }

  /** Counts a publish that was refused, before the engine or by it. */
  publishRefused(code: FaultCode): void {
    this.accounts.publishRefused(code);
  }

  private makeSessions(): Sessions {
    const { services, options } = this;
    return new Sessions({
      limits: options,
      isRecording: options.isRecording ?? false,
      refusal: () => this.journal.refusal(),
      checkQuestionRoom: (asked) => this.questions.checkRoom(asked),
      validate: services.validate,
      defaultLanguage: options.defaultLanguage,
      summary: (text) => this.notices.madeSummary(text),
      hashToken: services.idServices.sha256Hex,
      isTokenUsed: (token) => this.questions.sessionOf(token) !== undefined,
      forgotten: (sessionId) => this.questions.outcomes.forgetSession(sessionId),
      hasAnswered: (connection, sessionId) => this.connections.hasAnswered(connection, sessionId),
      durableState: this.journal.durableState,
      log: services.log,
    });
  }

  private makeQuestions(): Questions {
    const { services, options, sessions, notices, wakeUps, journal } = this;
    return new Questions({
      ...services,
      ...{ wakeUps, journal, limits: options },
      isAgentAway: (sessionId) => this.publishing.graces.until(sessionId) !== undefined,
      returnUntil: (sessionId) => this.returnUntilOf(sessionId),
      countAble: () => this.countAble(),
      inTurn: (work) => this.inTurn(work),
      resolve: (question, result) => {
        const resolution = notices.resolution(question, result);
        return this.publishing.carryOut(sessions.resolve(question.sessionId, question.token, resolution, this.moment()))
          .durable;
      },
      remind: (question, passed, remainingSeconds) => {
        const fields = notices.reminder(question, passed, remainingSeconds);
        this.publishing.carryOut(sessions.remind(question.sessionId, question.token, fields, this.moment()));
      },
      waiting: (question, isWaiting) => this.publishing.agents.tellWaiting(question, isWaiting),
      resolved: (resolved) => this.publishing.agents.tellOutcome(resolved),
    });
  }

  private makePublishing(): Publishing {
    const { services, options, journal, hub, sessions, questions, connections, notices, wakeUps } = this;
    return new Publishing({
      ...services,
      ...{ journal, hub, sessions, questions, connections, notices, wakeUps },
      sendingTurns: this.sendingTurns,
      producerId: options.producerId,
      agentGraceMs: () => options.agentGraceMs,
      appended: this.keepsSessions ? this.boots.appended : undefined,
    });
  }

  private moment(): Moment {
    const { clock, ids } = this.services;
    return { now: clock.now(), wallTime: clock.wallTime(), ids };
  }

  private countAble(): AbleCount {
    return countAble([...this.subscriptions.values()].map((one) => one.terms));
  }

  private closed(id: string, reason: ClosureReason): void {
    const subscription = this.subscriptions.get(id);
    this.subscriptions.delete(id);
    if (subscription !== undefined) this.accounts.closed(subscription, reason);
  }

  /** Records a reply that reached no question: it is malformed, or names another subscription. */
  private recordReply({ fate, token, raw, pointer }: RefusedReply, by: NamedSubscription): void {
    this.services.audit.record({
      kind: "reply",
      fate,
      ...(pointer === undefined ? undefined : { pointer }),
      reply_token: token,
      token_is_open: this.questions.find(token) !== undefined,
      subscription_id: by.id,
      subscriber_id: by.subscriberId,
      reply: raw,
    });
  }

  private forgetEnded(): void {
    const now = this.services.clock.now();
    this.sessions.ended.forget(now - this.options.endedRetentionMs);
    this.cancelForgetting = this.wakeUps.at(now + FORGET_EVERY_MS, () => this.forgetEnded());
  }

  /** Takes over the state of the previous boot (R29), before any agent or subscription. */
  private restore(): void {
    const { services, sessions, journal } = this;
    const kept = durableQuestions(journal.durableState, services.log, this.moment());
    const open = sessions.restore(kept, this.moment());
    this.questions.restore(open);
    this.publishing.restore();
    this.returnUntil = services.clock.now() + this.options.agentGraceMs;
    for (const sessionId of sessions.openIds()) this.fromBefore.add(sessionId);
  }

  /** Until when the listeners of a session of the previous boot may be on the way back. */
  private returnUntilOf(sessionId: string): number {
    if (this.services.clock.now() >= this.returnUntil) this.fromBefore.clear();
    return this.fromBefore.has(sessionId) ? this.returnUntil : Number.NEGATIVE_INFINITY;
  }
}
