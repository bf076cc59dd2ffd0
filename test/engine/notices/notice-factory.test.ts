import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { type AgentEvent, type JournaledEvent, topicKind } from "../../../src/engine/event/event.js";
import { NoticeFactory } from "../../../src/engine/notices/notice-factory.js";
import { SessionRecord, type SessionSummary } from "../../../src/engine/sessions/session-record.js";
import { applyShape } from "../../../src/engine/terms/shape.js";
import type { Terms } from "../../../src/engine/terms/terms.js";
import { defaultTerms } from "../../../src/protocols/aaep/subscriber/negotiate.js";

const ROOT = "schemas/aaep";
const ajv = new Ajv2020({ strict: false, allErrors: true });
for (const path of readdirSync(ROOT, { recursive: true, encoding: "utf8" })) {
  if (path.endsWith(".schema.json")) ajv.addSchema(JSON.parse(readFileSync(join(ROOT, path), "utf8")));
}

function expectValid(event: AgentEvent): void {
  const id = `https://aaep-protocol.org/schemas/v1/core/${event.type.slice("aaep:".length)}.schema.json`;
  ajv.validate(id, event);
  expect(ajv.errors).toBeNull();
  expect(Object.keys(event).length).toBeLessThanOrEqual(32);
}

const FACTS = {
  sessionId: "sess_1",
  producer: { agent_id: "planner", agent_name: "Planner", agent_version: "1.0" },
  timestamp: "2026-05-24T14:22:11.342Z",
};

const CONFIRMATION: AgentEvent = {
  "@context": "https://aaep-protocol.org/context/v1",
  type: "aaep:agent.awaiting.confirmation",
  event_id: "evt_q1",
  session_id: "sess_1",
  timestamp: FACTS.timestamp,
  producer: FACTS.producer,
  urgency: "critical",
  action: "Transfer $500.",
  action_es: "Transferir 500 $.",
  consequence: "Funds move at once.",
  reply_token: "rpl_secret",
  timeout_seconds: 300,
  default_decision: "reject",
};
const CLARIFICATION: AgentEvent = {
  ...Object.fromEntries(Object.entries(CONFIRMATION).filter(([key]) => !/^(action|consequence|default)/.test(key))),
  "@context": CONFIRMATION["@context"],
  type: "aaep:agent.awaiting.clarification",
  event_id: "evt_q2",
  session_id: "sess_1",
  timestamp: FACTS.timestamp,
  producer: FACTS.producer,
  question: "Which age?",
};

const SESSION: SessionSummary = {
  ...new SessionRecord("sess_1").summary(),
  ...FACTS,
  state: "calling_tool",
  percent: 12,
};
const LOST = { eventCount: 14, reason: "aged_out" } as const;
const factory = new NoticeFactory({ hex: (bytes) => "a".repeat(2 * bytes) }, "en-US");
const termsIn = (...languages: readonly string[]): Terms => ({ ...defaultTerms(), languages });

const entryOf = (event: AgentEvent): JournaledEvent => ({
  event,
  kind: topicKind(event.type),
  source: undefined,
  at: 0,
  ordinal: 1,
  made: undefined,
  epoch: 1,
});
const noticeOf = (event: AgentEvent): AgentEvent => factory.notice(entryOf(event), "thinking").event;

const FOR_ONE: Readonly<Record<string, (terms: Terms) => AgentEvent>> = {
  summary: (terms) => factory.summary(SESSION, terms, undefined, false),
  gap: (terms) => factory.gap(SESSION, terms, LOST),
  notice: (terms) => factory.lateNotice(entryOf(CONFIRMATION), SESSION, terms),
};

describe.each(Object.entries(FOR_ONE))("R31: %s", (_name, make) => {
  test.each(["en", "es", "fr", "de", "ja", "ar"])("in %s is valid, and says whose it is", (language) => {
    const event = make(termsIn(language));
    expectValid(event);
    expect(event["@context"]).toEqual(["https://aaep-protocol.org/context/v1", "https://aaepd.dev/context/v1"]);
    expect(event.extensions?.aaepd?.by).toBe("daemon");
    expect(event.producer).toEqual(FACTS.producer);
    expect(event.localization_hints).toEqual({
      primary_language: language,
      ...(language === "ar" ? { text_direction: "rtl" } : {}),
    });
  });

  test("is in the default language for a listener whose languages have no catalogue", () => {
    expect(make(termsIn("yo")).localization_hints?.primary_language).toBe("en");
  });
});

test("R14: a notice made once for everyone gets to each shape in its own language", () => {
  const event = noticeOf(CONFIRMATION);
  expectValid(event);
  const texts = ["en", "es", "fr", "de", "ja", "ar"].map((language) => {
    const shaped = applyShape(event, { verbosity: "normal", languages: [language] }, "en");
    expectValid(shaped);
    expect(shaped.localization_hints?.primary_language).toBe(language);
    expect(shaped.localization_hints?.text_direction).toBe(language === "ar" ? "rtl" : undefined);
    const late = factory.lateNotice(entryOf(CONFIRMATION), SESSION, termsIn(language));
    expect(shaped.summary_normal).toBe(late.summary_normal);
    return shaped.summary_normal;
  });
  expect(new Set(texts).size).toBe(6);
});

test("R6: a notice says what is asked, by whom, and never how to answer it", () => {
  const event = noticeOf(CONFIRMATION);
  expect(event.urgency).toBe("critical");
  expect(event.to_state).toBe("awaiting_input");
  expect(event.summary_normal).toMatch(/Planner.*Transfer \$500\. Funds move at once\./);
  // What the agent gave in a listener's language is told in it.
  expect(event.summary_normal_es).toContain("Transferir 500 $.");
  expect(event.extensions?.aaepd?.asks).toBe("confirmation");
  expect(JSON.stringify(event)).not.toContain("rpl_secret");
  const other = noticeOf(CLARIFICATION);
  expect(other.extensions?.aaepd?.asks).toBe("clarification");
  expect(other.summary_normal).toContain("Which age?");
});

test("AAEP §3.7: however long the question, the event stays within its limits", () => {
  const question = { ...CONFIRMATION, action: "é".repeat(16_000), consequence: "x ".repeat(8000) };
  const event = noticeOf(question);
  expectValid(event);
  expect(Buffer.byteLength(JSON.stringify(event))).toBeLessThan(65_536);
});
