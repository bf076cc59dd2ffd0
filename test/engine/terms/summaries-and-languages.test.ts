import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AgentEvent, LocalizationHints, Verbosity } from "../../../src/engine/event/event.js";
import { applyShape, type Shape, shapeKey, shapeOf } from "../../../src/engine/terms/shape.js";
import { defaultTerms } from "../../../src/protocols/aaep/subscriber/negotiate.js";
import { casesOf } from "../../support/extent.js";
import { naiveShape } from "../../support/oracles/naive-shape.js";

function event(type: string, payload: Record<string, unknown>): AgentEvent {
  return {
    "@context": "https://aaep-protocol.org/context/v1",
    type,
    event_id: "evt_1",
    session_id: "sess_1",
    timestamp: "2026-05-24T14:22:11Z",
    producer: { agent_id: "a" },
    ...payload,
  };
}

const shape = (verbosity: Verbosity, ...languages: string[]): Shape => ({ verbosity, languages });
const SUMMARIES = { summary_terse: "t", summary_normal: "n", summary_detailed: "d" };
const COMPLETED = "aaep:agent.tool.completed";

function shaped(type: string, payload: Record<string, unknown>, one: Shape): Record<string, unknown> {
  const {
    "@context": _c,
    type: _t,
    event_id: _e,
    session_id: _s,
    timestamp: _w,
    producer: _p,
    ...rest
  } = applyShape(event(type, payload), one, "en");
  return rest;
}

describe("summaries", () => {
  test.each<[Verbosity, Record<string, string>, string | undefined]>([
    ["terse", SUMMARIES, "summary_terse"],
    ["normal", SUMMARIES, "summary_normal"],
    ["detailed", SUMMARIES, "summary_detailed"],
    ["terse", { summary_normal: "n", summary_detailed: "d" }, "summary_normal"],
    ["terse", { summary_detailed: "d" }, "summary_detailed"],
    ["normal", { summary_terse: "t", summary_detailed: "d" }, "summary_terse"],
    ["normal", { summary_detailed: "d" }, "summary_detailed"],
    ["detailed", { summary_terse: "t", summary_normal: "n" }, "summary_normal"],
    ["detailed", { summary_terse: "t" }, "summary_terse"],
  ])("R14: %s out of %o is %s", (verbosity, summaries, expected) => {
    const result = shaped(COMPLETED, summaries, shape(verbosity, "en"));
    const level = expected?.slice("summary_".length);
    expect(result).toEqual({
      [expected ?? ""]: summaries[expected ?? ""],
      ...(level === "normal" ? {} : { verbosity: level }),
    });
  });

  test.each(["session.started", "session.completed", "session.errored", "session.cancelled", "tool.invoked"])(
    "R14: %s keeps the summary its type requires",
    (kind) => {
      expect(shaped(`aaep:agent.${kind}`, SUMMARIES, shape("terse", "en"))).toEqual({
        summary_terse: "t",
        summary_normal: "n",
        verbosity: "terse",
      });
    },
  );

  test("AAEP §7: events of unknown types keep what those who do not know them announce, and all else", () => {
    const payload = { ...SUMMARIES, description_en: "x", reason_id: 7, choices: [{ label: "a", label_yo: "b" }] };
    expect(shaped("haptic:pulse", payload, shape("detailed", "yo"))).toEqual({
      summary_detailed: "d",
      summary_normal: "n",
      description_en: "x",
      reason_id: 7,
      choices: [{ label: "a", label_yo: "b" }],
      verbosity: "detailed",
    });
  });
});

describe("languages", () => {
  test("R14: a variant is folded into the plain name, and the hints say so", () => {
    const payload = {
      summary_normal: "Done",
      summary_normal_yo: "Ó parí",
      summary_normal_ar: "تم",
      localization_hints: {
        primary_language: "en",
        text_direction: "ltr",
        script: "Latn",
        available_languages: ["yo"],
      },
    };
    expect(shaped(COMPLETED, payload, shape("normal", "yo-NG"))).toEqual({
      summary_normal: "Ó parí",
      localization_hints: { primary_language: "yo", available_languages: ["yo"] },
    });
    expect(shaped(COMPLETED, payload, shape("normal", "ar"))).toEqual({
      summary_normal: "تم",
      localization_hints: { primary_language: "ar", text_direction: "rtl", available_languages: ["yo"] },
    });
    expect(shaped(COMPLETED, payload, shape("normal", "ja"))).toEqual({
      summary_normal: "Done",
      localization_hints: payload.localization_hints,
    });
  });

  test("R14: an event that says no language is in the default one, which is said where its variants are folded", () => {
    const payload = { summary_normal: "Done", summary_normal_de: "Fertig" };
    expect(shaped(COMPLETED, payload, shape("normal", "en-US", "de"))).toEqual({
      summary_normal: "Done",
      localization_hints: { primary_language: "en" },
    });
    expect(shaped(COMPLETED, payload, shape("normal", "de"))).toEqual({
      summary_normal: "Fertig",
      localization_hints: { primary_language: "de" },
    });
  });

  test("AAEP ch. 11: the event's own fallbacks come after the listener's languages, its primary language last", () => {
    const hints: LocalizationHints = { primary_language: "de", fallback_chain: ["pt", "fr"] };
    const payload = { summary_normal: "Fertig", summary_normal_fr: "Fini", localization_hints: hints };
    expect(shaped(COMPLETED, payload, shape("normal", "yo")).summary_normal).toBe("Fini");
    expect(shaped(COMPLETED, payload, shape("normal", "de-AT")).summary_normal).toBe("Fertig");
    const never = { summary_normal_fr: "Fini", localization_hints: { primary_language: "de" } };
    expect(shaped(COMPLETED, never, shape("normal", "yo"))).toEqual({
      summary_normal: "Fini",
      localization_hints: { primary_language: "fr" },
    });
  });

  test("R14: a summary in the listener's language comes before one of the wished length", () => {
    const payload = { summary_terse: "Done", summary_normal: "It is done", summary_normal_yo: "Ó ti parí" };
    expect(shaped(COMPLETED, payload, shape("terse", "yo"))).toEqual({
      summary_normal: "Ó ti parí",
      localization_hints: { primary_language: "yo" },
    });
  });

  test("R14: questions, their choices and progress are folded too", () => {
    const question = {
      question: "Which age?",
      question_es: "¿Qué edad?",
      choices: [
        { value: "60", label: "Sixty", label_es: "Sesenta", label_fr: "Soixante" },
        { value: "65", label: "Sixty-five" },
      ],
    };
    expect(shaped("aaep:agent.awaiting.clarification", question, shape("normal", "es-419"))).toEqual({
      question: "¿Qué edad?",
      choices: [
        { value: "60", label: "Sesenta" },
        { value: "65", label: "Sixty-five" },
      ],
      localization_hints: { primary_language: "es" },
    });
    const progress = { progress: { percent: 5, description: "Reading", description_es: "Leyendo" } };
    expect(shaped("aaep:agent.progress.updated", progress, shape("normal", "es"))).toEqual({
      progress: { percent: 5, description: "Leyendo" },
      localization_hints: { primary_language: "es" },
    });
  });
});

describe("against a naive reference", () => {
  const tag = fc.constantFrom(
    "en",
    "en-US",
    "en-GB",
    "fr",
    "fr-CA",
    "ar",
    "zh-Hant",
    "zh-Hans",
    "zh",
    "sr-Latn-RS",
    "yo",
  );
  const tags = fc.uniqueArray(tag, { minLength: 1, maxLength: 3 });
  const field = fc.constantFrom(
    "summary_terse",
    "summary_normal",
    "summary_detailed",
    "action",
    "reason",
    "description",
  );
  const type = fc.constantFrom(
    "aaep:agent.session.started",
    "aaep:agent.tool.invoked",
    "aaep:agent.tool.completed",
    "aaep:agent.awaiting.confirmation",
    "haptic:pulse",
  );
  const hints = fc.record(
    { primary_language: tag, fallback_chain: tags, text_direction: fc.constantFrom("ltr", "rtl") },
    { requiredKeys: ["primary_language"] },
  );

  test("R14: every event comes out as the rules, spelled out, say", () => {
    fc.assert(
      fc.property(
        type,
        fc.uniqueArray(field, { maxLength: 6 }),
        fc.uniqueArray(fc.tuple(field, tag), { maxLength: 6, selector: ([name, language]) => `${name}_${language}` }),
        fc.option(fc.constantFrom<Verbosity>("terse", "normal", "detailed"), { nil: undefined }),
        fc.option(hints, { nil: undefined }),
        fc.constantFrom<Verbosity>("terse", "normal", "detailed"),
        tags,
        (kind, plain, variants, verbosity, localization, wish, wanted) => {
          const one = event(kind, {
            ...Object.fromEntries(plain.map((name) => [name, name])),
            ...Object.fromEntries(
              variants.map(([name, language]) => [`${name}_${language}`, `${name} in ${language}`]),
            ),
            ...(verbosity === undefined ? {} : { verbosity }),
            ...(localization === undefined ? {} : { localization_hints: localization }),
          });
          const result = applyShape(one, { verbosity: wish, languages: wanted }, "en");
          expect(result).toEqual(naiveShape(one, wish, wanted, "en"));
        },
      ),
      { numRuns: casesOf(3000) },
    );
  });
});

test("R14: shapes are equal when verbosity and languages are, whatever else differs", () => {
  const terms = defaultTerms();
  expect(shapeKey({ ...terms, maxEventsPerSecond: 3, paused: true })).toBe(shapeKey(terms));
  expect(shapeKey({ ...terms, languages: ["EN-us"] })).toBe(shapeKey(terms));
  expect(shapeKey({ ...terms, languages: ["en-US", "de"] })).not.toBe(shapeKey(terms));
  expect(shapeKey({ ...terms, preferredVerbosity: "terse" })).not.toBe(shapeKey(terms));
  expect(shapeOf(terms)).toEqual({ verbosity: "normal", languages: ["en-US"] });
});
