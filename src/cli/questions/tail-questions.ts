// `aaepd tail --interactive`: joins the lines of standard input and the questions of the followed daemons.
import type { Envelope } from "#gen/aaep/types.js";
import { type Fault, usage } from "../../base/errors.js";
import type { Subscriber } from "../../client/listener/subscriber.js";
import type { Terms } from "../../client/listener/terms.js";
import type { CommandIo } from "../terminal/command-io.js";
import { readLines } from "../terminal/read-lines.js";
import type { QuestionSource } from "./open-question.js";
import { createQuestionPrompt } from "./question-prompt.js";
import { createStopDesk, type StopDesk, type StopSource } from "./stop-desk.js";
import { type KeySource, TextKeys } from "./text-keys.js";
import { readKey, type Typed } from "./typed-answer.js";

export type FollowedSource = ReturnType<ReturnType<typeof createTailQuestions>["source"]>;

interface TailQuestionsOptions {
  readonly io: Pick<CommandIo, "stdin" | "clock">;
  /** Prints a line of the command's own, and one of an agent's. */
  readonly say: (line: string) => void;
  readonly tell: (line: string) => void;
  /** Verbosity that the subscriptions request. */
  readonly verbosity: Verbosity;
  /** Asks all daemons for other terms, those that are away too. */
  readonly renegotiate: (changes: Terms) => Promise<unknown>;
  readonly onFailure: (caught: unknown) => void;
}

type Verbosity = NonNullable<Terms["preferred_verbosity"]>;

/** What a subscription requests in order to be asked. */
export const ASKED: Terms = { supports_confirmation_reply: true, supports_clarification_reply: true };
const NOT_ASKED: Terms = { supports_confirmation_reply: false, supports_clarification_reply: false };

/** No person has heard a question after a shorter time, ms. */
const TOO_SOON_MS = 1000;

export function createTailQuestions({ io, say, tell, verbosity, renegotiate, onFailure }: TailQuestionsOptions) {
  const isTerminal = io.stdin.isTTY === true;
  const followed = new Set<() => Subscriber | undefined>();
  let hasStopped = false;
  let tellAsking: () => void = () => {};

  const stops = createStopDesk(say);
  const keys = new TextKeys({
    ...{ clock: io.clock, say, tell },
    // A daemon that refuses holds nothing back.
    pace: (paused) => void renegotiate({ aaepd: { paused } }).catch(() => {}),
  });
  const prompt = createQuestionPrompt({
    say,
    key: (typed) => press(typed, stops, keys),
    clock: io.clock,
    tooSoonMs: isTerminal ? TOO_SOON_MS : 0,
    onTakesLine: () => tellAsking(),
  });

  /** A piped line waits for the question that it answers. It does not wait for the next one if its own question may have ended. */
  async function untilAsking(): Promise<void> {
    if (isTerminal || prompt.takesLine()) return;
    await new Promise<void>((resolve) => {
      tellAsking = resolve;
    });
  }

  async function readAnswers(): Promise<void> {
    let count = 0;
    for await (const { text, fault } of readLines(io.stdin, "standard input", { keepsBlank: true })) {
      count += 1;
      const key = prompt.takesLine() ? undefined : readKey(text ?? "");
      if (key !== undefined) {
        press(key, stops, keys);
        continue;
      }
      await untilAsking();
      if (hasStopped) return;
      if (text === undefined) say(`Not sent. ${fault?.sentence ?? ""}`);
      else prompt.typed(text);
    }
    if (!isTerminal && count === 0 && !prompt.wasAsked()) throw noAnswers();
    await giveUp();
  }

  /** Gives up answering, so that no agent waits for a person who can no longer answer (R7). */
  async function giveUp(): Promise<void> {
    if (hasStopped) return;
    say("Standard input has ended: questions cannot be answered here any more.");
    await renegotiate(NOT_ASKED).catch(() => {});
  }

  readAnswers().catch((caught) => {
    if (!hasStopped) onFailure(caught);
  });

  function createSource(label: string, subscriber: () => Subscriber | undefined) {
    // A daemon that is the only one needs no name.
    const source = sourceOf(subscriber, verbosity, () => (followed.size > 1 ? label : ""));
    followed.add(subscriber);
    let wasInterrupted = false;
    const take = (event: Envelope): boolean => {
      stops.heard(source, event);
      const isHushed = keys.heard(source, event);
      return prompt.heard(source, event) || isHushed;
    };
    return {
      /** Whether the event is not to be shown: the prompt told it, a person wants no more of it, or it waits for `show`. */
      heard: (event: Envelope, show: () => void): boolean =>
        keys.holds(() => void (take(event) || show())) || take(event),
      /** Reports that an answer to the question with this token did not count. */
      notTaken: (token: string): void => {
        // If the list is not available, the prompt finds out by its timer that the answer had no effect.
        isAsked(subscriber(), token).then(
          (isOpen) => prompt.notTaken(source, token, isOpen),
          () => {},
        );
      },
      /** Reports that the last stop was refused. `isOpen`: its agent cannot be asked. Returns whether that was told. */
      notStopped: (isOpen: boolean): boolean => stops.refused(source, isOpen),
      interrupted: (): void => {
        // Further failed attempts are no news.
        if (!wasInterrupted) prompt.interrupted(source);
        wasInterrupted = true;
      },
      active: (): void => {
        followed.add(subscriber);
        if (!wasInterrupted) return;
        wasInterrupted = false;
        const open = subscriber()?.listPending();
        open?.then((events) => prompt.restored(source, events)).catch(() => {});
      },
      /** Reports the end of following; `active` may start it again. */
      ended: (): void => {
        followed.delete(subscriber);
        stops.forget(source);
        if (!wasInterrupted) prompt.interrupted(source);
        wasInterrupted = true;
      },
    };
  }

  return {
    source: createSource,
    /** Whether the person wants no text at the moment, and what is to be shown later. */
    keys,
    stop: (): void => {
      hasStopped = true;
      prompt.close();
      keys.close();
      tellAsking();
      io.stdin.destroy();
    },
  };
}

function sourceOf(
  subscriber: () => Subscriber | undefined,
  verbosity: Verbosity,
  label: () => string,
): QuestionSource & StopSource & KeySource {
  return {
    get label() {
      return label();
    },
    reply: (reply) => subscriber()?.reply(reply) ?? false,
    leave: ({ token }) => subscriber()?.leave({ reply_token: token }) ?? false,
    skip: (output) => subscriber()?.skip(output) ?? false,
    stop: (session_id) => subscriber()?.stop({ session_id }) ?? false,
    whole: async ({ token }) => {
      const open = await inDetail(subscriber(), verbosity).catch(() => undefined);
      return open?.find((event) => event.reply_token === token);
    },
  };
}

/** Rejects without a subscription. */
async function isAsked(subscriber: Subscriber | undefined, token: string): Promise<boolean> {
  if (subscriber === undefined) throw new Error("There is no subscription.");
  return (await subscriber.listPending()).some((event) => "reply_token" in event && event.reply_token === token);
}

function press({ key, number }: Extract<Typed, { kind: "key" }>, stops: StopDesk, keys: TextKeys): void {
  if (key === "stop") stops.typed(number);
  else keys.pressed(key, number);
}

/** Lists the open questions in the form for subscribers that prefer detail (AAEP §5.3.1.2): this subscription requests it for a moment. */
async function inDetail(
  subscriber: Subscriber | undefined,
  usual: Verbosity,
): Promise<readonly Envelope[] | undefined> {
  if (usual === "detailed") return subscriber?.listPending();
  try {
    await subscriber?.renegotiate({ preferred_verbosity: "detailed" });
    return await subscriber?.listPending();
  } finally {
    await subscriber?.renegotiate({ preferred_verbosity: usual });
  }
}

function noAnswers(): Fault {
  return usage(
    "--interactive has nobody to ask: standard input is no terminal, and empty. Run it in a terminal, or pipe answers into it, one a line.",
  );
}
