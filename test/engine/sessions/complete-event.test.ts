import { describe, expect, test } from "vitest";
import { formatTimestamp, isBefore, parseTimestamp } from "../../../src/engine/event/timestamps.js";
import { completeEvent } from "../../../src/engine/sessions/complete-event.js";
import { isSamePublish } from "../../../src/engine/sessions/same-publish.js";
import { faultOf } from "../../support/fault-of.js";
import { createStage, eventOf, SESSION, WALL_TIME } from "../../support/rigs/session-stage.js";

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

  test("R2: what the agent set is not touched, and a whole event stays the same object", () => {
    expect(completeEvent(whole, "output.streaming", undefined, facts)).toBe(whole);
    const { urgency: _, ...without } = whole;
    expect(completeEvent(without, "output.streaming", undefined, facts)).toEqual(whole);
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

  test("R2: an event that needed no change keeps its source; a completed one has none", () => {
    const stage = createStage();
    stage.start();
    const spoken = { ...whole, localization_hints: { primary_language: "yo" } };
    const source = ` ${JSON.stringify(spoken)}`;
    const plan = stage.sessions.plan([{ fields: spoken, source }], stage.context());
    expect(plan.events[0]?.event).toBe(spoken);
    expect(plan.events[0]?.source).toBe(source);
    expect(plan.events[0]?.kind).toBe("output.streaming");
    expect(stage.plan([eventOf("output.streaming")]).events[0]?.source).toBeUndefined();
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

  test("values that nest without end are refused, not followed", () => {
    let deep: unknown = "\ud800";
    for (let depth = 0; depth < 100_000; depth += 1) deep = [deep];
    const stage = createStage();
    const fields = eventOf("session.started", { extensions: { x: { deep } } });
    expect(faultOf(() => stage.sessions.plan([{ fields }], stage.context())).code).toBe("invalid_event");
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

  test("AAEP §3.11: a text with anything but a digit where one belongs is no timestamp", () => {
    const text = "2026-05-24T14:22:11.123456+05:30";
    expect(parseTimestamp(text)).toBeDefined();
    for (const [index, character] of [...text].entries()) {
      if (!/\d/.test(character)) continue;
      for (const other of ["/", ":", "a", " ", "٣"])
        expect(parseTimestamp(text.slice(0, index) + other + text.slice(index + 1))).toBeUndefined();
    }
  });

  test("what is written reads the same", () => {
    for (let day = -150_000; day < 150_000; day += 997) {
      const ms = day * 86_400_000 + 12_345_678;
      const text = formatTimestamp(ms);
      if (ms >= Date.parse("0001-01-01T00:00:00Z")) expect(text).toBe(new Date(ms).toISOString());
      expect(parseTimestamp(text)?.micros).toBe(ms * 1000);
    }
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

describe("R3: the same event again", () => {
  const known = { event: { ...whole, urgency: "normal", position: 3, from_state: "x" } as const };
  test("by the text or the content it was published with", () => {
    const published = { fields: { a: [1, { b: 2 }] }, source: '{"a":[1,{"b":2}]}' };
    expect(isSamePublish({ fields: {}, source: published.source }, { ...known, published })).toBe(true);
    expect(isSamePublish({ fields: { a: [1, { b: 2 }] } }, { ...known, published })).toBe(true);
    expect(isSamePublish({ fields: { a: [1, { b: 3 }] } }, { ...known, published })).toBe(false);
    expect(isSamePublish({ fields: { a: [1, { b: 2 }], c: null } }, { ...known, published })).toBe(false);
  });
  test("down to 64 levels: nobody compares more", () => {
    const nested = (levels: number): object => {
      let value: object = { end: true };
      for (let level = 1; level < levels; level += 1) value = level % 2 === 0 ? { value } : [value];
      return value;
    };
    const isSame = (levels: number): boolean =>
      isSamePublish({ fields: { a: nested(levels) } }, { ...known, published: { fields: { a: nested(levels) } } });
    expect([isSame(1), isSame(64), isSame(65)]).toEqual([true, true, false]);
  });
  test("by the event that went out, where nothing else is left", () => {
    const { urgency: _, ...sent } = whole;
    expect(isSamePublish({ fields: { ...sent, from_state: "y", sequence_number: 4 } }, known)).toBe(true);
    expect(isSamePublish({ fields: { ...sent, from_state: "y", complete: true } }, known)).toBe(false);
  });
  test.each(["@context", "timestamp", "producer", "urgency", "position", "localization_hints"])(
    "R2: by the event that went out, also if the agent left out %s",
    (name) => {
      const event = { ...known.event, localization_hints: { primary_language: "en" } } as const;
      const fields = Object.fromEntries(Object.entries(event).filter(([one]) => one !== name));
      expect(isSamePublish({ fields }, { event })).toBe(true);
      const { chunk: _, ...less } = fields;
      expect(isSamePublish({ fields: less }, { event })).toBe(false);
    },
  );
  test("an event without one of the other members is another", () => {
    const { complete: _, ...sent } = whole;
    expect(isSamePublish({ fields: sent }, known)).toBe(false);
  });
});
