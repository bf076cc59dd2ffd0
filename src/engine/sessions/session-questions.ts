// The part of session-sequence.ts's rules that concerns questions: asking, withdrawing, resolving (AAEP §4.4, §6.8; R3a, R5, R6). Audiences, replies
// and deadlines are in the room questions.
import { Fault } from "../../base/errors.js";
import { textOf } from "../../base/members.js";
import { foldedName, LONGEST_TOOL_NAME } from "../../base/tool-name.js";
import { AWAITING_INPUT } from "../event/agent-states.js";
import type { AgentEvent } from "../event/event.js";
import { isHostDialog } from "../event/own-members.js";
import { breach, type Change, type RuleContext, textOrUndefined, warn } from "./change.js";
import { checkOpenLimit } from "./session-limits.js";
import {
  type AcceptedConfirmation,
  type AgentRecord,
  type OpenQuestion,
  type QuestionOutcome,
  type SessionRecord,
  withNewest,
} from "./session-record.js";

/** Asks a confirmation. Advises `default_decision: "reject"` for a risky action; validation has already refused forbidden defaults (AAEP §6.4.1). */
export function askConfirmation(context: RuleContext): void {
  const { event } = context;
  const isIrreversible = event.irreversible === true || event.reversibility === "irreversible";
  if ((isIrreversible || event.risk_level === "high") && event.default_decision !== "reject") {
    const sentence = 'Better set default_decision to "reject": the action is irreversible or its risk is high.';
    const rule = "AAEP §6.4.1";
    const about = { pointer: "/default_decision", rule, eventId: event.event_id };
    warn(context, { code: "default_not_allowed", sentence, ...about, isAdvice: true });
  }
  checkCall(context, isIrreversible);
  ask(context);
}

/** The forms that `tool.invoked` demands of its members, which a question about an irreversible call therefore has to keep. */
const CALL_FORMS = [
  ["tool", /^[A-Za-z_][A-Za-z0-9_.-]{0,255}$/, "a tool's name, as tool.invoked will have it"],
  ["tool_call_id", /^call_[A-Za-z0-9]{1,64}$/, "`call_` with 1 to 64 letters or digits, as tool.invoked will have it"],
] as const;

/** Refuses a confirmation whose call is sure to be refused, so that nobody is asked in vain (R5c). */
function checkCall(context: RuleContext, isIrreversible: boolean): void {
  const { change, session, event } = context;
  const named = namedIn(event);
  for (const [name, form, words] of CALL_FORMS) {
    const value = named[name];
    // An unreadable name, taken as no name at all, would permit any call (R5).
    if (value === undefined) continue;
    if (typeof value === "string" && (isIrreversible ? form.test(value) : value.length <= LONGEST_TOOL_NAME)) continue;
    const demanded = isIrreversible ? words : `text of at most ${LONGEST_TOOL_NAME} characters`;
    const sentence = `Write \`extra_context.${name}\` as ${demanded}, or leave it out; it says what the confirmation permits.`;
    throw new Fault("invalid_event", sentence, { pointer: `/extra_context/${name}`, rule: "R5" });
  }
  const { toolCallId } = permitsOf(event);
  if (toolCallId !== undefined && wasInvoked(session, toolCallId)) {
    const sentence = "Name the tool_call_id of a call to come; this one was used in this session.";
    breach(context, "tool_already_invoked", sentence, "/extra_context/tool_call_id", "R5c");
  }
  if (isIrreversible && change.rules.options.hasAnswered?.(change.connection, session.sessionId) === true) {
    const sentence = "Ask over the agent's own connection; this one has answered a question of the session.";
    breach(context, "confirmation_required", sentence, "/irreversible", "R5");
  }
}

/** Whether a call's id was used in the session. */
export function wasInvoked({ past, tools }: SessionRecord, toolCallId: string): boolean {
  return past.calls.includes(toolCallId) || tools.has(toolCallId);
}

/** Opens a question with a token of its own. If its agent has not reported `awaiting_input`, the daemon supplies that state first (R6). */
export function ask(context: RuleContext): void {
  const { change, session, agent, event } = context;
  const { counts, options } = change.rules;
  const kind = context.taken.kind === "awaiting.confirmation" ? "confirmation" : "clarification";
  const token = textOf(event.reply_token);
  checkOpenLimit(counts, "questions", session.questions.size, "/reply_token");
  if (options.isTokenUsed?.(token) === true || change.asked?.some((one) => one.token === token) === true) {
    breach(context, "reply_token_reused", "Give every question a new reply_token.", "/reply_token", "AAEP §6.2");
  }
  const permits = permitsOf(event);
  for (const open of session.questions.values()) {
    if (open.agentId !== agent.agentId || !isSameAsking(open, event, permits)) continue;
    const sentence = "Wait for the outcome of the open question, or cancel it; this agent is asking the same already.";
    const pointer = kind === "confirmation" ? "/action" : "/question";
    breach(context, "already_asked", sentence, pointer, "AAEP §6.1");
  }
  options.checkQuestionRoom?.(1 + (change.asked?.length ?? 0));
  if (agent.told !== AWAITING_INPUT) {
    // The supplied event has no summary: its subscribers get the question next, and all others get the notice.
    const fields = { from_state: agent.told, to_state: AWAITING_INPUT };
    const { producer, timestamp } = event;
    change.emitMade(session, "supplied", "state.changed", producer, timestamp, fields, { asks: kind });
    agent.stateBeforeAwaiting = agent.told;
    agent.told = AWAITING_INPUT;
  }
  const question: OpenQuestion = {
    kind,
    token,
    sessionId: session.sessionId,
    agentId: agent.agentId,
    event,
    at: change.moment.now,
    ordinal: session.ordinal + 1,
    permits,
  };
  session.questions.set(token, question);
  agent.isRestored = false;
  change.asked ??= [];
  change.asked.push(question);
}

/** Throws "not_found" unless the question is open. */
export function openQuestion(session: SessionRecord, token: string): OpenQuestion {
  const question = session.questions.get(token);
  if (question === undefined) throw new Fault("not_found", "Name an open question.", { rule: "R6" });
  return question;
}

/** Whether an open question is in the same words, for the same tool and call (AAEP §6.1). */
function isSameAsking({ event: open, permits }: OpenQuestion, event: AgentEvent, named: AcceptedConfirmation): boolean {
  return (
    open.action === event.action &&
    open.question === event.question &&
    permits.tool === named.tool &&
    permits.toolCallId === named.toolCallId
  );
}

/** The open questions of one agent, in the order in which they were asked. */
export function questionsOf({ questions }: SessionRecord, agentId: string): readonly OpenQuestion[] {
  return [...questions.values()].filter((question) => question.agentId === agentId);
}

/** Whether an open confirmation asks for this call. Until its outcome, nobody may report the call as made (AAEP §6.1). */
export function asksForCall({ questions }: SessionRecord, toolCallId: string): boolean {
  for (const { kind, permits } of questions.values()) {
    if (kind === "confirmation" && permits.toolCallId === toolCallId) return true;
  }
  return false;
}

function namedIn({ extra_context: context }: AgentEvent): Readonly<Record<string, unknown>> {
  return typeof context === "object" && context !== null ? (context as Readonly<Record<string, unknown>>) : {};
}

/** The permission that accepting a question gives, as far as its `extra_context` names a tool or call (R5). */
export function permitsOf(event: AgentEvent): AcceptedConfirmation {
  const named = namedIn(event);
  return {
    action: textOrUndefined(event.action),
    tool: textOrUndefined(named.tool),
    toolCallId: textOrUndefined(named.tool_call_id),
    token: textOrUndefined(event.reply_token),
    isReversible: event.irreversible === false,
  };
}

/** Closes a question. The resolution, which the caller adds next, is the session's next event. */
function closeQuestion({ rules }: Change, session: SessionRecord, { token, outcome }: QuestionOutcome): void {
  session.questions.delete(token);
  const closed = { token, outcome, number: session.ordinal + 1 };
  session.past = { ...session.past, outcomes: withNewest(session.past.outcomes, closed, rules.counts.outcomes) };
}

/**
 * Closes a question that its agent no longer asks, and adds the resolution for every subscriber that saw it. The agent's own event may be filtered
 * out, and need not mention the question (AAEP §6.7.2, §6.8). `isEnd`: the daemon ends the session, so a host's own dialog may still be open (R5b).
 */
export function withdraw(change: Change, session: SessionRecord, question: OpenQuestion, stamp: string, isEnd = false) {
  closeQuestion(change, session, { token: question.token, outcome: "withdrawn" });
  change.withdrawn ??= [];
  change.withdrawn.push(question);
  const { event } = question;
  const decidedBy = isEnd && isHostDialog(event) ? "host_window" : "agent";
  const fields = {
    urgency: "critical",
    from_state: AWAITING_INPUT,
    to_state: AWAITING_INPUT,
    ...change.rules.options.summary({ kind: "question_withdrawn", question: event, decidedBy }),
  };
  const marks = { question: event.event_id, decision: "cancelled", decided_by: decidedBy };
  change.emitMade(session, "resolution", "state.changed", event.producer, stamp, fields, marks);
}

/** The outcome of a question as its session needs it. The room questions knows who decided, and how. */
export interface Resolution extends QuestionOutcome {
  /** A reply accepted a confirmation. Nothing else permits an irreversible action (R5). */
  readonly isAcceptedByReply: boolean;
  /** A confirmation was rejected, by a reply or by default. Its permissions for the same action are withdrawn (AAEP §6.1). */
  readonly isRejected: boolean;
  /** Members of the resolution's event that describe the outcome, `summary_normal` among them. */
  readonly summary: Readonly<Record<string, unknown>>;
  /** Further members of the event's `extensions.aaepd`. */
  readonly marks?: Readonly<Record<string, unknown>>;
}

/**
 * Closes an open question and adds the event that reports its outcome. With its agent's last open question, the agent's earlier state is restored;
 * with any other, the agent still waits (R6).
 */
export function resolveQuestion(
  change: Change,
  session: SessionRecord,
  question: OpenQuestion,
  resolution: Resolution,
) {
  const { token, outcome, isAcceptedByReply, isRejected, summary, marks } = resolution;
  const agent = session.agents.get(question.agentId);
  if (agent === undefined) return;
  closeQuestion(change, session, { token, outcome });
  if (isAcceptedByReply && question.kind === "confirmation") accept(change, session, agent, question.permits);
  if (isRejected && question.kind === "confirmation") takeBack(session, agent, question.permits);
  const isLast = questionsOf(session, agent.agentId).length === 0;
  const restored = agent.state === AWAITING_INPUT ? agent.stateBeforeAwaiting : agent.state;
  const fields = {
    urgency: "critical",
    from_state: AWAITING_INPUT,
    to_state: isLast ? restored : AWAITING_INPUT,
    ...summary,
  };
  const stamp = change.stampNow(session);
  change.emitMade(session, "resolution", "state.changed", agent.producer, stamp, fields, marks);
  if (!isLast) return;
  agent.state = restored;
  agent.told = restored;
  agent.current = restored;
  agent.impliedStates = agent.impliedStates.filter((state) => state !== AWAITING_INPUT);
  agent.isRestored = true;
}

/** Remembers that a reply accepted a confirmation of this agent (R5). */
export function accept(change: Change, session: SessionRecord, agent: AgentRecord, permits: AcceptedConfirmation) {
  const permit = { ...permits, agentId: agent.agentId };
  const { confirmations } = change.rules.counts;
  session.past = { ...session.past, permits: withNewest(session.past.permits, permit, confirmations) };
}

/** Withdraws unused permissions for the same action after a later rejection. */
function takeBack(session: SessionRecord, { agentId }: AgentRecord, rejected: AcceptedConfirmation): void {
  const permits = session.past.permits.filter((one) => one.agentId !== agentId || !isSame(one, rejected));
  session.past = { ...session.past, permits };
}

/**
 * Whether two confirmations are for the same action: the same words, the same call, or the same tool unless both name calls. Tools are folded, so
 * that no other way of writing a name keeps a permission that was taken back.
 */
function isSame(one: AcceptedConfirmation, other: AcceptedConfirmation): boolean {
  if (one.action !== undefined && one.action === other.action) return true;
  if (one.toolCallId !== undefined && other.toolCallId !== undefined) return one.toolCallId === other.toolCallId;
  return one.tool !== undefined && other.tool !== undefined && foldedName(one.tool) === foldedName(other.tool);
}
