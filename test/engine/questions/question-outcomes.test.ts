// What is remembered of questions that have their outcome: no more than an agent that comes back can use (R8).
import { describe, expect, it } from "vitest";
import { NO_DURABLE_STATE } from "../../../src/engine/journal/durable-entry.js";
import { type OutcomesServices, QuestionOutcomes } from "../../../src/engine/questions/question-outcomes.js";
import { CANCELLED, type ResolvedQuestion } from "../../../src/engine/questions/question-result.js";
import { createWakeUps } from "../../../src/engine/time/wake-ups.js";
import { ABLE, clarification, started } from "../../support/rigs/question-rig.js";

const outcome = (token: string, response: unknown, sessionId = "sess_1"): ResolvedQuestion => ({
  question: { token, sessionId, agentId: "planner", kind: "clarification", eventId: `evt_${token}` },
  result: { ...CANCELLED, resolvedBy: "reply", response },
});

const outcomesWith = (changes: Partial<OutcomesServices>, maxCount?: number, maxBytes?: number) => {
  const services: OutcomesServices = {
    wakeUps: createWakeUps(),
    clock: { now: () => 0, wallTime: () => 0 },
    audit: { isOn: false, record: () => undefined },
    journal: { durableState: NO_DURABLE_STATE, durable: () => undefined },
    log: { error: () => undefined },
    resolved: () => undefined,
    ...changes,
  };
  return new QuestionOutcomes(services, maxCount, maxBytes);
};

describe("R8: outcomes that are remembered", () => {
  it("are kept without the event that asked, which may be 64 KiB", () => {
    const rig = started();
    rig.listen(ABLE);
    rig.publish(clarification("rpl_1", { context: "x".repeat(4000), event_id: "evt_0123456789abcdef" }));
    rig.advance(60_000);
    const known = rig.agent.outcomeOf("rpl_1");
    expect(known).toMatchObject({
      question: {
        token: "rpl_1",
        sessionId: "sess_1",
        agentId: "test-agent",
        kind: "clarification",
        eventId: "evt_0123456789abcdef",
      },
      result: { resolvedBy: "timeout" },
    });
    expect(JSON.stringify(known).length).toBeLessThan(400);
  });

  it("are bounded in bytes over all sessions: the oldest goes first, whichever session's it is", () => {
    const outcomes = outcomesWith({}, undefined, 10_000);
    for (let index = 0; index < 10; index += 1)
      outcomes.add(outcome(`rpl_${index}`, "x".repeat(2000), `sess_${index % 2}`), undefined, undefined);
    const known = Array.from({ length: 10 }, (_, index) => outcomes.find(`rpl_${index}`) !== undefined);
    expect(known).toEqual([false, false, false, false, false, false, true, true, true, true]);
    outcomes.forgetSession("sess_0");
    outcomes.add(outcome("rpl_10", "x".repeat(2000)), undefined, undefined);
    outcomes.add(outcome("rpl_11", "x".repeat(2000)), undefined, undefined);
    expect(["rpl_6", "rpl_7", "rpl_8", "rpl_9"].map((token) => outcomes.find(token) !== undefined)).toEqual([
      false,
      true,
      false,
      true,
    ]);
  });

  it("R29: one that is forgotten before it is safe is told all the same", async () => {
    const wakeUps = createWakeUps();
    let isBroken = true;
    const told: string[] = [];
    const services = {
      journal: {
        durableState: NO_DURABLE_STATE,
        durable: () => {
          if (isBroken) throw new Error("the disk is gone");
          return undefined;
        },
      },
      wakeUps,
      resolved: ({ question }: ResolvedQuestion) => void told.push(question.token),
    };
    const outcomes = outcomesWith(services, undefined, 1);
    outcomes.add(outcome("rpl_1", "yes"), undefined, Promise.reject(new Error("the disk is gone")));
    expect(outcomes.find("rpl_1")).toBe("unsafe");
    await new Promise((resolve) => setImmediate(resolve));
    wakeUps.advance(1000, 1);
    expect([told, outcomes.find("rpl_1")]).toEqual([[], "unsafe"]);
    isBroken = false;
    wakeUps.advance(1000, 1);
    expect(told).toEqual(["rpl_1"]);
    expect(outcomes.find("rpl_1")).toBeUndefined();
  });
});
