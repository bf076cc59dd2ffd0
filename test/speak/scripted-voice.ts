// A voice that speaks when a test tells it to.
import type { Fault } from "../../src/base/errors.js";
import type { Outcome, Utterance, Voice } from "../../src/speak/voice.js";
import { settle } from "../support/rigs/virtual-clock.js";

export interface ScriptedVoice extends Voice {
  /** Every utterance that has begun, the oldest first. */
  readonly begun: readonly Utterance[];
  /** The utterances that were spoken to their end. */
  readonly said: readonly Utterance[];
  readonly resetCount: () => number;
  /** The utterance that is being spoken. */
  readonly spoken: () => Utterance | undefined;
  /** Its words begin. A voice that lets utterances wait begins them by this alone. */
  readonly begin: () => void;
  /** Ends it. */
  readonly end: (kind: "done" | "cancelled" | Fault) => Promise<void>;
}

export function createScriptedVoice({ waits = false } = {}): ScriptedVoice {
  const begun: Utterance[] = [];
  const said: Utterance[] = [];
  let resets = 0;
  let now:
    | { readonly utterance: Utterance; readonly onBegun?: () => void; readonly resolve: (outcome: Outcome) => void }
    | undefined;
  const finish = (outcome: Outcome): void => {
    if (outcome.kind === "done" && now !== undefined) said.push(now.utterance);
    now?.resolve(outcome);
    now = undefined;
  };
  return {
    begun,
    said,
    resetCount: () => resets,
    spoken: () => now?.utterance,
    begin: () => now?.onBegun?.(),
    speak: (utterance, onBegun) => {
      finish({ kind: "cancelled" });
      begun.push(utterance);
      if (!waits) onBegun?.();
      return new Promise((resolve) => {
        now = { utterance, resolve, ...(onBegun && { onBegun }) };
      });
    },
    cancel: () => finish({ kind: "cancelled" }),
    reset: () => {
      resets += 1;
      finish({ kind: "cancelled" });
    },
    close: () => {},
    end: async (kind) => {
      finish(typeof kind === "string" ? { kind } : { kind: "failed", fault: kind });
      await settle();
    },
  };
}
