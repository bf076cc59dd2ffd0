// The daemon's texts in every language, as a subscription hears them (R14, R31).
import { describe, expect, it } from "vitest";
import type { AgentEvent } from "../../../src/engine/event/event.js";
import { everyLanguage, localizedMessages } from "../../../src/engine/messages/messages.js";
import { applyShape } from "../../../src/engine/terms/shape.js";

describe("R14, R31: the daemon's texts are shaped without a search for variants", () => {
  const wanted = [[], ["en"], ["de"], ["de-AT", "en"], ["yo", "fr-CA"], ["yo"], ["en-GB"], ["zh", "ja"], ["ar"]];
  const cases = ["en-US", "de", "yo", "ja"].flatMap((defaultLanguage) =>
    wanted.map((languages) => [defaultLanguage, languages] as const),
  );
  it.each(cases)(
    "default language %s, wanted %j: the same as an agent's event of the same texts",
    (defaultLanguage, languages) => {
      const { localization_hints: hints, ...summaries } = localizedMessages(
        everyLanguage(defaultLanguage),
        "countdown",
        (language, form) => ({
          passed: "half",
          remainingSeconds: 30,
          asking: `${language} ${form}`,
        }),
      );
      for (const type of ["aaep:agent.state.changed", "aaep:agent.session.errored"])
        for (const withHints of [{ localization_hints: hints }, {}])
          for (const verbosity of ["terse", "normal", "detailed"] as const) {
            const event = {
              type,
              event_id: "evt_1",
              session_id: "sess_1",
              timestamp: "2026-05-24T14:00:00.000Z",
              producer: { agent_id: "planner" },
              urgency: "critical",
              ...withHints,
              ...summaries,
            } as unknown as AgentEvent;
            const extensions = { aaepd: { by: "daemon" } };
            const shape = { verbosity, languages };
            // An event of before the daemon's texts said their language is in the one that it has no variant of.
            expect(applyShape({ ...event, extensions }, shape, "xx")).toEqual({
              ...applyShape(event, shape, hints.primary_language),
              extensions,
            });
          }
    },
  );
});
