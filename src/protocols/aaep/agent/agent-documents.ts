// What agents are told, as documents: JSON-RPC sends them as they are, the services as messages of the same members.
import { Fault } from "../../../base/errors.js";
import type { PublishReceipt } from "../../../engine/agents/agent-handle.js";
import type { Producer } from "../../../engine/event/event.js";
import { outcomeFields, type ResolvedQuestion } from "../../../engine/questions/question-result.js";
import type { OpenQuestion, SessionSummary } from "../../../engine/sessions/session-record.js";
import type { Message } from "../json/message.js";

/** Where published events stand (R33). */
export function receiptDocument({ events, resumeToken }: PublishReceipt): Message {
  return {
    events: events.map(({ eventId, epoch, resumeToken: own }) => ({ event_id: eventId, epoch, ...tokenMember(own) })),
    ...tokenMember(resumeToken),
  };
}

function tokenMember(resumeToken: string | undefined): Message {
  return resumeToken === undefined ? {} : { resume_token: resumeToken };
}

/** A person is waited for, or no longer (pitfall H10). */
export function waitingDocument({ token, event }: OpenQuestion, isWaiting: boolean): Message {
  return { reply_token: token, event_id: event.event_id, session_id: event.session_id, waiting: isWaiting };
}

/** The daemon stops; sessions that are kept can be taken over in its next run (R8b). */
export function closingDocument(areSessionsKept: boolean): Message {
  return { sessions_kept: areSessionsKept };
}

/** Where an agent left off (R8). */
export function summaryDocument(summary: SessionSummary): Message {
  return {
    session_id: summary.sessionId,
    state: summary.state,
    agents: summary.agents.map(({ producer, state }) => ({ producer, state })),
    open_tools: summary.openTools.map(({ tool, toolCallId }) => ({
      tool,
      ...(toolCallId === undefined ? {} : { tool_call_id: toolCallId }),
    })),
    open_outputs: summary.openOutputs.map(({ outputId, position }) => ({
      ...(outputId === undefined ? {} : { output_id: outputId }),
      position,
    })),
    open_questions: summary.openQuestions.map(({ event }) => event),
    outcomes: summary.outcomes.map(({ token, outcome }) => ({ reply_token: token, outcome })),
  };
}

/**
 * How a question ended, for messages: their readers give up at 100 levels, and an object takes three. Throws "unsupported" for a deeper change of the
 * action: without it, the consent would be to something else.
 */
export function closedOutcomeDocument(resolved: ResolvedQuestion): Message {
  const { question, result } = resolved;
  if (result.modifiedAction === undefined || isShallow(result.modifiedAction, DEEPEST_CHANGE))
    return outcomeFields(resolved);
  const sentence = `The reply changes the action by an object of more than ${DEEPEST_CHANGE} levels, which cannot be told here. Ask anew, or over JSON-RPC.`;
  throw new Fault("unsupported", sentence, {
    pointer: "/modified_action",
    rule: "AAEP §6.3",
    eventId: question.eventId,
    origin: "local",
  });
}

const DEEPEST_CHANGE = 24;

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return levels > 0 && Object.values(value).every((item) => isShallow(item, levels - 1));
}

/** Where an agent left off, where a producer has no room for members of later versions. */
export function closedSummaryDocument(summary: SessionSummary): Message {
  return {
    ...summaryDocument(summary),
    agents: summary.agents.map(({ producer, state }) => ({ producer: knownMembers(producer), state })),
  };
}

function knownMembers(producer: Producer): Message {
  const all: Message = { ...producer };
  return Object.fromEntries(
    PRODUCER_MEMBERS.flatMap((name) => (typeof all[name] === "string" ? [[name, all[name]]] : [])),
  );
}

const PRODUCER_MEMBERS = ["agent_id", "agent_version", "agent_name", "model", "manifest_uri"] as const;
