// Puts the questions of all followed daemons to one person, one at a time. A typed line answers the question being asked, identified by its token,
// and no other. When a question ends while the person types, half a line may stand in the terminal unseen. The first line after that
// therefore answers nothing.

import type { Envelope } from "#gen/aaep/types.js";
import type { SubscriberReply } from "../../client/listener/types.js";
import type { Clock } from "../../contracts/clock.js";
import { isHostDialog } from "../../engine/event/own-members.js";
import { endsSession } from "../terminal/event-text.js";
import { createSettling } from "../terminal/settling.js";
import { ANSWER_HELP } from "./answer-help.js";
import {
  type AskedQuestion,
  answerInWords,
  decisionInWords,
  detailsPage,
  questionFromEvent,
  questionLines,
  spelledPage,
  timeLine,
} from "./asked-question.js";
import {
  type EndedQuestion,
  endedBy,
  endedInWords,
  isReminder,
  LEFT,
  listLine,
  namedBy,
  nameInSentence,
  nameOf,
  nameWithAgent,
  numbersInWords,
  type OpenQuestion,
  openQuestion,
  outcomeInWords,
  type QuestionSource,
} from "./open-question.js";
import { readAnswer, readAnywhere, type Typed } from "./typed-answer.js";

const NO_CONNECTION = "Not sent: there is no connection at the moment.";

/** Longest wait, after its deadline or after an answer, for the daemon to report a question's outcome, ms. */
const OUTCOME_MS = 3000;

/** Whether the line leaves the question unchanged, so that it is taken whichever question it was begun for. */
const isCommand = ({ kind }: Typed): boolean =>
  ["repeat", "details", "spell", "time", "list", "open", "key", "help"].includes(kind);

interface QuestionPromptOptions {
  readonly say: (line: string) => void;
  readonly clock: Pick<Clock, "now" | "wallTime" | "wakeAt">;
  /**
   * Answers within this time after the question was asked are not sent, ms: nobody can have heard the question, so the answer was meant for another.
   * 0 for piped answers.
   */
  readonly tooSoonMs: number;
  /** Takes "stop", or a word about what is shown. */
  readonly key: (typed: Extract<Typed, { kind: "key" }>) => void;
  /** Reports that a typed line has an effect from now on. */
  readonly onTakesLine: () => void;
}

export function createQuestionPrompt({ say, clock, tooSoonMs, key, onTakesLine }: QuestionPromptOptions) {
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
    // Explained once.
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
    const { lines, next } = detailsPage(whole, one.detailsTold, { details: "d", repeat: "r" });
    one.detailsTold = next;
    if (next === 0) one.isCut = false;
    for (const line of lines) say(line);
  }

  function tellSpelled(one: OpenQuestion): void {
    const { lines, next } = spelledPage(one.question.event, one.spelledTold);
    one.spelledTold = next;
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
    const one = openQuestion(count, source, question);
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

  function send(one: OpenQuestion, answer: Extract<Typed, { kind: "decision" | "response" }>) {
    const reply_token = one.question.token;
    const reply: SubscriberReply =
      answer.kind === "decision"
        ? { reply_token, decision: answer.decision }
        : { reply_token, response: answer.response };
    if (!one.source.reply(reply)) return say(NO_CONNECTION);
    const { answerable } = one.question;
    say(
      `Sent: ${answer.kind === "decision" ? decisionInWords(answer.decision) : answerInWords(answer.response, answerable)}.`,
    );
    awaitOutcome(one, answer.kind === "decision" ? `${answer.decision}ed` : "answered");
  }

  function awaitOutcome(one: OpenQuestion, sent: string): void {
    one.state = "sent";
    one.sent = sent;
    current = undefined;
    one.cancelTimers.push(
      // Earlier versions of the daemon do not report an answer that did not count. An answer that counted is reported at once.
      clock.wakeAt(clock.now() + OUTCOME_MS, () => {
        if (one.sent === sent) askAgain(one);
      }),
    );
  }

  /** Leaves a question to the agent's own window (R5b). */
  function leave(one: OpenQuestion): void {
    if (!isHostDialog(one.question.event)) {
      say("Not sent. Its agent asks this nowhere else. s leaves it for later.");
    } else if (one.source.leave(one.question)) {
      say("Sent: leave.");
      awaitOutcome(one, LEFT);
    } else say(NO_CONNECTION);
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
    if (open.length > 0) say("o and a number, as in o 1, asks one of them now.");
  }

  function askNumber(number: number): void {
    const one = open.find((candidate) => candidate.number === number);
    if (one === undefined || one.state === "sent" || one.state === "unreachable")
      say(`Question ${number} cannot be answered now.`);
    else ask(one);
  }

  function answer(one: OpenQuestion, line: string) {
    const typed = readAnswer(line, one.question.answerable, isHostDialog(one.question.event));
    const before = lineBegunFor(one);
    endedUnderHand = [];
    if (before !== undefined && !isCommand(typed)) return notTaken(one, before, typed);
    switch (typed.kind) {
      case "decision":
      case "response":
        if (clock.now() - askedAt < tooSoonMs) {
          say(`Not sent: ${nameOf(one)} had only just been asked. Wait a second, then type the answer again.`);
        } else if (one.isCut && typed.kind === "decision" && typed.decision === "accept") {
          one.isCut = false;
          say("Not sent: not all was read. d tells the rest. To agree all the same, type the answer again.");
        } else {
          send(one, typed);
        }
        return;
      case "repeat":
        return tell(one);
      case "details":
        return void tellDetails(one);
      case "spell":
        return tellSpelled(one);
      case "time":
        return say(timeLine(one.question, clock.now()));
      case "later":
        one.state = "left";
        current = undefined;
        say(`${nameOf(one)} is left open. o ${one.number} asks it again.`);
        askNext();
        return;
      case "leave":
        return leave(one);
      case "nothing":
        return say("Nothing was sent. r repeats the question.");
      case "unclear":
        return say(`Not sent. ${typed.why}`);
      default:
        command(typed);
    }
  }

  function notTaken(one: OpenQuestion, before: OpenQuestion, typed: Typed) {
    if (typed.kind === "nothing") return say(`${nameOf(one)} can be answered now. r repeats it.`);
    say(
      `Not sent: it may have been begun for ${nameInSentence(before)}, which has gone. ${nameOf(one)} is asked now. r repeats it.`,
    );
  }

  /** Runs a command that may be typed whether or not a question is being asked. */
  function command(typed: Typed | undefined) {
    switch (typed?.kind) {
      case "list":
        return list();
      case "open":
        return askNumber(typed.number);
      case "key":
        return key(typed);
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
    /** Takes an event of a daemon. Returns whether the prompt told the event, so that it need not be shown again. */
    heard: (source: QuestionSource, event: Envelope): boolean => {
      const question = questionFromEvent(event, clock);
      if (question !== undefined) {
        if (open.every(({ question: known }) => known.token !== question.token)) add(source, question);
        return true;
      }
      const timed = isReminder(event) ? namedBy(open, source, event) : undefined;
      if (timed !== undefined) {
        // By its number: the person may be answering another one.
        if (timed.state !== "sent") say(`${nameWithAgent(timed)}: ${timeLine(timed.question, clock.now())}`);
        return true;
      }
      const ended = endedBy(open, source, event);
      const decision = event.extensions?.aaepd?.decision;
      for (const one of ended)
        end(one, outcomeInWords(one, event), typeof decision === "string" ? decision : undefined);
      return ended.length > 0 && !endsSession(event);
    },
    /** Reports that the answer to this question did not count. `isOpen`: whether the question can still be answered. */
    notTaken: (source: QuestionSource, token: string, isOpen: boolean) => {
      const one = open.find((candidate) => candidate.source === source && candidate.question.token === token);
      if (one?.state !== "sent") return;
      if (isOpen) return askAgain(one);
      say(`Your answer to ${nameInSentence(one)} has not counted: it had ended already.`);
      // The outcome is still to come.
      one.sent = undefined;
    },
    /** Reports an interrupted subscription: its questions cannot be answered. */
    interrupted: (source: QuestionSource): void => {
      const lost = open.filter((one) => one.source === source);
      for (const one of lost) one.state = "unreachable";
      if (lost.length > 0) say("The connection is lost. What was asked there cannot be answered until it is back.");
      if (current?.source === source) leaveUnanswered(current);
      if (lost.length > 0) settling.disturb();
    },
    /** Reports a restored subscription and its open questions. */
    restored: (source: QuestionSource, events: readonly Envelope[]): void => {
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
    typed: (line: string): void => {
      if (current === undefined) {
        // While the next question is undecided, a line after this one may also have been begun for an ended question.
        if (!settling.isOn()) endedUnderHand = [];
        command(readAnywhere(line));
      } else {
        answer(current, line);
      }
    },
    /** Whether any question has arrived so far. */
    wasAsked: () => count > 0,
    /** Whether a line typed now has an effect: a question is being asked, or one has ended for which the line may have been begun. */
    takesLine,
    /** Ends the prompt: nothing can be answered any more. */
    close: (): void => {
      settling.cancel();
      tellEnded();
      for (const one of open.splice(0)) for (const cancel of one.cancelTimers) cancel();
      current = undefined;
    },
  };
}
