// The questions that an event ends, and the line that reports those that ended without being asked.
import type { Envelope } from "#gen/aaep/types.js";
import { isBefore, parseTimestamp } from "../../engine/event/timestamps.js";
import { endsSession } from "../terminal/event-text.js";
import type { OpenQuestion, QuestionSource } from "./open-question.js";

/** A question that has ended. */
export interface EndedQuestion {
  readonly number: number;
  /** The outcome, in a sentence. */
  readonly outcome: string;
  /** The outcome in the daemon's one word; undefined if the event had none. */
  readonly decision: string | undefined;
}

/** The daemon's words (`extensions.aaepd.decision`); other words are not repeated. */
const DECISIONS = ["accepted", "rejected", "answered", "unanswered", "cancelled"];

/** Returns undefined if no question has ended. */
export function endedInWords(ended: readonly EndedQuestion[]): string | undefined {
  const [first, second] = ended;
  if (first === undefined) return undefined;
  if (second === undefined) return `Question ${first.number} has ended: ${first.outcome}`;
  const counts = DECISIONS.flatMap((decision) => {
    const count = ended.filter((one) => one.decision === decision).length;
    return count === 0 ? [] : [`${count} ${decision}`];
  });
  const how = counts.length === 0 ? "" : `: ${counts.join(", ")}`;
  return `Questions ${numbersInWords(ended.map(({ number }) => number))} have ended${how}.`;
}

/** Formats numbers, as in "2, 4 and 7 to 11". */
export function numbersInWords(numbers: readonly number[]): string {
  const runs: { readonly from: number; to: number }[] = [];
  for (const number of numbers.toSorted((one, other) => one - other)) {
    const last = runs.at(-1);
    if (last?.to === number - 1) last.to = number;
    else runs.push({ from: number, to: number });
  }
  const parts = runs.flatMap(({ from, to }) =>
    to - from < 2 ? [...new Set([from, to])].map(String) : [`${from} to ${to}`],
  );
  return new Intl.ListFormat("en-GB").format(parts);
}

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
