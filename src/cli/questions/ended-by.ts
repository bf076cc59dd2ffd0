// The questions that an event ends.
import type { Envelope } from "#gen/aaep/types.js";
import { isBefore, parseTimestamp } from "../../engine/event/timestamps.js";
import { endsSession } from "../terminal/event-text.js";
import type { OpenQuestion, QuestionSource } from "./open-question.js";

/** Whether the event may be about the time left to answer a question (AAEP §6.4.3). */
export function isReminder({ type }: Envelope): boolean {
  return type.endsWith("agent.progress.updated");
}

/** The question that the event names. */
export function namedBy(
  open: readonly OpenQuestion[],
  source: QuestionSource,
  event: Envelope,
): OpenQuestion | undefined {
  const about = event.extensions?.aaepd?.question;
  return open.find((one) => one.source === source && one.question.event.event_id === about);
}

/**
 * The questions that this event ends. If the event names none, those of the agent that no longer waits (AAEP §6.7.2), and were asked before: an older
 * event may come behind a question (R4).
 */
export function endedBy(
  open: readonly OpenQuestion[],
  source: QuestionSource,
  event: Envelope,
): readonly OpenQuestion[] {
  const ofSession = open.filter((one) => one.source === source && one.question.event.session_id === event.session_id);
  if (endsSession(event)) return ofSession;
  if (!event.type.endsWith("agent.state.changed") || event.from_state !== "awaiting_input") return [];
  const named = namedBy(open, source, event);
  if (named !== undefined) return event.extensions?.aaepd?.asks === undefined ? [named] : [];
  if (event.to_state === "awaiting_input" || event.extensions?.aaepd?.by === "daemon") return [];
  return ofSession.filter(({ question: { event: asked } }) => {
    return asked.producer?.agent_id === event.producer?.agent_id && !isOlder(event, asked);
  });
}

/** Of two events of one agent, whose timestamps never fall (R3b). */
function isOlder(event: Envelope, other: Envelope): boolean {
  const [at, otherAt] = [parseTimestamp(event.timestamp), parseTimestamp(other.timestamp)];
  return at !== undefined && otherAt !== undefined && isBefore(at, otherAt);
}
