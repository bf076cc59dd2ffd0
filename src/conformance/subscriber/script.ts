// The events of the scripted producer, whole and valid.
import { newEventId, newReplyToken, newSessionId } from "../../client/random-ids.js";
import type { Millis } from "../../contracts/clock.js";
import type { Message } from "../wire/conversation.js";

export type Script = ReturnType<typeof createScript>;

export const SUITE_PRODUCER = {
  agent_id: "conformance-producer",
  agent_version: "1.0.0",
  agent_name: "Conformance producer",
};
/** The shortest time of a question, s. */
const SHORTEST_TIMEOUT_S = 60;
const CONTEXT = "https://aaep-protocol.org/context/v1";

/** Makes the events of one session. `members` of an event replaces and adds members. `patienceMs`: how long something that must come may take. */
export function createScript(patienceMs: Millis) {
  const sessionId = newSessionId();
  // A question outlasts its announcement, its answer and the announcement of its end.
  const timeout_seconds = Math.max(SHORTEST_TIMEOUT_S, 3 * Math.ceil(patienceMs / 1000));
  const event = (type: string, members: Message = {}): Message => ({
    "@context": CONTEXT,
    type: type.includes(":") ? type : `aaep:agent.${type}`,
    event_id: newEventId(),
    session_id: sessionId,
    timestamp: new Date().toISOString(),
    producer: SUITE_PRODUCER,
    localization_hints: { primary_language: "en" },
    ...members,
  });
  // A token is no number: its letters have either case (AAEP §6.2).
  const token = (): string => `${newReplyToken()}Zq`;
  return {
    sessionId,
    event,
    question: (members: Message = {}) =>
      event("awaiting.confirmation", {
        urgency: "critical",
        action: "Delete nine photos.",
        consequence: "The photos cannot be brought back.",
        risk_level: "high",
        irreversible: true,
        reply_token: token(),
        timeout_seconds,
        default_decision: "reject",
        summary_normal: "May I delete nine photos?",
        ...members,
      }),
    clarification: (members: Message = {}) =>
      event("awaiting.clarification", {
        urgency: "critical",
        question: "Which year?",
        accepted_response_kinds: ["freetext"],
        reply_token: token(),
        timeout_seconds,
        summary_normal: "Which year do you mean?",
        ...members,
      }),
    /** The end of a question: the agent goes on without its answer (AAEP §6.8). */
    goesOn: () =>
      event("state.changed", {
        from_state: "awaiting_input",
        to_state: "thinking",
        summary_normal: "Goes on without it.",
      }),
  };
}
