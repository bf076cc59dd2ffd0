// Messages for agents, as documents: JSON-RPC sends them as they are, the services as protobuf messages with the same members.
import { Fault } from "../../../base/errors.js";
import type { PublishReceipt } from "../../../engine/agents/agent-handle.js";
import type { Producer } from "../../../engine/event/event.js";
import { outcomeFields, type ResolvedQuestion } from "../../../engine/questions/question-result.js";
import type { OpenQuestion, SessionSummary } from "../../../engine/sessions/session-record.js";
import type { Message } from "../json/message.js";

/** Ids and epochs of published events (R33). */
export function receiptDocument({ events, resumeToken }: PublishReceipt): Message {
  return {
    events: events.map(({ eventId, epoch, resumeToken: own }) => ({ event_id: eventId, epoch, ...tokenMember(own) })),
    ...tokenMember(resumeToken),
  };
}

function tokenMember(resumeToken: string | undefined): Message {
  return resumeToken === undefined ? {} : { resume_token: resumeToken };
}

/** Reports that the daemon waits for a person, or no longer does (pitfall H10). */
export function waitingDocument({ token, event }: OpenQuestion, isWaiting: boolean): Message {
  return { reply_token: token, event_id: event.event_id, session_id: event.session_id, waiting: isWaiting };
}

/** Reports that the daemon stops. If sessions are kept, they can be taken over in its next boot (R8b). */
export function closingDocument(areSessionsKept: boolean): Message {
  return { sessions_kept: areSessionsKept };
}

/** The state in which an agent left its session (R8). */
export function summaryDocument(summary: SessionSummary, after?: unknown): Message {
  const { page, next } = pageOf(
    [
      ...summary.openQuestions.map(({ token, event }) => ({ place: `question ${token}`, event })),
      ...summary.outcomes.map(({ token, outcome }) => ({
        place: `outcome ${token}`,
        outcome: { reply_token: token, outcome },
      })),
    ],
    after,
  );
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
    open_questions: page.flatMap((one) => ("event" in one ? [one.event] : [])),
    outcomes: page.flatMap((one) => ("outcome" in one ? [one.outcome] : [])),
    ...(next === undefined ? {} : { next }),
  };
}

/** UTF-16 units of JSON that one answer holds. */
const PAGE_UNITS = 65_536;

/** A page of the items behind the place `after`, or of all if none stands there: as many as fit one answer, at least one. */
function pageOf<Item extends { readonly place: string }>(items: readonly Item[], after: unknown) {
  const start = items.findIndex(({ place }) => place === after) + 1;
  let units = 0;
  let last: string | undefined;
  for (const [index, item] of items.slice(start).entries()) {
    units += JSON.stringify(item).length;
    if (last !== undefined && units > PAGE_UNITS) return { page: items.slice(start, start + index), next: last };
    last = item.place;
  }
  return { page: items.slice(start), next: undefined };
}

/**
 * The outcome of a question, for protobuf: readers of its messages give up at 100 levels, and an object takes three. Throws "unsupported" if the
 * person changed the action more deeply: without the change, the consent would be to something else.
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

/** The same as `summaryDocument`, for messages whose producer has no room for members of later versions. */
export function closedSummaryDocument(summary: SessionSummary, after: unknown): Message {
  return {
    ...summaryDocument(summary, after),
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
