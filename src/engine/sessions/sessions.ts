// The sessions of all agents: what may be published in them, their owners, and the records of sessions that ended. session-sequence.ts decides about
// the order of events. Journals, subscriptions and timers are in other rooms.
import { Fault } from "../../base/errors.js";
import { type AgentProcess, withProcesses } from "../event/agent-process.js";
import { isTerminalKind, type JournaledEvent, topicKind } from "../event/event.js";
import { type Instant, NO_DURABLE_STATE } from "../journal/durable-entry.js";
import {
  Change,
  type Moment,
  type PublishAnswer,
  type PublishContext,
  type Rules,
  type SessionsOptions,
} from "./change.js";
import { DurableSessions } from "./durable-sessions.js";
import { EndedSessions } from "./ended-sessions.js";
import { type CompletionFacts, EventIntake, faultAt } from "./event-intake.js";
import {
  isSameText,
  type PublishedEvent,
  sentText,
  takeOwnToken,
  wasSentAs,
  withToolCallId,
} from "./published-event.js";
import { checkOpenLimit, checkPublish, PUBLISH_LIMITS, SESSION_COUNTS } from "./session-limits.js";
import { assertClaim, SessionOwners } from "./session-owners.js";
import { accept, openQuestion, type Resolution, resolveQuestion } from "./session-questions.js";
import {
  type AcceptedConfirmation,
  createAgentRecord,
  type OpenQuestion,
  SessionRecord,
  type SessionSummary,
} from "./session-record.js";
import { abandonSession } from "./session-rules.js";
import { applyEvent } from "./session-sequence.js";

/** Call `journaled` with each change, in the turn in which it was made and with the journal's form of its events. */
export class Sessions {
  private readonly options: SessionsOptions;
  private readonly rules: Rules;
  private readonly intake: EventIntake;
  private readonly durable: DurableSessions;
  private readonly open = new Map<string, SessionRecord>();
  readonly owners = new SessionOwners();
  readonly ended: EndedSessions;

  constructor(options: SessionsOptions) {
    const { limits, durableState = NO_DURABLE_STATE } = options;
    const counts = limits.sessionCounts ?? SESSION_COUNTS;
    this.options = options;
    this.intake = new EventIntake(options.defaultLanguage, options.validate);
    this.rules = { options, counts, owners: this.owners };
    this.durable = new DurableSessions(durableState);
    this.ended = new EndedSessions((sessionId) => {
      this.durable.forgotten(sessionId);
      options.forgotten?.(sessionId);
    });
  }

  /**
   * Completes (R2), validates and orders (R3) events, all or none. Throws the first Fault; its pointer starts at the event, or, for arrays, at the
   * array. While the journal takes nothing, it throws that fault. After a throw the sessions are unchanged.
   */
  publish(inputs: readonly PublishedEvent[], context: PublishContext): Change {
    const { limits, hashToken } = this.options;
    this.assertTaking();
    const isSeveral = inputs.length > 1;
    if (isSeveral) checkPublish(inputs, limits.publishLimits ?? PUBLISH_LIMITS);
    const { resumeToken, connection, isTrial = false } = context;
    const shownHash = resumeToken === undefined ? undefined : hashToken(resumeToken);
    const change = new Change(this.rules, context, connection, shownHash, isSeveral || isTrial);
    // Earlier events of the array, by their ids.
    const seen = isSeveral ? new Map<string, PublishedEvent>() : undefined;
    for (const sent of inputs) {
      try {
        change.answers.push(this.publishOne(change, sent, context, seen));
      } catch (caught) {
        this.takeBack(change);
        throw faultAt(caught, sent, context.isArray ? `/${change.answers.length}` : "");
      }
    }
    if (isTrial) this.takeBack(change);
    return change;
  }

  /** Resolves an open question: reports its outcome and restores its agent's state (R6). Throws `not_found`, or the journal's refusal. */
  resolve(sessionId: string, token: string, resolution: Resolution, moment: Moment): Change {
    const session = this.known(sessionId);
    const question = openQuestion(session, token);
    const change = this.own(session, moment);
    resolveQuestion(change, session, question, resolution);
    return change;
  }

  /**
   * Adds a daemon-made reminder of an open question, as progress of its agent (AAEP §6.4.3). Throws `not_found`, or the journal's refusal.
   */
  remind(sessionId: string, token: string, fields: Readonly<Record<string, unknown>>, moment: Moment): Change {
    const session = this.known(sessionId);
    const { event } = openQuestion(session, token);
    const change = this.own(session, moment);
    const marks = { question: event.event_id };
    const stamp = change.stampNow(session);
    change.emitMade(session, "reminder", "progress.updated", event.producer, stamp, fields, marks);
    return change;
  }

  /** Ends a session whose agent did not come back, or because the daemon stops (R8, R8a). Throws `not_found`, or the journal's refusal. */
  abandon(sessionId: string, moment: Moment, isStopping = false): Change {
    const session = this.known(sessionId);
    const change = this.own(session, moment);
    abandonSession(change, session, isStopping);
    return change;
  }

  /** Makes a change durable, and files the sessions that began and ended. Terminal events are remembered with their epochs. */
  journaled(change: Change, entries: readonly JournaledEvent[]): void {
    for (const session of change.touched) this.durable.changed(session);
    for (const session of change.started ?? NONE) this.owners.add(session);
    for (const session of change.adopted ?? NONE) this.owners.add(session);
    for (const session of change.ended ?? NONE) this.close(session, change, entries);
  }

  /** Remembers a confirmation accepted by a reply, as `resolve` does by itself (R5). Throws `not_found`. */
  confirmationAccepted(sessionId: string, agentId: string, permits: AcceptedConfirmation, moment: Moment): void {
    const session = this.known(sessionId);
    const agent = session.agents.get(agentId);
    if (agent === undefined) throw new Fault("not_found", "Name an agent of the session.", { rule: "R5" });
    const change = this.own(session, moment);
    accept(change, session, agent, permits);
    this.journaled(change, NONE);
  }

  /** Hands a session to another connection (R8). Throws `session_not_started`, `session_ended`, `session_not_yours`. */
  resume(
    sessionId: string,
    resumeToken: string,
    connection: object,
    processes: readonly AgentProcess[] = NONE,
  ): SessionSummary {
    const session = this.find(sessionId);
    assertClaim(session, this.options.hashToken(resumeToken));
    this.owners.remove(session);
    session.isResumed ||= session.owner !== connection;
    session.owner = connection;
    // Numbers of processes mean nothing after a restart of the machine.
    if (session.isLeftOver && processes.length > 0) session.processes = NONE;
    session.processes = withProcesses(session.processes, processes);
    this.owners.add(session);
    return session.summary();
  }

  /** The processes of the agents of an open session (R5d). */
  processesOf(sessionId: string): readonly AgentProcess[] {
    return this.open.get(sessionId)?.processes ?? NONE;
  }

  /** The connection that owns a session, or owned it when it ended; undefined while its agent is away (R8). */
  ownerOf(sessionId: string): object | undefined {
    return this.open.get(sessionId)?.owner ?? this.ended.find(sessionId)?.owner;
  }

  /** Whether the connection owns the session, open or ended, or shows its token. False for an unknown session. */
  belongsTo(sessionId: string | undefined, connection: object, resumeToken: string | undefined): boolean {
    if (sessionId === undefined) return false;
    const session = this.open.get(sessionId) ?? this.ended.find(sessionId);
    if (session === undefined) return false;
    if (session.owner === connection) return true;
    return resumeToken !== undefined && session.tokenHash === this.options.hashToken(resumeToken);
  }

  /** The connection that owns the open session with this token (R8). */
  holderOf(resumeToken: string): object | undefined {
    return this.owners.holderOf(this.options.hashToken(resumeToken));
  }

  /** Summary of an open session; undefined if it is not open. */
  summary(sessionId: string): SessionSummary | undefined {
    return this.open.get(sessionId)?.summary();
  }

  /** Whether the output is open: more of its text may come. */
  isOutputOpen(sessionId: string, outputId: string): boolean {
    return this.open.get(sessionId)?.outputs.has(outputId) === true;
  }

  /** The latest timestamp of an open session; undefined if it is not open. */
  timestamp(sessionId: string): string | undefined {
    return this.open.get(sessionId)?.latestText;
  }

  /** The ids of the open sessions, the oldest first. */
  openIds(): readonly string[] {
    return [...this.open.keys()];
  }

  /**
   * Takes over the sessions of the previous boot; call it before any publish. Open sessions come without owner. Returns those of `questions` that
   * belong to an open session.
   */
  restore<Kept extends { readonly question: OpenQuestion }>(
    questions: readonly Kept[],
    present: Instant,
  ): readonly Kept[] {
    const { log = NO_LOG } = this.options;
    for (const session of this.durable.open(log)) this.open.set(session.sessionId, session);
    for (const session of this.durable.over(log, present)) this.ended.add(session);
    const open = questions.filter(({ question }) => this.open.has(question.sessionId));
    for (const { question } of open) this.open.get(question.sessionId)?.questions.set(question.token, question);
    return open;
  }

  private takeBack(change: Change): void {
    change.undo();
    for (const { sessionId, phase } of change.touched) if (phase === "absent") this.open.delete(sessionId);
  }

  private publishOne(
    change: Change,
    sent: PublishedEvent,
    context: PublishContext,
    seen: Map<string, PublishedEvent> | undefined,
  ): PublishAnswer {
    const { event_id: givenId, session_id: id, extensions } = sent.fields;
    const own = extensions === undefined ? undefined : takeOwnToken(this.withCallId(sent));
    const ownToken = own?.token;
    if (typeof givenId === "string") {
      const twin = seen?.get(givenId);
      const known = twin === undefined ? context.known(givenId) : undefined;
      const session = known && this.open.get(known.event.session_id);
      if (twin !== undefined || known !== undefined)
        return answerDuplicate(change, sent, twin, known, session, ownToken);
    }
    const input = own?.input ?? sent;
    const opened = typeof id === "string" ? this.open.get(id) : undefined;
    const taken = this.intake.take(input, opened, factsIn(opened, context));
    const { event } = taken;
    const session = opened ?? this.find(event.session_id);
    const { agent_id: agentId } = event.producer;
    const member = session.agents.get(agentId);
    if (member === undefined) checkOpenLimit(this.rules.counts, "agents", session.agents.size, "/producer/agent_id");
    change.touch(session);
    const agent = member ?? createAgentRecord(event.producer);
    const isStamped = input.fields.timestamp !== undefined;
    const isNew = session.phase === "absent";
    const ruled = { change, session, agent, taken, event, isStamped, ownToken, isSuppressed: false };
    applyEvent(ruled, input, sent);
    if (member === undefined) session.agents.set(agentId, agent);
    const { processes = NONE } = context;
    if (processes !== session.processes) session.processes = withProcesses(session.processes, processes);
    if (typeof givenId === "string") seen?.set(givenId, sent);
    const { event_id: eventId } = event;
    if (ruled.isSuppressed) return { kind: "suppressed", eventId };
    const index = change.events.length - 1;
    if (!isNew) return { kind: "accepted", eventId, index };
    this.open.set(session.sessionId, session);
    return { kind: "accepted", eventId, index, resumeToken: ownToken ?? session.resumeToken ?? "" };
  }

  private withCallId(sent: PublishedEvent): PublishedEvent {
    const fields = withToolCallId(sent.fields, this.options.hashToken);
    return fields === sent.fields ? sent : { fields };
  }

  private assertTaking(): void {
    const refusal = this.options.refusal?.();
    if (refusal !== undefined) throw refusal;
  }

  /** A change of the daemon's own. It asks first whether the journal takes it, because nothing of it can be refused afterwards. */
  private own(session: SessionRecord, moment: Moment): Change {
    this.assertTaking();
    const change = new Change(this.rules, moment);
    change.touch(session);
    return change;
  }

  private close(session: SessionRecord, change: Change, entries: readonly JournaledEvent[]): void {
    const { sessionId, owner, tokenHash } = session;
    this.open.delete(sessionId);
    this.owners.remove(session);
    const index = change.events.findLastIndex(
      ({ kind, event }) => isTerminalKind(kind) && event.session_id === sessionId,
    );
    const event = change.events[index];
    if (event === undefined) return;
    // A recording has no epochs.
    const terminal = entries[index] ?? { ...event, epoch: 0 };
    const over = { sessionId, terminal, endedAt: change.moment.now, owner, tokenHash };
    this.durable.ended(session, over, change.moment);
    this.ended.add(over);
  }

  private find(sessionId: string): SessionRecord {
    const session = this.open.get(sessionId);
    if (session !== undefined) return session;
    const other = new SessionRecord(sessionId);
    if (this.ended.find(sessionId) !== undefined) other.phase = "ended";
    return other;
  }

  private known(sessionId: string): SessionRecord {
    const session = this.open.get(sessionId);
    if (session === undefined) throw new Fault("not_found", "Name an open session.", { rule: "R8" });
    return session;
  }
}

const NONE: readonly never[] = [];
const NO_LOG = { error: () => undefined };

/**
 * The facts that complete an event in this session. A connection that took the session over publishes as the agent that started it, whatever the
 * connection declared.
 */
function factsIn(session: SessionRecord | undefined, context: PublishContext): CompletionFacts {
  if (session === undefined || session.phase !== "open") return context;
  const isTaken = session.owner === undefined || (session.isResumed && session.owner === context.connection);
  return isTaken ? { ...context, agent: session.starter } : context;
}

/**
 * Answers an event whose id is that of `twin` in the same array, or of `known` in the journal. `sent` is the event as it came, the token that its
 * agent chose included: so only who knows that token can repeat the start of `session` with it. If that session has no owner, the connection becomes
 * its owner then (R8). Throws "event_id_reused".
 */
function answerDuplicate(
  change: Change,
  sent: PublishedEvent,
  twin: PublishedEvent | undefined,
  known: JournaledEvent | undefined,
  session: SessionRecord | undefined,
  ownToken: string | undefined,
): PublishAnswer {
  const eventId = String(sent.fields.event_id);
  const text = sentText(sent);
  const isSame =
    twin === undefined
      ? known !== undefined && wasSentAs(text, known, change.rules.options.hashToken)
      : isSameText(text, sentText(twin));
  if (!isSame) {
    const sentence = "Give every event an event_id of its own; another event has this one.";
    throw new Fault("event_id_reused", sentence, { pointer: "/event_id", rule: "R3" });
  }
  const repeated = { kind: "repeated", eventId } as const;
  if (session === undefined || topicKind(sent.fields.type) !== "session.started") return repeated;
  // Every subscriber sees the event itself, so repeating a start proves nothing. Without the token, no connection gets a session of another one.
  if (session.owner === undefined && ownToken !== undefined) change.adopt(session);
  // The answer has the token only for the connection that owns the session, for the same reason.
  const resumeToken = session.owner === change.connection ? (ownToken ?? session.resumeToken) : undefined;
  return resumeToken === undefined ? repeated : { ...repeated, resumeToken };
}
