// `aaepd tail --interactive`: joins the lines of standard input and the questions of the daemons that are followed.
import type { Capabilities, Envelope } from "#gen/aaep/types.js";
import { Fault } from "../../base/errors.js";
import type { Subscriber } from "../../client/subscriber.js";
import type { CommandIo } from "../terminal/command-io.js";
import { readLines } from "../terminal/read-lines.js";
import type { QuestionSource } from "./open-question.js";
import { createQuestionPrompt } from "./question-prompt.js";

export interface TailQuestions {
  /** What a subscription has to ask for, so that it is asked; nothing once nobody answers any more. */
  readonly capabilities: () => Capabilities;
  readonly source: (label: string, subscriber: () => Subscriber | undefined) => FollowedSource;
  readonly stop: () => void;
}

export interface FollowedSource {
  /** Whether the event was said here, so that it need not be shown again. */
  readonly heard: (event: Envelope) => boolean;
  /** Whether the event is to be shown only when no question is being asked any more. */
  readonly holds: (event: Envelope) => boolean;
  /** What of a line that is held back is told in the end: itself, or, of the time left to answer a question, what is true then. */
  readonly held: (event: Envelope, line: string) => string | (() => string | undefined);
  /** An answer that was given to the question with this token did not count. */
  readonly notTaken: (token: string) => void;
  readonly interrupted: () => void;
  readonly active: () => void;
  /** It is followed no more, unless it is active again. */
  readonly ended: () => void;
}

export interface TailQuestionsOptions {
  readonly io: Pick<CommandIo, "stdin" | "clock">;
  readonly say: (line: string) => void;
  /** What the subscriptions ask for. */
  readonly verbosity: Verbosity;
  /** No question is being asked any more: what was held can be shown. */
  readonly onQuiet: () => void;
  readonly onFailure: (caught: unknown) => void;
}

type Verbosity = NonNullable<Capabilities["preferred_verbosity"]>;

const BOTH: Capabilities = { supports_confirmation_reply: true, supports_clarification_reply: true };
const NEITHER: Capabilities = { supports_confirmation_reply: false, supports_clarification_reply: false };

/** Faster than this nobody has heard a question. */
const TOO_SOON_MS = 1000;

export function createTailQuestions({ io, say, verbosity, onQuiet, onFailure }: TailQuestionsOptions): TailQuestions {
  const isTerminal = io.stdin.isTTY === true;
  const subscribers = new Set<() => Subscriber | undefined>();
  let canAnswer = true;
  let hasStopped = false;
  let tellAsking: () => void = () => {};

  const prompt = createQuestionPrompt({
    say,
    clock: io.clock,
    tooSoonMs: isTerminal ? TOO_SOON_MS : 0,
    changed: () => {
      if (prompt.takesLine()) tellAsking();
      if (!prompt.isAsking()) onQuiet();
    },
  });

  /** Lines that are piped wait for the question that they answer; not for the next, where theirs may have ended. */
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
      await untilAsking();
      if (hasStopped) return;
      if (text === undefined) say(`Not sent. ${fault?.sentence ?? ""}`);
      else prompt.typed(text);
    }
    if (!isTerminal && count === 0 && !prompt.wasAsked()) throw noAnswers();
    await giveUp();
  }

  /** Whoever asks need not wait for somebody who cannot answer any more (R7). */
  async function giveUp(): Promise<void> {
    if (hasStopped) return;
    canAnswer = false;
    say("Standard input has ended: questions cannot be answered here any more.");
    for (const subscriber of subscribers) {
      // Where there is no subscription at the moment, the next one does not ask for them.
      await subscriber()
        ?.renegotiate(NEITHER)
        .catch(() => {});
    }
  }

  readAnswers().catch((caught) => {
    if (!hasStopped) onFailure(caught);
  });

  function createSource(label: string, subscriber: () => Subscriber | undefined): FollowedSource {
    const source: QuestionSource = {
      label,
      reply: (reply) => subscriber()?.reply(reply) ?? false,
      whole: async ({ token }) => {
        const open = await inDetail(subscriber(), verbosity).catch(() => undefined);
        return open?.find((event) => event.reply_token === token);
      },
    };
    subscribers.add(subscriber);
    let wasInterrupted = false;
    return {
      heard: (event) => prompt.heard(source, event),
      holds: (event) => prompt.isBusy() && event.urgency !== "critical" && !prompt.concernsCurrent(source, event),
      held: (event, line) => (prompt.isReminder(event) ? () => prompt.reminderNow(source, event) : line),
      notTaken: (token) => {
        subscriber()
          ?.listPending()
          .then((open) =>
            prompt.notTaken(
              source,
              token,
              open.some((event) => event.reply_token === token),
            ),
          )
          // Where that cannot be asked, the desk finds out in time that nothing has come of the answer.
          .catch(() => {});
      },
      interrupted: () => {
        // Further attempts that find nobody are no news.
        if (!wasInterrupted) prompt.interrupted(source);
        wasInterrupted = true;
      },
      active: () => {
        subscribers.add(subscriber);
        if (!wasInterrupted) return;
        wasInterrupted = false;
        subscriber()
          ?.listPending()
          .then((events) => prompt.restored(source, events))
          .catch(() => {});
      },
      ended: () => {
        subscribers.delete(subscriber);
        if (!wasInterrupted) prompt.interrupted(source);
        wasInterrupted = true;
      },
    };
  }

  return {
    capabilities: () => (canAnswer ? BOTH : NEITHER),
    source: createSource,
    stop: () => {
      hasStopped = true;
      prompt.close();
      tellAsking();
      io.stdin.destroy();
    },
  };
}

/** The open questions as they are sent to whoever likes them detailed (AAEP §5.3.1.2): this subscription does for a moment. */
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
  const sentence =
    "--interactive has nobody to ask: standard input is no terminal, and empty. Run it in a terminal, or pipe answers into it, one a line.";
  return new Fault("usage", sentence, { origin: "local" });
}
