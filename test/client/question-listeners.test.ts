// R8, AAEP §6.3: news of questions for an agent that listens.
import { describe, expect, it } from "vitest";
import { tellListeners } from "../../src/client/agent-questions.js";
import { faultOf } from "../support/fault-of.js";

const OUTCOME = { resolved_by: "reply", reply_token: "rpl_1", event_id: "evt_1", decision: "accept" };

describe("aaep.outcome", () => {
  it("is told if it is readable", () => {
    const told: unknown[] = [];
    expect(tellListeners("aaep.outcome", OUTCOME, { onOutcome: (one) => void told.push(one) })).toBe(true);
    expect(told).toEqual([OUTCOME]);
    expect(tellListeners("aaep.outcome", OUTCOME, {})).toBe(true);
  });

  it.each([
    ["nothing", undefined],
    ["null", null],
    ["a text", "accept"],
    ["a number", 7],
    ["an empty object", {}],
    ["an outcome without token", { ...OUTCOME, reply_token: undefined }],
    ["an outcome without event", { ...OUTCOME, event_id: 5 }],
    ["an outcome without cause", { ...OUTCOME, resolved_by: null }],
  ])("that is %s is a fault and no consent", (_, params) => {
    const fault = faultOf(() => tellListeners("aaep.outcome", params, { onOutcome: () => expect.unreachable() }));
    expect(fault).toMatchObject({
      code: "invalid_message",
      sentence: "The outcome is not readable. Treat it as no consent.",
    });
  });
});

it("aaep.waiting is told, and other notifications are left to others", () => {
  const told: unknown[] = [];
  const listeners = { onWaiting: (one: unknown) => void told.push(one) };
  expect(tellListeners("aaep.waiting", { reply_token: "rpl_1" }, listeners)).toBe(true);
  expect(tellListeners("aaep.closing", {}, listeners)).toBe(false);
  expect(told).toEqual([{ reply_token: "rpl_1" }]);
});
