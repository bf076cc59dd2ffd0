import { describe, expect, test } from "vitest";
import {
  catalogueLanguage,
  closingText,
  type MessageKey,
  type MessageParameters,
  messageIn,
} from "../../../src/engine/messages/messages.js";
import { WORDINGS } from "../../../src/engine/messages/wording.js";
import { CATALOGUE_LANGUAGES } from "../../../src/engine/terms/language.js";
import { shortenedText } from "../../../src/engine/text/shortened-text.js";

/** A message in the language that serves a listener. */
const textFor = <Key extends MessageKey>(
  key: Key,
  parameters: MessageParameters[Key],
  languages: readonly string[],
  form: "terse" | "normal" = "normal",
): string => messageIn(catalogueLanguage(languages), key, form, parameters);

type Ended = MessageParameters["resolution"];

const DEFAULTS: readonly Ended["defaultAnswer"][] = [
  undefined,
  { kind: "text", text: "Age 65 (standard)" },
  { kind: "text", text: "Ask me later!" },
  { kind: "yes" },
  { kind: "no" },
];

const ended = (
  decision: Ended["decision"],
  decidedBy: Ended["decidedBy"],
  defaultAnswer?: Ended["defaultAnswer"],
): Ended => ({ decision, decidedBy, asking: "Move $5?", defaultAnswer });

const STANDING = { state: "thinking", toolsRunningCount: 2, outputOpen: true, questionOpen: true, percent: 40 };

/** Every message with every choice it knows. */
const CASES: { readonly [Key in MessageKey]: readonly MessageParameters[Key][] } = {
  sessionSummary: [
    STANDING,
    { ...STANDING, state: "custom_state", toolsRunningCount: 0, percent: undefined },
    { ...STANDING, outputOpen: false, questionOpen: false, percent: 0 },
  ],
  gap: (["aged_out", "resumed_too_late", "unknown_place"] as const).flatMap((reason) =>
    [1, 2, 5, 14, 100, 1234].map((eventCount) => ({ eventCount, reason })),
  ),
  agentDisconnected: [{ agent: "Planner" }],
  agentNotBack: [{ agent: "Planner" }],
  daemonStopped: [{ agent: "Planner" }],
  toolAbandoned: [{ tool: "fetch_balance" }],
  questionNotice: (["confirmation", "clarification"] as const).map((kind) => ({
    agent: "Planner",
    kind,
    asking: "Move $5?",
  })),
  resolution: [
    ...(["accepted", "rejected"] as const).flatMap((decision) =>
      (["reply", "timeout", "nobody_to_ask", "nobody_left", "host"] as const).map((decidedBy) =>
        ended(decision, decidedBy),
      ),
    ),
    ended("answered", "reply"),
    ...(["timeout", "nobody_to_ask", "nobody_left"] as const).flatMap((decidedBy) =>
      DEFAULTS.map((defaultAnswer) => ended("unanswered", decidedBy, defaultAnswer)),
    ),
    ended("cancelled", "agent"),
    ended("cancelled", "host_window"),
  ],
  countdown: (["half", "nine_tenths"] as const).map((passed) => ({
    passed,
    remainingSeconds: 150,
    asking: "Move $5?",
  })),
  relayStarted: [
    { agent: "Planner", capabilities: ["tools"] },
    { agent: "Planner", capabilities: ["tools", "memory", "env"] },
  ],
  relayEnded: [{ agent: "Planner" }],
  relayCall: [undefined, "city: Lagos"].map((details) => ({ agent: "Planner", tool: "search", details })),
  relayFailed: [{ tool: "search", code: "timeout" }],
  relayArtifact: [{ tool: "search", name: "plan.pdf" }],
  relayAction: [undefined, "city: Lagos"].map((details) => ({ agent: "Planner", tool: "search", details })),
  relayConsequence: [{ tool: "search" }],
};

function everyText<Key extends MessageKey>(
  key: Key,
  language: (typeof CATALOGUE_LANGUAGES)[number],
): readonly string[] {
  return CASES[key].flatMap((parameters) =>
    (["terse", "normal"] as const).map((form) => messageIn(language, key, form, parameters)),
  );
}

const KEYS = Object.keys(CASES) as MessageKey[];

describe.each(CATALOGUE_LANGUAGES)("R31: the catalogue in %s", (language) => {
  test.each(KEYS)("says %s in full sentences", (key) => {
    for (const text of everyText(key, language)) {
      expect(text.trim()).toBe(text);
      expect(text).not.toMatch(/[#{}]|undefined|null|NaN|\[object| {2}|_tool|\$\{/);
      expect(text).toMatch(/[.。?!]$/);
    }
  });

  test("says who, what and how many", () => {
    expect(
      textFor("questionNotice", { agent: "Planner", kind: "confirmation", asking: "Move $5?" }, [language]),
    ).toMatch(/Planner.*Move \$5\?/s);
    expect(textFor("gap", { eventCount: 14, reason: "aged_out" }, [language])).toContain("14");
    expect(textFor("toolAbandoned", { tool: "fetch_balance" }, [language], "terse")).toContain("fetch_balance");
    expect(textFor("resolution", ended("rejected", "reply"), [language])).toContain("Move $5?");
  });

  test.each(["terse", "normal"] as const)("a confirmation and another question sound different: %s", (form) => {
    const texts = CASES.questionNotice.map((one) => textFor("questionNotice", one, [language], form));
    expect(new Set(texts).size).toBe(texts.length);
  });

  test("has words of its own for everything that English has words for", () => {
    if (language === "en") return;
    for (const key of KEYS) {
      const english = everyText(key, "en");
      for (const [index, text] of everyText(key, language).entries()) expect(text).not.toBe(english[index]);
    }
  });
});

describe("R31: plurals follow the language", () => {
  const gap = (language: string, eventCount: number) =>
    textFor("gap", { eventCount, reason: "unknown_place" }, [language], "terse");
  test.each([
    ["en", 1, "Up to 1 event missed."],
    ["en", 1234, "Up to 1,234 events missed."],
    ["fr", 1, "Jusqu’à 1 événement manqué."],
    ["fr", 2, "Jusqu’à 2 événements manqués."],
    ["de", 2, "Bis zu 2 Ereignisse verpasst."],
    ["ja", 2, "最大2件のイベントが欠落。"],
    ["ar", 1, "فاتك حدث واحد على الأكثر."],
    ["ar", 2, "فاتك حدثان على الأكثر."],
  ])("%s, %i: %s", (language, count, expected) => {
    expect(gap(language, count)).toBe(expected);
  });
});

test("R17: a session's standing in English, whole and bare", () => {
  expect(textFor("sessionSummary", STANDING, ["en"])).toBe(
    "Current state: Thinking. 2 tools are running. Output is being written. A question is waiting for an answer. 40% done.",
  );
  const bare = {
    state: "re_planning",
    toolsRunningCount: 0,
    outputOpen: false,
    questionOpen: false,
    percent: undefined,
  };
  expect(textFor("sessionSummary", bare, ["en"], "terse")).toBe("re planning.");
});

test("AAEP §6.4.3: what is left of the time is said in the language's own units", () => {
  const left = (language: string, remainingSeconds: number) =>
    textFor("countdown", { passed: "half", remainingSeconds, asking: "?" }, [language], "terse");
  expect(left("en", 150)).toBe("2 minutes, 30 seconds left to answer.");
  expect(left("en", 1)).toBe("1 second left to answer.");
  expect(left("en", 180)).toBe("3 minutes left to answer.");
  expect(left("de", 90)).toBe("Zeit zum Antworten: 90 Sekunden.");
});

test("R31, AAEP ch. 11: the listener's languages choose the catalogue; English where none of them is there", () => {
  expect(catalogueLanguage(["yo", "es-419", "fr"])).toBe("es");
  expect(catalogueLanguage(["JA"])).toBe("ja");
  expect(catalogueLanguage(["yo"])).toBe("en");
  expect(catalogueLanguage([])).toBe("en");
  expect(closingText("lagging", ["de-AT"])).toBe(WORDINGS.de.say("closing.lagging"));
});

describe("shortenedText", () => {
  test("leaves what fits, and ends on a word where one ends near the limit", () => {
    expect(shortenedText("short", 5)).toBe("short");
    expect(shortenedText("one two six ten", 14)).toBe("one two six…");
    expect(shortenedText("one two three four", 15)).toBe("one two three…");
    expect(shortenedText("x".repeat(20), 10)).toBe(`${"x".repeat(9)}…`);
  });

  test.each(["👍🏽", "👩‍👩‍👧", "é".normalize("NFD"), "❤️"])("never cuts %s", (cluster) => {
    const text = cluster.repeat(20);
    for (let longest = 12; longest < text.length; longest += 1) {
      const kept = shortenedText(text, longest).slice(0, -1);
      expect(kept.length % cluster.length).toBe(0);
      expect(kept.length).toBeLessThan(longest);
    }
  });
});
