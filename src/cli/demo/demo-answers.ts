// The answers of the demo. A recording holds none, so its screen reader gives the one by which the recorded agent went on, or the person does.
import type { Envelope } from "#gen/aaep/types.js";
import type { Subscriber } from "../../client/listener/subscriber.js";
import type { Terms } from "../../client/listener/terms.js";
import type { SubscriberReply } from "../../client/listener/types.js";
import { type AskedQuestion, answerInWords, questionFromEvent } from "../questions/asked-question.js";
import { createTailQuestions } from "../questions/tail-questions.js";
import { readAnswer } from "../questions/typed-answer.js";
import type { CommandIo } from "../terminal/command-io.js";

export type DemoAnswers = ReturnType<typeof createDemoAnswers>;

interface DemoAnswersOptions {
  readonly io: CommandIo;
  /** The screen reader. */
  readonly subscriber: () => Subscriber | undefined;
  /** The person at the keyboard answers. */
  readonly isInteractive: boolean;
  /** The pace of the recording. */
  readonly speed: number;
  /** Called with the words of an answer that was given for the person. */
  readonly onAnswer: (words: string) => void;
  /** Takes a line of the prompt. */
  readonly say: (line: string) => void;
  readonly onFailure: (caught: unknown) => void;
}

/** Time that the user of the screen reader takes for an answer, at the pace of the recording, ms. */
const ANSWER_MS = 3000;
/** Longest wait for the outcome of a question that was answered, ms. */
const OUTCOME_MS = 2000;

interface DemoAnswer {
  readonly reply: SubscriberReply;
  /** The answer as the line of the demo says it. */
  readonly words: string;
}

export function createDemoAnswers(options: DemoAnswersOptions) {
  const { io, subscriber, isInteractive, speed, onAnswer, say, onFailure } = options;
  const { clock } = io;
  const renegotiate = async (changes: Terms): Promise<unknown> => subscriber()?.renegotiate(changes);
  const prompt = isInteractive
    ? createTailQuestions({ io, say, tell: say, verbosity: "terse", renegotiate, onFailure })
    : undefined;
  const source = prompt?.source("", subscriber);
  const cancelTimers: (() => void)[] = [];
  let endedCount = 0;
  let awaitedCount = 0;
  let lateMs = 0;
  let hasStopped = false;
  let tellEnded: () => void = () => {};

  function answerLater({ reply, words }: DemoAnswer): void {
    const wake = (): void => {
      if (subscriber()?.reply(reply) === true) onAnswer(words);
    };
    cancelTimers.push(clock.wakeAt(clock.now() + ANSWER_MS / speed, wake));
  }

  return {
    /** Takes an event of the screen reader. Whether the prompt has told it, so that it need not be shown again. */
    heard: (event: Envelope): boolean => {
      if (endsQuestion(event)) {
        endedCount += 1;
        tellEnded();
      }
      const answer = isInteractive ? undefined : usualAnswer(event, clock);
      if (answer !== undefined) answerLater(answer);
      return source?.heard(event, () => {}) === true;
    },
    /** Resolves when as many questions have ended as there were calls of this function, or when this one should have. */
    untilAnswered: async ({ timeout_seconds: timeout }: Readonly<Record<string, unknown>>) => {
      const askedAt = clock.now();
      awaitedCount += 1;
      if (endedCount >= awaitedCount || hasStopped) return;
      const longestMs = isInteractive && typeof timeout === "number" ? timeout * 1000 : ANSWER_MS / speed;
      await new Promise<void>((resolve) => {
        tellEnded = resolve;
        cancelTimers.push(clock.wakeAt(askedAt + longestMs + OUTCOME_MS, resolve));
      });
      if (isInteractive) lateMs += clock.now() - askedAt;
    },
    /** The recording goes on so much later than it was recorded, because a person took the time. */
    lateMs: () => lateMs,
    stop: () => {
      hasStopped = true;
      for (const cancel of cancelTimers) cancel();
      prompt?.stop();
    },
  };
}

/** The question's default, otherwise its first choice. Undefined if the event asks nothing, or has neither. */
function usualAnswer(event: Envelope, clock: CommandIo["clock"]): DemoAnswer | undefined {
  const question = questionFromEvent(event, clock);
  const line = question && usualLine(question);
  if (question === undefined || line === undefined) return undefined;
  const { token: reply_token, answerable } = question;
  const read = readAnswer(line, answerable);
  if (read.kind === "decision") return { reply: { reply_token, decision: read.decision }, words: read.decision };
  if (read.kind !== "response") return undefined;
  return { reply: { reply_token, response: read.response }, words: answerInWords(read.response, answerable) };
}

/** The answer as a person would type it. */
function usualLine({ event, answerable }: AskedQuestion): string | undefined {
  const { default_decision: decision, default_response: response } = event;
  if (answerable.kind === "confirmation") return typeof decision === "string" ? decision : undefined;
  if (typeof response !== "string") return answerable.choices[0]?.value;
  return response === "true" ? "yes" : response === "false" ? "no" : response;
}

/** Whether the event tells the outcome of a question. */
function endsQuestion({ extensions }: Envelope): boolean {
  return typeof extensions?.aaepd?.question === "string" && typeof extensions.aaepd.decision === "string";
}
