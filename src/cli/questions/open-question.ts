// One open question at the desk, and how it is spoken of.
import type { Envelope } from "#gen/aaep/types.js";
import type { SubscriberReply } from "../../client/subscriber-options.js";
import { eventText, summaryOf } from "../terminal/event-text.js";
import { shownText } from "../terminal/shown-text.js";
import { type AskedQuestion, timeLine } from "./asked-question.js";

/** Where questions come from and answers go: one daemon. */
export interface QuestionSource {
  /** Its name, where several are followed. */
  readonly label: string;
  /** False where there is no subscription at the moment. */
  readonly reply: (reply: SubscriberReply) => boolean;
  /** The open question with its most detailed summary, which this subscription is not sent otherwise. Undefined where it cannot be had. */
  readonly whole: (question: AskedQuestion) => Promise<Envelope | undefined>;
}

export type QuestionState = "waiting" | "left" | "sent" | "unreachable";

export interface OpenQuestion {
  /** By which it is named here, from 1. */
  readonly number: number;
  readonly source: QuestionSource;
  readonly question: AskedQuestion;
  state: QuestionState;
  /** What was answered, as the resolution would name it. */
  sent: string | undefined;
  /** In detail, once that was wanted. */
  whole: Promise<Envelope | undefined> | undefined;
  /** How many of its details have been told; from the first again after the last. */
  detailsTold: number;
  readonly cancelTimers: (() => void)[];
}

export const nameOf = ({ number }: OpenQuestion): string => `Question ${number}`;
export const nameInSentence = ({ number }: OpenQuestion): string => `question ${number}`;

/** With who asks, and where, if that is somebody else. */
export function nameWithAgent({ number, source, question: { agent } }: OpenQuestion): string {
  const place = shownText(source.label);
  return `Question ${number} of ${agent}${place === "" || place === agent ? "" : `, at ${place}`}`;
}

const QUESTION_STATES: Readonly<Record<QuestionState, string>> = {
  waiting: "waiting",
  left: "left for later",
  sent: "answered",
  unreachable: "connection lost",
};

/** A line of the list of what is open. */
export function listLine(one: OpenQuestion, isAsked: boolean, wallTime: number): string {
  const { event } = one.question;
  const asked = shownText(String(event.action ?? event.question ?? ""));
  const state = isAsked ? "being asked" : QUESTION_STATES[one.state];
  return `${nameWithAgent(one)}, ${state}: ${asked} ${timeLine(one.question, wallTime)}`;
}

/** How it ended. An answer that somebody else's, or time, was ahead of is said to have been (H8). */
export function outcomeInWords(one: OpenQuestion, event: Envelope): string {
  const { decision, decided_by: by } = event.extensions?.aaepd ?? {};
  const text = shownText(summaryOf(event)) || eventText(event).text;
  const isOther = typeof decision === "string" && one.sent !== undefined && (decision !== one.sent || by !== "reply");
  return isOther ? `Your answer did not decide it. ${text}` : text;
}
