// What one end leads to for many questions: each gets its one outcome, in the order in which they were asked (R6, R7, R8, R8a).
import { describe, expect, it } from "vitest";
import { createEngineRig, type EngineRig, type RigOptions, session } from "../../support/rigs/engine-rig.js";
import { ABLE, audited, fates, give } from "../../support/rigs/question-rig.js";

const SESSION_COUNT = 5;
const PER_SESSION = 8;
const tokens = Array.from({ length: SESSION_COUNT * PER_SESSION }, (_, index) => `rpl_${index}`);

/** Questions of one agent in several sessions, all with the same deadline, put to one subscription. */
function askedMany(options: RigOptions = {}) {
  const rig = createEngineRig(options);
  const able = rig.listen(ABLE, "able");
  for (let s = 0; s < SESSION_COUNT; s += 1) {
    const { started, confirmation } = session(`sess_${s}`);
    rig.publish(started());
    for (const token of tokens.slice(s * PER_SESSION, (s + 1) * PER_SESSION))
      rig.publish(confirmation(token, { action: `Do ${token}.` }));
  }
  return { rig, able };
}

const outcomeTokens = (rig: EngineRig) => audited(rig, "outcome").map(({ reply_token: token }) => token);

const WAYS: readonly (readonly [string, (rig: EngineRig, close: () => void) => unknown, string])[] = [
  ["R7: the last subscription that can answer ends", (_, close) => close(), "subscription_ended"],
  ["all deadlines pass", (rig) => rig.advance(60_000), "timeout"],
  ["R8: their agent vanishes", (rig) => rig.agent.close(), "cancelled"],
  ["R8a: the daemon ends the sessions", (rig) => rig.engine.endSessions(), "cancelled"],
];

describe("many questions at once", () => {
  it.each(WAYS)("%s: one outcome each, in order", (_, act, resolvedBy) => {
    const { rig, able } = askedMany({ engine: { agentGraceMs: 0 } });
    act(rig, () => able.subscription.close());
    rig.clock.settle();
    expect(outcomeTokens(rig)).toEqual(tokens);
    expect(audited(rig, "outcome").every(({ outcome }) => outcome.resolved_by === resolvedBy)).toBe(true);
    expect(give(rig, able, "rpl_0", "accept")).toBe(false);
    rig.clock.settle();
    expect(outcomeTokens(rig)).toEqual(tokens);
    expect(rig.engine.status().openQuestionCount).toBe(0);
    expect(rig.errors).toEqual([]);
  });

  it("R34: defaults are applied over several turns, in order", () => {
    const { rig, able } = askedMany();
    able.subscription.close();
    expect(outcomeTokens(rig)).toEqual(tokens.slice(0, 8));
    rig.clock.turn();
    expect(outcomeTokens(rig)).toEqual(tokens.slice(0, 16));
    rig.clock.settle();
    expect(outcomeTokens(rig)).toEqual(tokens);
    expect(rig.errors).toEqual([]);
  });

  it("R6: a question whose default waits for its turn is put to who comes meanwhile, and has its deadline", async () => {
    const { rig, able } = askedMany();
    able.subscription.close();
    const late = rig.listen(ABLE, "late");
    rig.clock.settle();
    expect(outcomeTokens(rig)).toEqual(tokens.slice(0, 8));
    expect(give(rig, late, "rpl_20", "accept")).toBe(true);
    await rig.advance(60_000);
    rig.clock.settle();
    expect(new Set(outcomeTokens(rig))).toEqual(new Set(tokens));
    expect(audited(rig, "outcome").filter(({ outcome }) => outcome.resolved_by === "timeout")).toHaveLength(31);
  });

  it("a deadline that passes while the default waits for its turn counts, whoever comes then", () => {
    const { rig, able } = askedMany();
    able.subscription.close();
    rig.clock.pass(60_000);
    rig.clock.runDue();
    rig.listen(ABLE, "late");
    rig.clock.settle();
    expect(outcomeTokens(rig)).toEqual(tokens);
    expect(audited(rig, "outcome").filter(({ outcome }) => outcome.resolved_by === "timeout")).toHaveLength(32);
  });

  it.each(["leaveSessionsOpen", "close"] as const)("R8b: %s leaves those open whose default waits", (stop) => {
    const { rig, able } = askedMany();
    able.subscription.close();
    void rig.engine[stop]();
    rig.clock.settle();
    expect(outcomeTokens(rig)).toEqual(tokens.slice(0, 8));
    expect(rig.errors).toEqual([]);
  });

  it("a reply at the deadline, before its timer, is too late", () => {
    const { rig, able } = askedMany();
    rig.clock.wakeAt(60_000, () => give(rig, able, "rpl_39", "accept", { timestamp: "2026-05-24T14:00:30.000Z" }));
    rig.advance(60_000);
    rig.clock.settle();
    expect(fates(rig)).toHaveLength(1);
    expect(new Set(outcomeTokens(rig)).size).toBe(tokens.length);
  });
});
