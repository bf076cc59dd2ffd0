import { describe, expect, test } from "vitest";
import { isBefore, parseTimestamp } from "../../../src/engine/event/timestamps.js";
import { completeEvent } from "../../../src/engine/sessions/event-intake.js";
import { isSameText, sentHash, wasSentAs } from "../../../src/engine/sessions/published-event.js";
import { faultOf } from "../../support/fault-of.js";
import { createStage, SESSION, WALL_TIME } from "../../support/rigs/session-stage.js";

const ids = { hex: (bytes: number) => "ab".repeat(bytes) };
const facts = {
  agent: { agent_id: "planner", model: "m" },
  agentLanguage: undefined,
  producerId: undefined,
  wallTime: WALL_TIME,
  ids,
};
const whole = {
  "@context": "https://aaep-protocol.org/context/v1",
  type: "https://aaep-protocol.org/types/agent.output.streaming",
  event_id: "evt_1",
  session_id: SESSION,
  timestamp: "2026-05-24T14:22:11.000Z",
  producer: { agent_id: "other" },
  urgency: "normal",
  chunk: "a",
  position: 0,
  complete: false,
};

describe("completing events", () => {
  test("R2: what is missing is filled in", () => {
    const sent = { type: "aaep:agent.output.streaming", session_id: SESSION, chunk: "a", complete: false };
    expect(completeEvent(sent, "output.streaming", undefined, facts)).toEqual({
      ...sent,
      "@context": "https://aaep-protocol.org/context/v1",
      event_id: `evt_${"ab".repeat(16)}`,
      timestamp: "2026-05-24T14:22:11.000Z",
      producer: { agent_id: "planner", model: "m" },
      urgency: "normal",
      position: 0,
    });
  });

  test.each([
    [{}, ["freetext"]],
    [{ choices: [] }, ["multiple_choice"]],
    [{ choices: [], accepted_response_kinds: ["numeric"] }, ["numeric"]],
  ])("AAEP §9.4.1: a clarification says which answers it takes: %j", (sent, kinds) => {
    expect(completeEvent(sent, "awaiting.clarification", undefined, facts)).toMatchObject({
      accepted_response_kinds: kinds,
    });
    const complete = { ...whole, ...sent };
    const { accepted_response_kinds: told } = completeEvent(complete, "awaiting.clarification", undefined, facts) as {
      accepted_response_kinds?: unknown;
    };
    expect(told).toEqual(kinds);
    expect(completeEvent(sent, "awaiting.confirmation", undefined, facts).accepted_response_kinds).toEqual(
      "accepted_response_kinds" in sent ? kinds : undefined,
    );
  });

  test.each([
    ["session.errored", "critical"],
    ["awaiting.confirmation", "critical"],
    ["awaiting.clarification", "critical"],
    ["handoff.requested", "critical"],
    ["progress.updated", "background"],
    ["state.changed", "normal"],
    ["extension", "normal"],
  ] as const)("R2: the urgency of %s is %s", (kind, urgency) => {
    expect(completeEvent({}, kind, undefined, facts)).toMatchObject({ urgency });
  });

  test("R2: --producer-id stands in for an agent that declared nothing; without either it is producer_missing", () => {
    expect(completeEvent({}, "extension", undefined, { ...facts, agent: undefined, producerId: "mine" })).toMatchObject(
      {
        producer: { agent_id: "mine" },
      },
    );
    const fault = faultOf(() => completeEvent({}, "extension", undefined, { ...facts, agent: undefined }));
    expect(fault).toMatchObject({ code: "producer_missing", pointer: "/producer", rule: "R2" });
  });

  test("R3b: a filled timestamp is not before the session's last", () => {
    const session = {
      latestMicros: WALL_TIME * 1000 + 1,
      latestText: "2026-05-24T14:22:11.000001Z",
      language: undefined,
      outputs: new Map(),
    };
    expect(completeEvent({}, "extension", session, facts)).toMatchObject({ timestamp: "2026-05-24T14:22:11.000001Z" });
  });

  test("R25: lone surrogates outside a chunk become U+FFFD in names and values", () => {
    const stage = createStage();
    const plan = stage.publish("session.started", {
      summary_normal: "a\ud83d",
      tools_available: ["ok", "\ude00b"],
      extensions: { x: { "\ud800": { deep: "\udfff" } } },
    });
    expect(plan.events[0]?.event).toMatchObject({
      summary_normal: "a\ufffd",
      tools_available: ["ok", "\ufffdb"],
      extensions: { x: { "\ufffd": { deep: "\ufffd" } } },
    });
  });
});

describe("timestamps", () => {
  test.each([
    ["1970-01-01T00:00:00Z", 0, 1_000_000],
    ["2026-05-24T14:22:11.342Z", Date.parse("2026-05-24T14:22:11.342Z") * 1000, 1000],
    ["2026-05-24T14:22:11.342567+05:30", Date.parse("2026-05-24T08:52:11.342Z") * 1000 + 567, 1],
    ["2024-02-29t23:59:60z", Date.parse("2024-03-01T00:00:00Z") * 1000, 1_000_000],
    ["0001-01-01T00:00:00-00:01", Date.parse("0001-01-01T00:01:00Z") * 1000, 1_000_000],
  ])("%s is read", (text, micros, unitMicros) => {
    expect(parseTimestamp(text)).toEqual({ micros, unitMicros });
  });

  test.each([
    "May 24, 2026 14:22:11",
    "2026-05-24T14:22:11",
    "2026-05-24T14:22:11.3Z",
    "2026-05-24T14:22:11.3425Z",
    "2026-05-24T14:22:11.1234567Z",
    "2026-05-24 14:22:11Z",
    "2026-02-30T14:22:11Z",
    "2026-13-01T14:22:11Z",
    "2026-05-24T24:00:00Z",
    "2026-05-24T14:22:11+5:30",
    "2026-05-24T14:22:11Z ",
    "2026-05-24T14:22:11.Z",
    "",
  ])("AAEP §3.11: %j is no timestamp", (text) => {
    expect(parseTimestamp(text)).toBeUndefined();
  });

  test.each([
    ["2026-05-24T14:22:11Z", "2026-05-24T14:22:11.900Z", false],
    ["2026-05-24T14:22:11.900Z", "2026-05-24T14:22:11.900900Z", false],
    ["2026-05-24T14:22:11.899Z", "2026-05-24T14:22:11.900Z", true],
    ["2026-05-24T14:22:10Z", "2026-05-24T14:22:11.000Z", true],
  ])("R3b: at the coarser precision, %s before %s: %s", (a, b, expected) => {
    const [first, second] = [parseTimestamp(a), parseTimestamp(b)];
    if (first === undefined || second === undefined) throw new Error("unreadable");
    expect(isBefore(first, second)).toBe(expected);
    expect(isBefore(second, first)).toBe(false);
  });
});

describe("R3: a duplicate", () => {
  const hash = (text: string) => `${text.length} ${text}`.padEnd(40, ".");
  const text = JSON.stringify(whole);
  const event = { ...whole, urgency: "normal" } as const;
  const entry = {
    event,
    kind: "output.streaming",
    source: text,
    at: 0,
    ordinal: 1,
    made: undefined,
    epoch: 1,
  } as const;

  test("has the text that was sent first, or that which went out", () => {
    expect(wasSentAs(text, entry, hash)).toBe(true);
    expect(wasSentAs(text, { ...entry, source: undefined }, hash)).toBe(true);
    expect(wasSentAs(text.replace('"a"', '"b"'), entry, hash)).toBe(false);
    expect(wasSentAs(text.replace(",", ", "), entry, hash)).toBe(false);
    const { urgency: _, ...less } = whole;
    const sent = JSON.stringify(less);
    const filled = { ...entry, sent: sentHash(sent, hash) };
    expect(filled.sent).toHaveLength(32);
    expect([sent, text, `${sent} `].map((one) => wasSentAs(one, filled, hash))).toEqual([true, true, false]);
    expect(wasSentAs(sent, entry, hash)).toBe(false);
  });

  test("R2: may lack the language that the daemon filled in, and nothing else", () => {
    const hints = [{ primary_language: "en" }, { primary_language: "ar", text_direction: "rtl" }];
    for (const localization_hints of hints) {
      const later = JSON.stringify({ ...whole, localization_hints });
      expect(isSameText(text, later)).toBe(true);
      expect(isSameText(`${text} `, later)).toBe(true);
      expect(isSameText(later, text)).toBe(false);
      expect(isSameText(text, JSON.stringify({ ...whole, localization_hints, more: 1 }))).toBe(false);
      expect(isSameText(text, JSON.stringify({ ...whole, more: 1, localization_hints }))).toBe(false);
      expect(isSameText("", later)).toBe(false);
    }
  });
});
