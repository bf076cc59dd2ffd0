// The open questions, by number: their words, and the one that an answer goes to.
import type { Envelope } from "#gen/aaep/types.js";
import { keepNewest } from "../../base/keep-newest.js";
import { textOf } from "../../base/members.js";
import type { SubscriberReply } from "../../client/listener/types.js";
import type { Clock, Millis } from "../../contracts/clock.js";
import { isHostDialog } from "../../engine/event/own-members.js";
import type { Part } from "../../speak/speech.js";
import {
  type Answerable,
  type AskedQuestion,
  afterwards,
  answerInWords,
  numbersChoose,
  questionFromEvent,
  type ResponseKind,
  riskLine,
  withoutIds,
} from "../questions/asked-question.js";
import { readAnswer, type Typed } from "../questions/typed-answer.js";
import { counted } from "../terminal/amounts.js";
import { endsSession } from "../terminal/event-text.js";
import { languageOf, named, own, revealedPart, spokenName } from "./spoken-parts.js";

export interface SpokenQuestion {
  /** From 1, for people. */
  readonly number: number;
  readonly asked: AskedQuestion;
  /** When its first words and its last word were said. */
  begunAt: Millis | undefined;
  saidAt: Millis | undefined;
  /** Its agent was heard again since: its own window has decided it, perhaps. */
  hasMovedOn: boolean;
  /** How many details were told. */
  detailsTold: number;
}

/** An answer to send, or the sentence that says why none is sent. */
type ReadAnswer =
  | { readonly kind: "leave"; readonly question: SpokenQuestion }
  | {
      readonly kind: "reply";
      readonly question: SpokenQuestion;
      readonly reply: SubscriberReply;
      readonly said: string;
    }
  | { readonly kind: "none"; readonly why: string };

/** A question that began so recently that an answer may be meant for the one before, ms. */
const JUST_BEGUN_MS = 1000;
/** Questions whose numbers are known after their end, the newest. */
const MOST_NUMBERED = 1024;

export interface SpokenQuestions {
  /** Undefined if the event asks nothing new. */
  readonly ask: (event: Envelope) => SpokenQuestion | undefined;
  /** Takes any other event. Returns the questions that it ends. */
  readonly heard: (event: Envelope) => readonly SpokenQuestion[];
  readonly open: () => readonly SpokenQuestion[];
  readonly byToken: (token: string) => SpokenQuestion | undefined;
  /** Its number, also after its end; undefined for a token that asked nothing here, or long ago. */
  readonly numberOf: (token: string) => number | undefined;
  /** Removes a question that has ended unheard. */
  readonly forget: (question: SpokenQuestion) => void;
  /** The words of a question behind its opening. */
  readonly parts: (question: SpokenQuestion) => readonly Part[];
  /** The question that was said to its end last, open or not. */
  readonly lastSaid: () => SpokenQuestion | undefined;
  readonly noteSaid: (question: SpokenQuestion) => void;
  readonly answer: (words: string, number: number | undefined) => ReadAnswer;
}

export function createSpokenQuestions(clock: Pick<Clock, "now" | "wallTime">): SpokenQuestions {
  const open = new Map<string, SpokenQuestion>();
  const numbers = new Map<string, number>();
  let count = 0;
  let last: SpokenQuestion | undefined;

  function end(ended: readonly SpokenQuestion[]): readonly SpokenQuestion[] {
    for (const { asked } of ended) open.delete(asked.token);
    return ended;
  }

  /** The question that an answer goes to, or why there is none. */
  function target(number: number | undefined): SpokenQuestion | string {
    const all = [...open.values()];
    if (number !== undefined)
      return all.find((one) => one.number === number) ?? `Question ${number} is not open. Nothing was sent.`;
    if (last === undefined) return "No question was said to its end yet. Nothing was sent.";
    const said = last;
    if (!open.has(said.asked.token)) return `Question ${said.number} has ended. Nothing was sent.`;
    const newer = all.find(
      ({ number: other, begunAt }) =>
        other !== said.number &&
        begunAt !== undefined &&
        begunAt > (said.saidAt ?? 0) &&
        clock.now() - begunAt < JUST_BEGUN_MS,
    );
    if (newer !== undefined) return `Question ${newer.number} has just begun. Nothing was sent.`;
    if (isHostDialog(said.asked.event) && said.hasMovedOn)
      return `Question ${said.number} may be over: its agent has gone on. To answer it all the same, name its number. Nothing was sent.`;
    return said;
  }

  return {
    ask: (event) => {
      const asked = questionFromEvent(event, clock);
      if (asked === undefined || open.has(asked.token)) return undefined;
      count += 1;
      const question = {
        number: count,
        asked,
        begunAt: undefined,
        saidAt: undefined,
        hasMovedOn: false,
        detailsTold: 0,
      };
      open.set(asked.token, question);
      numbers.set(asked.token, count);
      keepNewest(numbers, MOST_NUMBERED);
      return question;
    },
    heard: (event) => {
      const all = [...open.values()];
      const ofSession = all.filter(({ asked }) => asked.event.session_id === event.session_id);
      if (endsSession(event)) return end(ofSession);
      const { question: about, decision, by } = event.extensions?.aaepd ?? {};
      if (decision !== undefined) return end(all.filter(({ asked }) => asked.event.event_id === about));
      // A question overtakes what was written before it.
      const isLater = ({ asked }: SpokenQuestion): boolean =>
        Date.parse(event.timestamp) > Date.parse(asked.event.timestamp);
      if (by !== "daemon") for (const one of ofSession.filter(isLater)) one.hasMovedOn = true;
      return [];
    },
    open: () => [...open.values()],
    byToken: (token) => open.get(token),
    numberOf: (token) => numbers.get(token),
    forget: ({ asked }) => void open.delete(asked.token),
    parts: ({ number, asked }) => questionParts(number, asked, clock.now()),
    lastSaid: () => last,
    noteSaid: (question) => {
      question.saidAt = clock.now();
      last = question;
    },
    answer: (words, number) => {
      const question = target(number);
      if (typeof question === "string") return { kind: "none", why: question };
      return answerOf(question, words);
    },
  };
}

function answerOf(question: SpokenQuestion, words: string): ReadAnswer {
  const { answerable, event, token } = question.asked;
  const typed = typedAnswer(words, answerable, isHostDialog(event));
  switch (typed.kind) {
    case "leave":
      return { kind: "leave", question };
    case "decision": {
      const { decision } = typed;
      return { kind: "reply", question, reply: { reply_token: token, decision }, said: `${decision}.` };
    }
    case "response": {
      const { response } = typed;
      return { kind: "reply", question, reply: { reply_token: token, response }, said: readBack(response, answerable) };
    }
    default:
      return {
        kind: "none",
        why: `That is no answer to question ${question.number}. ${waysToAnswer(answerable, isHostDialog(event))} Nothing was sent.`,
      };
  }
}

/** The words of `tail`'s commands are no commands here. */
function typedAnswer(words: string, answerable: Answerable, canLeave: boolean): Typed {
  const typed = readAnswer(words, answerable, canLeave);
  const isAnswer = ["decision", "response", "leave", "unclear", "nothing"].includes(typed.kind);
  return isAnswer ? typed : readAnswer(`=${words}`, answerable, canLeave);
}

/** Free text is read back by its length and its first word. */
function readBack(response: string | number | boolean, answerable: Answerable): string {
  const isChoice = answerable.kind === "clarification" && answerable.choices.some(({ value }) => value === response);
  if (typeof response !== "string" || isChoice) return `${answerInWords(response, answerable)}.`;
  const words = response.trim().split(/\s+/);
  return `${counted(words.length, "word")}, beginning with ${words[0]?.slice(0, 40)}.`;
}

function questionParts(number: number, { event, answerable, deadline }: AskedQuestion, now: Millis): readonly Part[] {
  const labelled = (label: string, value: unknown): readonly Part[] => {
    const text = textOf(value);
    return text === "" ? [] : [own(label), revealedPart(text, languageOf(event))];
  };
  const choices = answerable.kind === "clarification" ? answerable.choices : [];
  const [then, answer] = afterwards(event, answerable);
  const without = then.replace(/^then/, "Without an answer,");
  const hasDetails = textOf(event.summary_detailed) !== "" || Object.keys(withoutIds(event.extra_context)).length > 0;
  return [
    ...labelled(`Question ${number}.`, answerable.kind === "confirmation" ? event.action : event.question),
    ...labelled("Consequence:", event.consequence),
    ...labelled("Context:", event.context),
    ...riskLine(event).map(own),
    ...choices.flatMap(({ label }, index) => [own(`Choice ${index + 1}:`), revealedPart(label, languageOf(event))]),
    ...(hasDetails ? [own("The key details tells more.")] : []),
    ...(answer === undefined ? [own(`${without}.`)] : [own(`${without}:`), revealedPart(answer, languageOf(event))]),
    // The last words, because an answer counts behind them.
    own(`${waysToAnswer(answerable, isHostDialog(event))} ${timeLeft(deadline - now)}`),
  ];
}

function timeLeft(ms: Millis): string {
  const seconds = Math.max(1, Math.round(ms / 1000));
  return `${seconds < 120 ? counted(seconds, "second") : counted(Math.round(seconds / 60), "minute")} to answer.`;
}

/** The possible answers in a sentence. */
function waysToAnswer(answerable: Answerable, canLeave: boolean): string {
  const leave = canLeave ? ", or leave to answer it in the agent's own window" : "";
  if (answerable.kind === "confirmation") return `Answer ${answerable.allowed.join(" or ")}${leave}.`;
  const { kinds } = answerable;
  const ways: Readonly<Record<ResponseKind, string>> = {
    multiple_choice: numbersChoose(kinds) ? "the number of a choice" : "c and the number of a choice",
    yes_no: "yes or no",
    numeric: "a number",
    freetext: "in your own words",
  };
  return `Answer ${kinds.map((kind) => ways[kind]).join(", or ")}${leave}.`;
}

/** All open questions, one after the other. */
export function listParts(questions: SpokenQuestions): readonly Part[] {
  const all = questions.open();
  if (all.length === 0) return [own("No open questions.")];
  return [
    ...(all.length === 1 ? [] : [own(`${all.length} open questions.`)]),
    ...all.flatMap((one) => wholeParts(questions, one)),
  ];
}

/** A question with its agent in front. */
export function wholeParts(questions: SpokenQuestions, question: SpokenQuestion): readonly Part[] {
  const { event } = question.asked;
  return [...named(spokenName(event), " asks.", languageOf(event)), ...questions.parts(question)];
}
