// The part of a session's order that questions have: asking, withdrawing, resolving (AAEP §4.4, §6.8; R3a, R5, R6).
// Part of session-sequence.ts's rules. Who is asked, replies and deadlines are not known here.
import type { AgentEvent } from "./event.js";
import { implyState, unimplyState } from "./implied-states.js";
import { checkOpenLimit } from "./session-limits.js";
import {
  type AcceptedConfirmation,
  type AgentRecord,
  AWAITING_INPUT,
  type OpenQuestion,
  type QuestionOutcome,
  type SessionRecord,
} from "./session-record.js";
import { breach, type Draft, emitBefore, emitMade, stampNow, type Turn, textOrUndefined } from "./session-turn.js";
import type { UndoLog } from "./undo-log.js";

/** A question has a token of its own, and its agent waits: where it did not say so, the daemon does (R6). */
export function ask(turn: Turn): void {
  const { draft, session, agent, event, kind } = turn;
  const token = String(event.reply_token);
  checkOpenLimit("questions", session.questions.size, "/reply_token");
  if (draft.replyTokens.has(token)) {
    breach(turn, "reply_token_reused", "Give every question a new reply_token.", "/reply_token", "AAEP §6.2");
  }
  if (agent.told !== AWAITING_INPUT) {
    emitBefore(turn, "state", "state.changed", agent.producer, {
      from_state: agent.told,
      to_state: AWAITING_INPUT,
      ...draft.summary({ kind: "awaiting_input", question: event }),
    });
    agent.stateBeforeAwaiting = agent.told;
    agent.told = AWAITING_INPUT;
  }
  const question: OpenQuestion = {
    kind: kind === "awaiting.confirmation" ? "confirmation" : "clarification",
    token,
    sessionId: session.sessionId,
    agentId: agent.agentId,
    event,
    at: draft.moment.now,
    ordinal: session.ordinal + 1,
    permits: permitsOf(event),
  };
  draft.undo.put(session.questions, token, question);
  draft.undo.put(draft.replyTokens, token, session.sessionId);
  agent.openQuestionCount += 1;
  agent.isRestored = false;
  draft.asked.push(question);
  implyState(agent, AWAITING_INPUT);
}

function permitsOf(event: AgentEvent): AcceptedConfirmation {
  const context = event.extra_context;
  const named = typeof context === "object" && context !== null ? (context as Readonly<Record<string, unknown>>) : {};
  return { tool: textOrUndefined(named.tool), toolCallId: textOrUndefined(named.tool_call_id) };
}

function closeQuestion(draft: Draft, session: SessionRecord, question: OpenQuestion, outcome: QuestionOutcome): void {
  draft.undo.touch(session);
  draft.undo.remove(session.questions, question.token);
  draft.undo.push(session.outcomes, outcome);
  const agent = session.agents.get(question.agentId);
  if (agent === undefined) return;
  draft.undo.touch(agent);
  agent.openQuestionCount -= 1;
}

/** Closes a question that its agent no longer asks (AAEP §6.8). */
export function withdraw(draft: Draft, session: SessionRecord, question: OpenQuestion): void {
  closeQuestion(draft, session, question, { token: question.token, outcome: "withdrawn", detail: undefined });
  draft.withdrawn.push(question);
}

/** How a question is resolved: by whom and with what is for the questions to know. */
export interface Resolution extends QuestionOutcome {
  /** A confirmation, accepted by a reply: the only thing that permits an irreversible action (R5). */
  readonly isAcceptedByReply: boolean;
  /** Members of the resolution's event that say the outcome, `summary_normal` among them. */
  readonly summary: Readonly<Record<string, unknown>>;
  /** Further members of its `extensions.aaepd`. */
  readonly marks?: Readonly<Record<string, unknown>>;
}

/**
 * Closes an open question and tells its outcome: the agent's last one restores the state before it, an earlier one leaves it waiting (R6).
 */
export function resolveQuestion(draft: Draft, session: SessionRecord, question: OpenQuestion, resolution: Resolution) {
  const { token, outcome, detail, isAcceptedByReply, summary, marks } = resolution;
  const agent = session.agents.get(question.agentId);
  if (agent === undefined) return;
  closeQuestion(draft, session, question, { token, outcome, detail });
  if (isAcceptedByReply && question.kind === "confirmation") accept(draft.undo, agent, question.permits);
  const isLast = agent.openQuestionCount === 0;
  const restored = agent.state === AWAITING_INPUT ? agent.stateBeforeAwaiting : agent.state;
  const fields = {
    urgency: "critical",
    from_state: AWAITING_INPUT,
    to_state: isLast ? restored : AWAITING_INPUT,
    ...summary,
  };
  const stamp = stampNow(draft, session);
  emitMade(draft, session, "resolution", "state.changed", agent.producer, stamp, fields, marks);
  if (!isLast) return;
  agent.state = restored;
  agent.told = restored;
  agent.current = restored;
  unimplyState(agent, AWAITING_INPUT);
  agent.isRestored = true;
}

/** Remembers that a reply accepted a confirmation of this agent (R5). */
export function accept(undo: UndoLog, agent: AgentRecord, permits: AcceptedConfirmation): void {
  undo.add(agent.confirmations, { ...permits });
}
