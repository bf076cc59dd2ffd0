// Puts the questions of all followed daemons to one person, one at a time. A typed line answers the question being asked, identified by its token,
// and no other (pitfall H11). When a question ends while the person types, half a line may stand in the terminal unseen. The first line after that
// therefore answers nothing.
import type { Envelope } from "#gen/aaep/types.js";
import type { SubscriberReply } from "../../client/subscriber-options.js";
import type { Clock } from "../../contracts/clock.js";
import { endsSession } from "../terminal/event-text.js";
import { createSettling } from "../terminal/settling.js";
import { ANSWER_HELP } from "./answer-help.js";
import { type AskedQuestion, answerInWords, questionFromEvent, questionLines, timeLine } from "./asked-question.js";
import { type EndedQuestion, endedInWords, numbersInWords } from "./ended-questions.js";
import {
  listLine,
  nameInSentence,
  nameOf,
  nameWithAgent,
  type OpenQuestion,
  outcomeInWords,
  type QuestionSource,
} from "./open-question.js";
import { detailsPage } from "./question-details.js";
import { readAnswer, readCommand, type Typed } from "./typed-answer.js";

export interface QuestionPrompt {
  /** Takes an event of a daemon. Returns whether the prompt told the event, so that it need not be shown again (A6). */
  readonly heard: (source: QuestionSource, event: Envelope) => boolean;
  /** Reports that the answer to this question did not count. `isOpen`: whether the question can still be answered. */
  readonly notTaken: (source: QuestionSource, token: string, isOpen: boolean) => void;
  /** Reports an interrupted subscription: its questions cannot be answered. */
  readonly interrupted: (source: QuestionSource) => void;
  /** Reports a restored subscription and its open questions. */
  readonly restored: (source: QuestionSource, open: readonly Envelope[]) => void;
  /** Takes a typed line. */
  readonly typed: (line: string) => void;
  /** Whether any question has arrived so far. */
  readonly wasAsked: () => boolean;
  /** Whether a line typed now has an effect: a question is being asked, or one has ended for which the line may have been begun. */
  readonly takesLine: () => boolean;
  /** Ends the prompt: nothing can be answered any more. */
  readonly close: () => void;
}

export interface QuestionPromptOptions {
  readonly say: (line: string) => void;
  readonly clock: Pick<Clock, "now" | "wallTime" | "wakeAt">;
  /**
   * Answers within this time after the question was asked are not sent, ms: nobody can have heard the question, so the answer was meant for another.
   * 0 for piped answers.
   */
  readonly tooSoonMs: number;
  /** Reports that a typed line has an effect from now on. */
  readonly onTakesLine: () => void;
}

/** Longest wait, after its deadline or after an answer, for the daemon to report a question's outcome, ms. */
const OUTCOME_MS = 3000;

/** Whether the line leaves the question unchanged, so that it is taken whichever question it was begun for. */
const isCommand = ({ kind }: Typed): boolean => ["repeat", "details", "time", "list", "open", "help"].includes(kind);

/** Whether the event may be about the time left to answer a question (AAEP §6.4.3). */
const isReminder = ({ type }: Envelope): boolean => type.endsWith("agent.progress.updated");

export function createQuestionPrompt({ say, clock, tooSoonMs, onTakesLine }: QuestionPromptOptions): QuestionPrompt {
  const open: OpenQuestion[] = [];
  let current: OpenQuestion | undefined;
  /** Questions that ended or went out of reach while they were being asked, and since which no line was typed. */
  let endedUnderHand: readonly OpenQuestion[] = [];
  // Many questions end at once when an agent or a daemon stops. When no more end, the next is asked and the outcomes of the others are told.
  const settling = createSettling(clock, settled);
  let endedUnasked: EndedQuestion[] = [];
  let untold: OpenQuestion[] = [];
  let askedAt = 0;
  let count = 0;
  let hasExplained = false;

  function ask(one: OpenQuestion): void {
    current = one;
    one.state = "waiting";
    askedAt = clock.now();
    tell(one);
    const before = lineBegunFor(one);
    if (before !== undefined)
      say(`${nameOf(before)} has gone: press Enter before you answer. A line that was begun for it is not sent.`);
    // Explained once (A18).
    if (!hasExplained)
      say(
        "r repeats this, d tells details, t tells the time left, s leaves it for later, l lists what is open, h explains.",
      );
    hasExplained = true;
    onTakesLine();
  }

  function takesLine(): boolean {
    return current !== undefined || (endedUnderHand.length > 0 && !settling.isOn());
  }

  function tell(one: OpenQuestion): void {
    for (const line of questionLines(one.question, nameWithAgent(one), clock.now())) say(line);
  }

  async function tellDetails(one: OpenQuestion): Promise<void> {
    one.whole ??= one.source.whole(one.question);
    const { event } = one.question;
    const whole = (await one.whole) ?? event;
    if (whole === event) one.whole = undefined;
    if (current !== one) return;
    const { lines, next } = detailsPage(whole, one.detailsTold);
    one.detailsTold = next;
    for (const line of lines) say(line);
  }

  /** Another question that the next line may have been begun for. */
  function lineBegunFor(one: OpenQuestion): OpenQuestion | undefined {
    return endedUnderHand.findLast((other) => other !== one);
  }

  function askNext(): void {
    if (settling.isOn()) return;
    // The fate of an answer is told before the next question is asked.
    if (current !== undefined || open.some(({ state }) => state === "sent")) return;
    const next = open.find(({ state }) => state === "waiting");
    if (next !== undefined) ask(next);
    else if (takesLine()) onTakesLine();
  }

  function add(source: QuestionSource, question: AskedQuestion): void {
    count += 1;
    const one: OpenQuestion = {
      number: count,
      source,
      question,
      state: "waiting",
      sent: undefined,
      whole: undefined,
      detailsTold: 0,
      cancelTimers: [],
    };
    open.push(one);
    one.cancelTimers.push(clock.wakeAt(question.deadline + OUTCOME_MS, () => end(one, "Its time is over.")));
    askNext();
    if (settling.isOn()) untold.push(one);
    else if (current !== one) say(`${nameWithAgent(one)} is open as well.`);
  }

  function end(one: OpenQuestion, outcome: string, decision?: string): void {
    const index = open.indexOf(one);
    if (index === -1) return;
    open.splice(index, 1);
    for (const cancel of one.cancelTimers) cancel();
    if (current === one) {
      leaveUnanswered(one);
      say(`${nameOf(one)} has ended without your answer: ${outcome}`);
      settling.disturb();
    } else if (one.state === "sent") {
      say(`${nameOf(one)} has ended: ${outcome}`);
      askNext();
    } else {
      endedUnasked.push({ number: one.number, outcome, decision });
      settling.disturb();
    }
  }

  function settled(): void {
    tellEnded();
    askNext();
    const others = untold.filter((one) => one !== current && one.state === "waiting" && open.includes(one));
    untold = [];
    const [first, second] = others;
    if (second !== undefined) say(`Questions ${numbersInWords(others.map(({ number }) => number))} are open as well.`);
    else if (first !== undefined) say(`${nameWithAgent(first)} is open as well.`);
  }

  function tellEnded(): void {
    const text = endedInWords(endedUnasked);
    endedUnasked = [];
    if (text !== undefined) say(text);
  }

  function leaveUnanswered(one: OpenQuestion): void {
    current = undefined;
    endedUnderHand = [...endedUnderHand.filter((other) => other !== one), one];
  }

  function find(source: QuestionSource, event: Envelope): OpenQuestion | undefined {
    const about = event.extensions?.aaepd?.question;
    return open.find((one) => one.source === source && one.question.event.event_id === about);
  }

  /** The questions that this event ends. If the event names none, those of the agent that no longer waits (AAEP §6.7.2). */
  function endedBy(source: QuestionSource, event: Envelope): readonly OpenQuestion[] {
    const ofSession = open.filter((one) => one.source === source && one.question.event.session_id === event.session_id);
    if (endsSession(event)) return ofSession;
    if (!event.type.endsWith("agent.state.changed") || event.from_state !== "awaiting_input") return [];
    const named = find(source, event);
    if (named !== undefined) return event.extensions?.aaepd?.asks === undefined ? [named] : [];
    if (event.to_state === "awaiting_input" || event.extensions?.aaepd?.by === "daemon") return [];
    return ofSession.filter((one) => one.question.event.producer?.agent_id === event.producer?.agent_id);
  }

  function send(one: OpenQuestion, answer: Extract<Typed, { kind: "decision" | "response" }>): void {
    const reply_token = one.question.token;
    const reply: SubscriberReply =
      answer.kind === "decision"
        ? { reply_token, decision: answer.decision }
        : { reply_token, response: answer.response };
    if (!one.source.reply(reply)) {
      say("Not sent: there is no connection at the moment.");
      return;
    }
    one.state = "sent";
    one.sent = answer.kind === "decision" ? `${answer.decision}ed` : "answered";
    current = undefined;
    const { answerable } = one.question;
    say(`Sent: ${answer.kind === "decision" ? answer.decision : answerInWords(answer.response, answerable)}.`);
    one.cancelTimers.push(
      // Earlier versions of the daemon do not report an answer that did not count. An answer that counted is reported at once.
      clock.wakeAt(clock.now() + OUTCOME_MS, () => {
        if (one.sent !== undefined) askAgain(one);
      }),
    );
  }

  /** Asks a question again whose answer did not count. Nobody is told the reason (AAEP §6.3.4). */
  function askAgain(one: OpenQuestion): void {
    if (one.state !== "sent") return;
    say(`${nameOf(one)} is still open: the answer has not counted.`);
    one.state = "waiting";
    if (current === undefined && !settling.isOn()) ask(one);
  }

  function list(): void {
    if (open.length === 0) say("No question is open.");
    for (const one of open) say(listLine(one, one === current, clock.now()));
    if (open.length > 0) say("o and a number asks one of them now.");
  }

  function askNumber(number: number): void {
    const one = open.find((candidate) => candidate.number === number);
    if (one === undefined || one.state === "sent" || one.state === "unreachable") {
      say(`Question ${number} cannot be answered now.`);
      return;
    }
    ask(one);
  }

  function answer(one: OpenQuestion, line: string): void {
    const typed = readAnswer(line, one.question.answerable);
    const before = lineBegunFor(one);
    endedUnderHand = [];
    if (before !== undefined && !isCommand(typed)) {
      notTaken(one, before, typed);
      return;
    }
    switch (typed.kind) {
      case "decision":
      case "response":
        if (clock.now() - askedAt < tooSoonMs) {
          say(`Not sent: ${nameOf(one)} had only just been asked. Wait a second, then type the answer again.`);
        } else {
          send(one, typed);
        }
        return;
      case "repeat":
        tell(one);
        return;
      case "details":
        void tellDetails(one);
        return;
      case "time":
        say(timeLine(one.question, clock.now()));
        return;
      case "skip":
        one.state = "left";
        current = undefined;
        say(`${nameOf(one)} is left open. o ${one.number} asks it again.`);
        askNext();
        return;
      case "nothing":
        say("Nothing was sent. r repeats the question.");
        return;
      case "unclear":
        say(`Not sent. ${typed.why}`);
        return;
      default:
        command(typed);
    }
  }

  function notTaken(one: OpenQuestion, before: OpenQuestion, typed: Typed): void {
    if (typed.kind === "nothing") {
      say(`${nameOf(one)} can be answered now. r repeats it.`);
      return;
    }
    say(
      `Not sent: it may have been begun for ${nameInSentence(before)}, which has gone. ${nameOf(one)} is asked now. r repeats it.`,
    );
  }

  /** Runs a command that may be typed whether or not a question is being asked. */
  function command(typed: Typed | undefined): void {
    switch (typed?.kind) {
      case "list":
        list();
        return;
      case "open":
        askNumber(typed.number);
        return;
      case "help":
        for (const line of ANSWER_HELP) say(line);
        return;
      case "nothing":
        return;
      default:
        say("Not sent: no question is being asked. l lists what is open.");
    }
  }

  return {
    heard: (source, event) => {
      const question = questionFromEvent(event, clock);
      if (question !== undefined) {
        if (open.every(({ question: known }) => known.token !== question.token)) add(source, question);
        return true;
      }
      const timed = isReminder(event) ? find(source, event) : undefined;
      if (timed !== undefined) {
        // By its number: the person may be answering another one.
        if (timed.state !== "sent") say(`${nameWithAgent(timed)}: ${timeLine(timed.question, clock.now())}`);
        return true;
      }
      const ended = endedBy(source, event);
      const decision = event.extensions?.aaepd?.decision;
      for (const one of ended)
        end(one, outcomeInWords(one, event), typeof decision === "string" ? decision : undefined);
      return ended.length > 0 && !endsSession(event);
    },
    notTaken: (source, token, isOpen) => {
      const one = open.find((candidate) => candidate.source === source && candidate.question.token === token);
      if (one?.state !== "sent") return;
      if (isOpen) {
        askAgain(one);
        return;
      }
      say(`Your answer to ${nameInSentence(one)} has not counted: it had ended already.`);
      // The outcome is still to come.
      one.sent = undefined;
    },
    interrupted: (source) => {
      const lost = open.filter((one) => one.source === source);
      for (const one of lost) one.state = "unreachable";
      if (lost.length > 0) say("The connection is lost. What was asked there cannot be answered until it is back.");
      if (current?.source === source) leaveUnanswered(current);
      if (lost.length > 0) settling.disturb();
    },
    restored: (source, events) => {
      const tokens = new Set(events.map(({ reply_token: token }) => token));
      for (const one of open.filter((candidate) => candidate.source === source)) {
        if (!tokens.has(one.question.token)) end(one, "It was resolved while the connection was lost.");
        else if (one.state === "unreachable") one.state = "waiting";
      }
      for (const event of events) {
        const question = questionFromEvent(event, clock);
        const isKnown = open.some(({ question: known }) => known.token === question?.token);
        if (question !== undefined && !isKnown) add(source, question);
      }
      askNext();
    },
    typed: (line) => {
      if (current === undefined) {
        // While the next question is undecided, a line after this one may also have been begun for an ended question.
        if (!settling.isOn()) endedUnderHand = [];
        command(readCommand(line));
      } else {
        answer(current, line);
      }
    },
    wasAsked: () => count > 0,
    takesLine,
    close: () => {
      settling.cancel();
      tellEnded();
      for (const one of open.splice(0)) for (const cancel of one.cancelTimers) cancel();
      current = undefined;
    },
  };
}
