// One open question at the prompt and the words for it, the questions that an event ends, and the line about those that ended without being asked.
import type { Envelope } from "#gen/aaep/types.js";
import { textOf } from "../../base/members.js";
import type { SubscriberReply } from "../../client/listener/types.js";
import type { Millis } from "../../contracts/clock.js";
import { isBefore, parseTimestamp } from "../../engine/event/timestamps.js";
import { agentText, consentText } from "../terminal/agent-text.js";
import { coreTopicOf, endsSession, eventText, summaryOf } from "../terminal/event-text.js";
import { type AskedQuestion, cutsDetails, sentence, timeLine } from "./asked-question.js";

/** The daemon that a question comes from and its answer goes to. */
export interface QuestionSource {
  /** Name of the daemon, if several are followed. */
  readonly label: string;
  /** Sends a reply. False if there is no subscription at the moment. */
  readonly reply: (reply: SubscriberReply) => boolean;
  /** Leaves the question to the agent's own window (R5b). False if there is no subscription at the moment. */
  readonly leave: (question: AskedQuestion) => boolean;
  /**
   * Returns the open question with its most detailed summary, which this subscription is otherwise not sent. Undefined if the question is not
   * available.
   */
  readonly whole: (question: AskedQuestion) => Promise<Envelope | undefined>;
}

type QuestionState = "waiting" | "left" | "sent" | "unreachable";

export interface OpenQuestion {
  /** Number by which the prompt names the question, from 1. */
  readonly number: number;
  readonly source: QuestionSource;
  readonly question: AskedQuestion;
  state: QuestionState;
  /** The answer sent, in the words of the resolution. */
  sent: string | undefined;
  /** The detailed event, after the first request for details. */
  whole: Promise<Envelope | undefined> | undefined;
  /** Number of details told; 0 again after the last. */
  detailsTold: number;
  /** Lines of what is asked that were spelled; 0 again after the last. */
  spelledTold: number;
  /** Details were cut when the question was told, and not told since. A yes is then asked for once more. */
  isCut: boolean;
  readonly cancelTimers: (() => void)[];
}

export function openQuestion(number: number, source: QuestionSource, question: AskedQuestion): OpenQuestion {
  return {
    number,
    source,
    question,
    state: "waiting",
    sent: undefined,
    whole: undefined,
    detailsTold: 0,
    spelledTold: 0,
    isCut: cutsDetails(question.event.extra_context),
    cancelTimers: [],
  };
}

export const nameOf = ({ number }: OpenQuestion): string => `Question ${number}`;
export const nameInSentence = ({ number }: OpenQuestion): string => `question ${number}`;

/** Name of the question with the asking agent, and with the daemon if its name differs. */
export function nameWithAgent({ number, source, question: { agent } }: OpenQuestion): string {
  const place = agentText(source.label);
  return `Question ${number} of ${agent}${place === "" || place === agent ? "" : `, at ${place}`}`;
}

const QUESTION_STATES: Readonly<Record<QuestionState, string>> = {
  waiting: "waiting",
  left: "left for later",
  sent: "answered",
  unreachable: "connection lost",
};

/** A line of the list of open questions. */
export function listLine(one: OpenQuestion, isAsked: boolean, now: Millis): string {
  const { event } = one.question;
  const asked = consentText(textOf(event.action ?? event.question));
  const state = isAsked ? "being asked" : QUESTION_STATES[one.state];
  return `${nameWithAgent(one)}, ${state}: ${sentence(asked)} ${timeLine(one.question, now)}`;
}

/** The value of `sent` for a question that this person left to the agent's own window. */
export const LEFT = "left";

/** By the answer sent, in the words of the resolution. */
const OWN_OUTCOMES: Readonly<Record<string, string>> = {
  accepted: "Accepted",
  rejected: "Rejected",
  answered: "Answered",
};

/** Describes the outcome. The line says so if another reply, or the time limit, came before this person's answer. */
export function outcomeInWords(one: OpenQuestion, event: Envelope): string {
  const { decision, decided_by: by } = event.extensions?.aaepd ?? {};
  // Of an answer that decided, the person knows the question and has heard what was sent.
  const own = OWN_OUTCOMES[one.sent ?? ""];
  if (own !== undefined && decision === one.sent && by === "reply") return `${own}.`;
  if (one.sent === LEFT && by === "host_window") return "You left it to the agent's window.";
  const text = consentText(summaryOf(event)) || eventText(event).text;
  if (one.sent === LEFT) return text;
  const isOther = typeof decision === "string" && one.sent !== undefined && (decision !== one.sent || by !== "reply");
  return isOther ? `Your answer did not decide it. ${text}` : text;
}

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
export function isReminder(event: Envelope): boolean {
  return coreTopicOf(event) === "progress.updated";
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
 * The questions that this event ends. If the event names none, those of the agent that no longer waits (AAEP §6.7.2), and were asked before: an
 * older event may come behind a question (R4).
 */
export function endedBy(
  open: readonly OpenQuestion[],
  source: QuestionSource,
  event: Envelope,
): readonly OpenQuestion[] {
  const ofSession = open.filter((one) => one.source === source && one.question.event.session_id === event.session_id);
  if (endsSession(event)) return ofSession;
  if (coreTopicOf(event) !== "state.changed" || event.from_state !== "awaiting_input") return [];
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
