// One open question at the prompt, and the words for it.
import type { Envelope } from "#gen/aaep/types.js";
import { textOf } from "../../base/members.js";
import type { SubscriberReply } from "../../client/listener/types.js";
import type { Millis } from "../../contracts/clock.js";
import { agentText, consentText } from "../terminal/agent-text.js";
import { eventText, summaryOf } from "../terminal/event-text.js";
import { type AskedQuestion, sentence, timeLine } from "./asked-question.js";
import { cutsDetails } from "./question-details.js";

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
