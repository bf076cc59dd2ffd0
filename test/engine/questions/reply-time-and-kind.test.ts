// Whether a reply answers its question. What comes before that, its schema and its token, is tested where it is decided.
import { describe, expect, test } from "vitest";
import type { AgentEvent } from "../../../src/engine/event/event.js";
import { faultOfReply, type Reply } from "../../../src/engine/questions/question-result.js";
import type { OpenQuestion } from "../../../src/engine/sessions/session-record.js";

const ASKED_AT = "2026-05-24T14:00:00.000Z";
const DEADLINE = Date.parse(ASKED_AT) + 60_000;

function question(kind: OpenQuestion["kind"], fields: Readonly<Record<string, unknown>> = {}): OpenQuestion {
  const event: AgentEvent = {
    "@context": "https://aaep-protocol.org/context/v1",
    type: `aaep:agent.awaiting.${kind}`,
    event_id: "evt_1",
    session_id: "sess_1",
    timestamp: ASKED_AT,
    producer: { agent_id: "planner" },
    timeout_seconds: 60,
    ...fields,
  };
  const permits = { action: undefined, tool: undefined, toolCallId: undefined };
  return {
    kind,
    token: "rpl_1",
    sessionId: "sess_1",
    agentId: "planner",
    event,
    at: 0,
    ordinal: 1,
    permits,
  };
}

function decision(value: "accept" | "reject" = "accept", timestamp = "2026-05-24T14:00:05.000Z"): Reply {
  return {
    kind: "confirmation",
    token: "rpl_1",
    timestamp,
    decision: value,
    decidedBy: undefined,
    rationale: undefined,
    modifiedAction: undefined,
  };
}

function answer(response: unknown): Reply {
  return {
    kind: "clarification",
    token: "rpl_1",
    timestamp: "2026-05-24T14:00:05.000Z",
    response,
    decidedBy: undefined,
    confidence: undefined,
  };
}

const check = (reply: Reply, asked: OpenQuestion) => faultOfReply(reply, asked, DEADLINE);

describe("AAEP §6.3.4: when", () => {
  test.each([
    ["as it was asked", ASKED_AT, undefined],
    ["in another zone", "2026-05-24T16:00:05+02:00", undefined],
    ["before it was asked", "2026-05-24T13:58:59.999Z", undefined],
    ["in the last millisecond", "2026-05-24T14:00:59.999Z", undefined],
    ["in the last microsecond", "2026-05-24T14:00:59.999999Z", undefined],
    ["in the last nanosecond", "2026-05-24T14:00:59.999999999Z", undefined],
    ["to a tenth of a second, in small letters", "2026-05-24t14:00:59.9z", undefined],
    ["a tenth of a second after the deadline", "2026-05-24T14:01:00.1Z", "expired"],
    ["at the deadline", "2026-05-24T14:01:00.000Z", "expired"],
    ["at the deadline, in whole seconds", "2026-05-24T14:01:00Z", "expired"],
    ["long after", "2036-05-24T14:00:05Z", "expired"],
    ["long before", "1996-05-24T14:00:05Z", undefined],
    ["at a time that is none", "yesterday", "expired"],
  ])("a reply written %s", (_, timestamp, fault) => {
    expect(check(decision("accept", timestamp), question("confirmation"))).toBe(fault);
  });
});

describe("AAEP §6.3.4: what", () => {
  test("a decision for a question, and an answer for a confirmation, count as none", () => {
    expect(check(decision(), question("clarification"))).toBe("wrong_kind");
    expect(check(answer("yes"), question("confirmation"))).toBe("wrong_kind");
  });

  test.each([
    [undefined, "accept", undefined],
    [undefined, "reject", undefined],
    [["accept", "reject"], "accept", undefined],
    [["reject"], "reject", undefined],
    [["reject"], "accept", "not_offered"],
    [["accept"], "reject", "not_offered"],
  ] as const)("of the allowed replies %j the decision %s", (allowed_replies, value, fault) => {
    const fields = allowed_replies === undefined ? {} : { allowed_replies };
    expect(check(decision(value), question("confirmation", fields))).toBe(fault);
  });

  const choices = [
    { value: "60", label: "Age 60" },
    { value: "65", label: "Age 65" },
  ];
  test.each([
    ["free text where nothing is said", {}, "Tuesday", undefined],
    ["a number where nothing is said", {}, 4, "not_offered"],
    ["true where nothing is said", {}, true, "not_offered"],
    ["an empty text", {}, "", "not_offered"],
    ["one of the choices, with no kinds named", { choices }, "65", undefined],
    ["no choice, with no kinds named", { choices }, "61", "not_offered"],
    ["a choice's label", { choices }, "Age 65", "not_offered"],
    ["a choice as a number", { choices }, 65, "not_offered"],
    [
      "a number where numbers do too",
      { choices, accepted_response_kinds: ["multiple_choice", "numeric"] },
      61,
      undefined,
    ],
    [
      "free text where that does too",
      { choices, accepted_response_kinds: ["multiple_choice", "freetext"] },
      "61",
      undefined,
    ],
    ["yes", { accepted_response_kinds: ["yes_no"] }, true, undefined],
    ["no", { accepted_response_kinds: ["yes_no"] }, false, undefined],
    ["yes in words", { accepted_response_kinds: ["yes_no"] }, "yes", "not_offered"],
    ["one for yes", { accepted_response_kinds: ["yes_no"] }, 1, "not_offered"],
    ["zero", { accepted_response_kinds: ["numeric"] }, 0, undefined],
    ["a number in words", { accepted_response_kinds: ["numeric"] }, "4", "not_offered"],
    ["what is no number", { accepted_response_kinds: ["numeric"] }, Number.NaN, "not_offered"],
    ["a choice where none is listed", { accepted_response_kinds: ["multiple_choice"] }, "65", "not_offered"],
    [
      "nothing, where a choice has no value",
      { choices: [{}, "65"], accepted_response_kinds: ["multiple_choice"] },
      "65",
      "not_offered",
    ],
    ["an object", { accepted_response_kinds: ["freetext", "numeric", "yes_no", "multiple_choice"] }, {}, "not_offered"],
    ["an answer of an unknown kind", { accepted_response_kinds: ["gesture"] }, "wave", "not_offered"],
  ])("%s", (_, fields, response, fault) => {
    expect(check(answer(response), question("clarification", fields))).toBe(fault);
  });
});
