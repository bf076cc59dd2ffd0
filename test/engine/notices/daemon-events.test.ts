import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import type { AgentEvent } from "../../../src/engine/event/event.js";
import { createAskingIn } from "../../../src/engine/notices/asking.js";
import {
  type DaemonEventFacts,
  everyLanguage,
  gapEvent,
  noticeEvent,
  summaryEvent,
} from "../../../src/engine/notices/daemon-events.js";
import { applyShape } from "../../../src/engine/terms/shape.js";

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

const FACTS: DaemonEventFacts = {
  sessionId: "sess_1",
  producer: { agent_id: "planner", agent_name: "Planner", agent_version: "1.0" },
  timestamp: "2026-05-24T14:22:11.342Z",
  eventId: "evt_ofTheDaemon",
  audience: everyLanguage("en-US"),
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

const standing = { state: "calling_tool", toolsRunningCount: 1, outputOpen: false, questionOpen: false, percent: 12 };
const askingIn = createAskingIn("en");
const gap = {
  eventCount: 14,
  reason: "aged_out",
  fromState: "thinking",
  toState: "deciding",
} as const;

const EVERY: Readonly<Record<string, (facts: DaemonEventFacts) => AgentEvent>> = {
  summary: (facts) => summaryEvent(facts, standing, undefined),
  gap: (facts) => gapEvent(facts, gap),
  notice: (facts) => noticeEvent(facts, CONFIRMATION, "thinking", askingIn),
};

describe.each(Object.entries(EVERY))("R31: %s", (_name, make) => {
  test("is valid for everyone and for one listener, and says whose it is", () => {
    for (const audience of [FACTS.audience, { kind: "listener", languages: ["ar"] } as const]) {
      const event = make({ ...FACTS, audience });
      expectValid(event);
      expect(event["@context"]).toEqual(["https://aaep-protocol.org/context/v1", "https://aaepd.dev/context/v1"]);
      expect(event.extensions?.aaepd?.by).toBe("daemon");
      expect(event.producer).toEqual(FACTS.producer);
    }
  });

  test("R14: made once for everyone, each shape gets it in its own language", () => {
    const event = make(FACTS);
    if (event.summary_normal === undefined) return;
    const texts = ["en", "es", "fr", "de", "ja", "ar"].map((language) => {
      const shaped = applyShape(event, { verbosity: "normal", languages: [language] }, "en");
      expectValid(shaped);
      expect(shaped.localization_hints?.primary_language).toBe(language);
      expect(shaped.localization_hints?.text_direction).toBe(language === "ar" ? "rtl" : undefined);
      expect(shaped.summary_normal).toBe(
        make({ ...FACTS, audience: { kind: "listener", languages: [language] } }).summary_normal,
      );
      return shaped.summary_normal;
    });
    expect(new Set(texts).size).toBe(6);
  });
});

test("R17, R27: a loss stands on the sum, in the same languages", () => {
  const plain = summaryEvent(FACTS, standing, undefined);
  const event = summaryEvent(FACTS, standing, gap);
  expectValid(event);
  expect(event.extensions?.aaepd).toEqual({
    by: "daemon",
    summary: true,
    gap: { events: 14, reason: "aged_out" },
  });
  for (const field of ["summary_terse", "summary_normal", "summary_normal_es"] as const)
    expect(event[field]).toBe(`${String(gapEvent(FACTS, gap)[field])} ${String(plain[field])}`);
});

test("R27: a gap says how much at most is missing, and why", () => {
  const event = gapEvent(FACTS, gap);
  expect(event.extensions?.aaepd?.gap).toEqual({ events: 14, reason: "aged_out" });
  expect(event).toMatchObject({ from_state: "idle", to_state: "idle" });
});

test("R6: a notice says what is asked, by whom, and never how to answer it", () => {
  const event = noticeEvent(FACTS, CONFIRMATION, "thinking", askingIn);
  expect(event.urgency).toBe("critical");
  expect(event.to_state).toBe("awaiting_input");
  expect(event.summary_normal).toMatch(/Planner.*Transfer \$500\. Funds move at once\./);
  // What the agent gave in a listener's language is told in it.
  expect(event.summary_normal_es).toContain("Transferir 500 $.");
  expect(event.extensions?.aaepd?.asks).toBe("confirmation");
  expect(JSON.stringify(event)).not.toContain("rpl_secret");
  const other = noticeEvent(FACTS, CLARIFICATION, "thinking", createAskingIn("en"));
  expect(other.extensions?.aaepd?.asks).toBe("clarification");
  expect(other.summary_normal).toContain("Which age?");
});

test("AAEP §3.7: however long the question, the event stays within its limits", () => {
  const question = { ...CONFIRMATION, action: "é".repeat(16_000), consequence: "x ".repeat(8000) };
  const event = noticeEvent(FACTS, question, "thinking", createAskingIn("en"));
  expectValid(event);
  expect(Buffer.byteLength(JSON.stringify(event))).toBeLessThan(65_536);
});
