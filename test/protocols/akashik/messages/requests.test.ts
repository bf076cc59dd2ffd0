// Reading what agents send: the values of good messages, and the error code of each fault.
import { describe, expect, it } from "vitest";
import { addressOf, envelopeText, readEnvelope } from "../../../../src/protocols/akashik/messages/envelope.js";
import { readRequest } from "../../../../src/protocols/akashik/messages/requests.js";
import { type AkashikDocument, envelope, PAGE_REQUEST, UNIT } from "./envelopes.js";

/** Reads a message as a session does: its envelope, then its payload. */
function readMessage(message: unknown) {
  const outer = readEnvelope(message);
  return outer.kind === "read" ? readRequest(outer.value) : outer;
}

function faultOf(message: unknown) {
  const reading = readMessage(message);
  return reading.kind === "refused" ? reading.refusal : reading.value;
}

function valueIn(operation: string, payload: AkashikDocument) {
  const reading = readMessage(envelope(operation, payload));
  return reading.kind === "read" ? reading.value : reading.refusal;
}

const without = (document: AkashikDocument, name: string): AkashikDocument =>
  Object.fromEntries(Object.entries(document).filter(([key]) => key !== name));

describe("a good message", () => {
  it("is the page's example, literally", () => {
    const message: unknown = JSON.parse(PAGE_REQUEST);
    expect(readEnvelope(message)).toMatchObject({
      kind: "read",
      value: { operation: "SUBSCRIBE", agentId: "strategist-01", epoch: 30 },
    });
    expect(readMessage(message)).toEqual({
      kind: "read",
      value: {
        operation: "SUBSCRIBE",
        action: "subscribe",
        events: ["conflict.detected", "memory.recorded"],
        minRelevance: 0.6,
        debounceMs: 2000,
      },
    });
  });

  it("REGISTER", () => {
    expect(valueIn("REGISTER", { id: "a", role: "r", interests: ["x"], required_operations: ["RECORD"] })).toEqual({
      operation: "REGISTER",
      id: "a",
      role: "r",
      interests: ["x"],
      requiredOperations: ["RECORD"],
    });
    const bare = { operation: "REGISTER", id: "a", role: "r", interests: [], requiredOperations: [] };
    expect(valueIn("REGISTER", { id: "a", role: "r" })).toEqual(bare);
    expect(valueIn("REGISTER", { id: "a", role: "r", interests: null, required_operations: null })).toEqual(bare);
  });

  it("DEREGISTER", () => {
    expect(valueIn("DEREGISTER", { agent_id: "a" })).toEqual({ operation: "DEREGISTER", agentId: "a" });
    expect(valueIn("DEREGISTER", {})).toEqual({ operation: "DEREGISTER", agentId: null });
    expect(valueIn("DEREGISTER", { agent_id: null })).toEqual({ operation: "DEREGISTER", agentId: null });
  });

  it("RECORD", () => {
    expect(valueIn("RECORD", UNIT)).toEqual({
      operation: "RECORD",
      mode: "committed",
      type: "finding",
      content: "The European market grows by a fifth each year.",
      purpose: "Decide where to open the next office.",
      taskId: "task-1",
      question: "Where?",
      score: 0.8,
      reasoning: "Two independent reports agree.",
      evidence: ["Report A", "Report B"],
      assumptions: ["No recession"],
      relations: [{ type: "supports", targetId: "mem-1", description: "Same trend." }],
    });
  });

  it("RECORD without a mode is committed, and 0 and 1 are scores", () => {
    for (const score of [0, 1]) {
      const confidence = { score, reasoning: "r" };
      expect(valueIn("RECORD", { ...without(UNIT, "mode"), confidence })).toMatchObject({ mode: "committed", score });
    }
  });

  it("ATTUNE", () => {
    expect(
      valueIn("ATTUNE", {
        scope: { role: "r", interests: ["x"], max_units: 5, relevance_threshold: 0.25, max_tokens: 900 },
        context_hint: "h",
        format: "ids_only",
        since_epoch: 7,
      }),
    ).toEqual({
      operation: "ATTUNE",
      role: "r",
      interests: ["x"],
      maxUnits: 5,
      relevanceThreshold: 0.25,
      maxTokens: 900,
      contextHint: "h",
      format: "ids_only",
      sinceEpoch: 7,
    });
  });

  it("DETECT", () => {
    for (const payload of [{ mode: "list" }, {}, { mode: null }])
      expect(valueIn("DETECT", payload)).toEqual({ operation: "DETECT" });
  });

  it("MERGE", () => {
    expect(
      valueIn("MERGE", {
        conflict_id: "conf-1",
        strategy: "human_escalation",
        resolution: { winner_id: "mem-1", synthesis: "s", rationale: "r" },
      }),
    ).toEqual({
      operation: "MERGE",
      conflictId: "conf-1",
      strategy: "human_escalation",
      winnerId: "mem-1",
      synthesis: "s",
      rationale: "r",
    });
    expect(valueIn("MERGE", { conflict_id: "conf-1", strategy: "last_write_wins" })).toMatchObject({
      winnerId: null,
      synthesis: null,
      rationale: null,
    });
  });

  it("SUBSCRIBE, with each event once", () => {
    const events = ["memory.recorded", "agent.joined", "memory.recorded"];
    expect(valueIn("SUBSCRIBE", { action: "subscribe", subscription: { events } })).toEqual({
      operation: "SUBSCRIBE",
      action: "subscribe",
      events: ["memory.recorded", "agent.joined"],
      minRelevance: null,
      debounceMs: null,
    });
    expect(valueIn("SUBSCRIBE", { action: "unsubscribe", subscription: { id: "sub-1" } })).toEqual({
      operation: "SUBSCRIBE",
      action: "unsubscribe",
      subscriptionId: "sub-1",
    });
    for (const more of [{}, { subscription: null }, { subscription: {} }])
      expect(valueIn("SUBSCRIBE", { action: "list", ...more })).toEqual({ operation: "SUBSCRIBE", action: "list" });
  });
});

const subscribed = (subscription: AkashikDocument) => envelope("SUBSCRIBE", { action: "subscribe", subscription });
const recorded = (more: AkashikDocument) => envelope("RECORD", { ...UNIT, ...more });
const BARE = { type: "finding", content: "c", intent: { purpose: "p" } };

describe("INVALID_TYPE: a member that is missing or has a wrong value, by its path", () => {
  it.each<[name: string, message: unknown, sentence: string]>([
    ["a list", [], "The message must be an object; it is a list."],
    ["null", null, "The message must be an object; it is null."],
    ["another protocol", envelope("DETECT", {}, { protocol: "a2e" }), '`protocol` must be "akashik"; it is "a2e".'],
    ["no id", without(envelope("DETECT", {}), "id"), "`id` is missing; a message of Akashik needs it."],
    ["an empty id", envelope("DETECT", {}, { id: "" }), "`id` must not be empty."],
    ["a long id", envelope("DETECT", {}, { id: "x".repeat(257) }), "`id` may have at most 256 characters; it has 257."],
    ["a number as id", envelope("DETECT", {}, { id: 5 }), "`id` must be a string; it is 5."],
    [
      "no operation",
      without(envelope("DETECT", {}), "operation"),
      "`operation` is missing; a message of Akashik needs it.",
    ],
    ["no epoch", without(envelope("DETECT", {}), "epoch"), "`epoch` is missing; a message of Akashik needs it."],
    ["a text as epoch", envelope("DETECT", {}, { epoch: "3" }), '`epoch` must be a number; it is "3".'],
    ["a number as agent", envelope("DETECT", {}, { agent_id: 3 }), "`agent_id` must be a string or null; it is 3."],
    ["no payload", without(envelope("DETECT", {}), "payload"), "`payload` is missing; a message of Akashik needs it."],
    ["a list as payload", envelope("DETECT", [] as never), "`payload` must be an object; it is a list."],
    ["REGISTER without id", envelope("REGISTER", { role: "r" }), "`payload.id` is missing; REGISTER needs it."],
    ["REGISTER without role", envelope("REGISTER", { id: "a" }), "`payload.role` is missing; REGISTER needs it."],
    [
      "an interest that is no text",
      envelope("REGISTER", { id: "a", role: "r", interests: ["x", 1] }),
      "`payload.interests[1]` must be a string; it is 1.",
    ],
    [
      "too many interests",
      envelope("REGISTER", { id: "a", role: "r", interests: Array.from({ length: 65 }, () => "x") }),
      "`payload.interests` must have at most 64 entries; it has 65.",
    ],
    [
      "DEREGISTER of a number",
      envelope("DEREGISTER", { agent_id: 1 }),
      "`payload.agent_id` must be a string or null; it is 1.",
    ],
    [
      "an unknown mode",
      recorded({ mode: "final" }),
      '`payload.mode` must be "draft", "committed" or null; it is "final".',
    ],
    ["an unknown type", recorded({ type: "rumour" }), '`payload.type` must be "finding", '],
    ["no type", envelope("RECORD", without(UNIT, "type")), "`payload.type` is missing; RECORD needs it."],
    ["no content", envelope("RECORD", without(UNIT, "content")), "`payload.content` is missing; RECORD needs it."],
    [
      "content that is too long",
      recorded({ content: "x".repeat(16_385) }),
      "`payload.content` may have at most 16384 characters; it has 16385.",
    ],
    [
      "an unknown relation",
      recorded({ relations: [{ type: "likes", target_id: "mem-1" }] }),
      "`payload.relations[0].type` must be ",
    ],
    [
      "a relation without target",
      recorded({ relations: [{ type: "supports" }] }),
      "`payload.relations[0].target_id` is missing; RECORD needs it.",
    ],
    [
      "a scope that is a text",
      envelope("ATTUNE", { scope: "all" }),
      '`payload.scope` must be an object or null; it is "all".',
    ],
    [
      "a threshold above 1",
      envelope("ATTUNE", { scope: { relevance_threshold: 2 } }),
      "`payload.scope.relevance_threshold` must be between 0 and 1; it is 2.",
    ],
    [
      "an unknown format",
      envelope("ATTUNE", { format: "xml" }),
      '`payload.format` must be "full", "summary", "ids_only" or null; it is "xml".',
    ],
    [
      "a negative since_epoch",
      envelope("ATTUNE", { since_epoch: -1 }),
      "`payload.since_epoch` must be at least 0; it is -1.",
    ],
    ["a mode that is no text", envelope("DETECT", { mode: 1 }), "`payload.mode` must be a string or null; it is 1."],
    [
      "MERGE without conflict",
      envelope("MERGE", { strategy: "last_write_wins" }),
      "`payload.conflict_id` is missing; MERGE needs it.",
    ],
    [
      "MERGE without strategy",
      envelope("MERGE", { conflict_id: "c" }),
      "`payload.strategy` is missing; MERGE needs it.",
    ],
    ["no action", envelope("SUBSCRIBE", {}), "`payload.action` must be one of "],
    ["no subscription", envelope("SUBSCRIBE", { action: "subscribe" }), "`payload.subscription` is missing; "],
    ["no events", subscribed({}), "`payload.subscription.events` is missing; the action `subscribe` needs it."],
    [
      "an empty list of events",
      subscribed({ events: [] }),
      "`payload.subscription.events` must have between 1 and 64 entries; it has 0.",
    ],
    ["an unknown event", subscribed({ events: ["memory.lost"] }), "`payload.subscription.events[0]` must be "],
    [
      "min_relevance above 1",
      subscribed({ events: ["agent.joined"], min_relevance: 1.1 }),
      "`payload.subscription.min_relevance` must be between 0 and 1; it is 1.1.",
    ],
    [
      "debounce_ms below 0",
      subscribed({ events: ["agent.joined"], debounce_ms: -1 }),
      "`payload.subscription.debounce_ms` must be ",
    ],
    [
      "unsubscribe without id",
      envelope("SUBSCRIBE", { action: "unsubscribe", subscription: {} }),
      "`payload.subscription.id` is missing; the action `unsubscribe` needs it.",
    ],
  ])("%s", (_, message, sentence) => {
    const { code, message: said } = faultOf(message) as { readonly code: string; readonly message: string };
    expect(code).toBe("INVALID_TYPE");
    expect(said.slice(0, sentence.length)).toBe(sentence);
  });
});

describe("UNSUPPORTED_OPERATION: a choice that this Field does not have", () => {
  it.each<[name: string, message: unknown]>([
    ["HANDOFF", envelope("HANDOFF", {})],
    ["REPLAY", envelope("REPLAY", {})],
    ["subscribe in small letters", envelope("subscribe", {})],
    ["version 0.2.0", envelope("DETECT", {}, { version: "0.2.0" })],
    ["version 1.0.0", envelope("DETECT", {}, { version: "1.0.0" })],
    ["DETECT by scan", envelope("DETECT", { mode: "scan" })],
    ["MERGE by vote", envelope("MERGE", { conflict_id: "c", strategy: "vote" })],
  ])("%s", (_, message) => {
    expect(faultOf(message)).toMatchObject({ code: "UNSUPPORTED_OPERATION" });
  });
});

describe("the codes of RECORD, in the order of the companion", () => {
  it.each<[code: string, name: string, message: unknown]>([
    ["MISSING_INTENT", "no intent", envelope("RECORD", without(UNIT, "intent"))],
    ["MISSING_INTENT", "an intent that is a text", recorded({ intent: "because" })],
    ["MISSING_INTENT", "no purpose", recorded({ intent: { task_id: "t" } })],
    ["MISSING_INTENT", "a blank purpose", recorded({ intent: { purpose: " \n" } })],
    ["MISSING_INTENT", "everything missing", envelope("RECORD", {})],
    ["MISSING_CONFIDENCE", "no confidence", envelope("RECORD", without(UNIT, "confidence"))],
    ["MISSING_CONFIDENCE", "no mode and no confidence", envelope("RECORD", BARE)],
    ["MISSING_CONFIDENCE", "no score", recorded({ confidence: { reasoning: "r" } })],
    ["MISSING_CONFIDENCE", "a score of null", recorded({ confidence: { score: null, reasoning: "r" } })],
    ["MISSING_CONFIDENCE", "no reasoning", recorded({ confidence: { score: 0.5 } })],
    ["MISSING_CONFIDENCE", "a blank reasoning", recorded({ confidence: { score: 0.5, reasoning: "  " } })],
    ["INVALID_CONFIDENCE", "a score above 1", recorded({ confidence: { score: 1.01, reasoning: "r" } })],
    ["INVALID_CONFIDENCE", "a score below 0", recorded({ confidence: { score: -0.01, reasoning: "r" } })],
    ["INVALID_CONFIDENCE", "a score that is a text", recorded({ confidence: { score: "high", reasoning: "r" } })],
    [
      "INVALID_CONFIDENCE",
      "a draft's score of 2",
      envelope("RECORD", { ...BARE, mode: "draft", confidence: { score: 2 } }),
    ],
    ["INVALID_TYPE", "a purpose that is a number", recorded({ intent: { purpose: 5 } })],
    ["INVALID_TYPE", "a reasoning that is a number", recorded({ confidence: { score: 0.5, reasoning: 5 } })],
    [
      "INVALID_TYPE",
      "evidence that is a text",
      recorded({ confidence: { score: 0.5, reasoning: "r", evidence: "e" } }),
    ],
    [
      "INVALID_TYPE",
      "too much evidence",
      recorded({ confidence: { score: 0.5, reasoning: "r", evidence: Array.from({ length: 33 }, () => "e") } }),
    ],
  ])("%s: %s", (code, _, message) => {
    expect(faultOf(message)).toMatchObject({ code });
  });
});

describe("the address of an answer", () => {
  it("repeats what could be read, whatever the message is", () => {
    expect(addressOf(JSON.parse(PAGE_REQUEST))).toEqual({
      id: "msg-030",
      operation: "SUBSCRIBE",
      agentId: "strategist-01",
      sessionId: null,
    });
    const nothing = { id: null, operation: null, agentId: null, sessionId: null };
    for (const message of [null, undefined, 5, "x", [], {}, { id: 5, operation: {}, agent_id: "", session_id: [] }])
      expect(addressOf(message)).toEqual(nothing);
    expect(addressOf({ id: "x".repeat(257), operation: "O".repeat(65) })).toEqual(nothing);
  });

  it("is written in the order of the page", () => {
    const address = addressOf(JSON.parse(PAGE_REQUEST));
    expect(envelopeText(address, 31, { status: "ok" })).toBe(
      '{"protocol":"akashik","version":"0.1.0","id":"msg-030","operation":"SUBSCRIBE","agent_id":"strategist-01","session_id":null,"epoch":31,"payload":{"status":"ok"}}',
    );
  });
});
