// A view that fails: its terms cannot be read while it is armed, and only an event with summaries in several languages makes it read them.
import type { Terms } from "../../../src/engine/terms/terms.js";
import { session } from "./engine-rig.js";

export interface FailingView {
  readonly terms: Partial<Terms>;
  /** From here on its view fails, or no longer does. */
  readonly arm: (isArmed: boolean) => void;
  /** The event at which it fails. */
  readonly event: Record<string, unknown>;
}

export function createFailingView(): FailingView {
  let armed = false;
  const languages = Object.defineProperty(["en"], 0, {
    get: () => {
      if (armed) throw new Error("no language");
      return "en";
    },
  });
  return {
    terms: { languages, preferredVerbosity: "terse" },
    arm: (isArmed) => {
      armed = isArmed;
    },
    event: {
      ...session().state("idle", "thinking"),
      summary_normal: "Thinks.",
      summary_normal_es: "Piensa.",
      localization_hints: { primary_language: "en", available_languages: ["en", "es"] },
    },
  };
}
