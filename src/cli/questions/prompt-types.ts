// The types of the prompt: its options, and its answers. Types only.
import type { Envelope } from "#gen/aaep/types.js";
import type { Clock } from "../../contracts/clock.js";
import type { QuestionSource } from "./open-question.js";
import type { Typed } from "./typed-answer.js";

export interface QuestionPrompt {
  /** Takes an event of a daemon. Returns whether the prompt told the event, so that it need not be shown again. */
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
  /** Takes "stop", or a word about what is shown. */
  readonly key: (typed: Extract<Typed, { kind: "key" }>) => void;
  /** Reports that a typed line has an effect from now on. */
  readonly onTakesLine: () => void;
}
