// Reading what agents send: the values of good messages, and the error code of each fault.
import { describe, expect, it } from "vitest";
import { addressOf, envelopeText, readEnvelope } from "../../../../src/protocols/akashik/messages/envelope.js";
import { Refused } from "../../../../src/protocols/akashik/messages/error-codes.js";
import { readRequest } from "../../../../src/protocols/akashik/messages/requests.js";
import { type AkashikDocument, envelope, PAGE_REQUEST, UNIT } from "./envelopes.js";

/** The refusal of a message as a session reads it: its envelope, then its payload. */
function refusalOf(message: unknown): Refused | undefined {
  try {
    readRequest(readEnvelope(message));
    return undefined;
  } catch (caught) {
    if (caught instanceof Refused) return caught;
    throw caught;
  }
}

const without = (document: AkashikDocument, name: string): AkashikDocument =>
  Object.fromEntries(Object.entries(document).filter(([key]) => key !== name));

it("a good message is the page's example, literally", () => {
  const read = readEnvelope(JSON.parse(PAGE_REQUEST));
  expect(read).toMatchObject({ operation: "SUBSCRIBE", agentId: "strategist-01", epoch: 30 });
  expect(readRequest(read)).toEqual({ operation: "SUBSCRIBE", payload: JSON.parse(PAGE_REQUEST).payload });
});

it("0 and 1 are scores", () => {
  for (const score of [0, 1])
    expect(refusalOf(envelope("RECORD", { ...UNIT, confidence: { score, reasoning: "r" } }))).toBeUndefined();
});

const recorded = (more: AkashikDocument) => envelope("RECORD", { ...UNIT, ...more });
const BARE = { type: "finding", content: "c", intent: { purpose: "p" } };

describe("INVALID_TYPE: a member that is missing or has a wrong value, by its path", () => {
  it.each<[name: string, message: unknown, sentence: string]>([
    ["a list", [], "The message must be an object; it is a list."],
    ["no id", without(envelope("DETECT", {}), "id"), "`id` is missing; a message of Akashik needs it."],
    ["a list as payload", envelope("DETECT", [] as never), "`payload` must be an object; it is a list."],
    ["REGISTER without id", envelope("REGISTER", { role: "r" }), "`payload.id` is missing; REGISTER needs it."],
    ["a number", envelope("DEREGISTER", { agent_id: 1 }), "`payload.agent_id` must be a string or null; it is 1."],
    ["an unknown type", recorded({ type: "rumour" }), '`payload.type` must be "finding", '],
    ["a scope that is a text", envelope("ATTUNE", { scope: "all" }), "`payload.scope` must be an object or null; "],
    ["a mode that is no text", envelope("DETECT", { mode: 1 }), "`payload.mode` must be a string or null; it is 1."],
    [
      "MERGE without strategy",
      envelope("MERGE", { conflict_id: "c" }),
      "`payload.strategy` is missing; MERGE needs it.",
    ],
    ["no action", envelope("SUBSCRIBE", {}), "`payload.action` must be one of "],
    ["no subscription", envelope("SUBSCRIBE", { action: "subscribe" }), "`payload.subscription` is missing; "],
    [
      "an unknown event",
      envelope("SUBSCRIBE", { action: "subscribe", subscription: { events: ["memory.lost"] } }),
      "`payload.subscription.events[0]` must be ",
    ],
    [
      "unsubscribe without id",
      envelope("SUBSCRIBE", { action: "unsubscribe", subscription: {} }),
      "`payload.subscription.id` is missing; the action `unsubscribe` needs it.",
    ],
  ])("%s", (_, message, sentence) => {
    const refusal = refusalOf(message);
    expect(refusal?.code).toBe("INVALID_TYPE");
    expect(refusal?.message.slice(0, sentence.length)).toBe(sentence);
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
    expect(refusalOf(message)?.code).toBe("UNSUPPORTED_OPERATION");
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
    expect(refusalOf(message)?.code).toBe(code);
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
