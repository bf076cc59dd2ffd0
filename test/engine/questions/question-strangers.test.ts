// Agents that show a session's token in place of having it, and agents that no news reach: single calls, made for a session of another connection (R8).
import { describe, expect, it } from "vitest";
import { createEngineRig, type EngineRig, session } from "../../support/rigs/engine-rig.js";
import { ABLE, confirmation, give } from "../../support/rigs/question-rig.js";

interface Stage {
  readonly rig: EngineRig;
  readonly shown: string;
}

function createStage(): Stage {
  const rig = createEngineRig();
  const { resumeToken } = rig.agent.publish([{ fields: session().started() }], false);
  return { rig, shown: resumeToken ?? expect.fail("a session's start is answered with a token") };
}

/** An agent that cannot be told anything. */
const deafAgent = ({ rig }: Stage) => rig.engine.openAgent(undefined, undefined);

describe("asking and taking back with a session's token", () => {
  it("R8: asks in a session of another connection, and is told the outcome", () => {
    const stage = createStage();
    const { rig } = stage;
    const listener = rig.listen(ABLE);
    const told: string[] = [];
    const other = deafAgent(stage);
    expect(() => other.ask(confirmation("rpl_1"), () => undefined)).toThrow("[session_not_yours]");
    other.ask(confirmation("rpl_1"), ({ result }) => void told.push(String(result.decision)), stage.shown);
    rig.clock.settle();
    give(rig, listener, "rpl_1", "accept");
    expect(told).toEqual(["accept"]);
    expect(rig.agent.outcomes).toEqual([]);
  });

  it("R3, R8: the same question once more, by whoever shows the token", () => {
    const stage = createStage();
    stage.rig.listen(ABLE);
    const again = { ...confirmation("rpl_1"), event_id: "evt_q" };
    stage.rig.agent.publish([{ fields: again }], false);
    const other = deafAgent(stage);
    expect(() => other.ask(again, () => undefined)).toThrow("Take the session over with its resume_token first");
    expect(other.ask(again, () => undefined, stage.shown).token).toBe("rpl_1");
  });

  it("AAEP §6.8: takes back with the token what another asked, and not without", () => {
    const stage = createStage();
    const { rig, shown } = stage;
    rig.listen(ABLE);
    rig.agent.publish([{ fields: confirmation("rpl_1") }], false);
    const other = deafAgent(stage);
    expect(other.cancel("rpl_1")).toBe(false);
    expect(other.cancel("rpl_1", "rst_wrong")).toBe(false);
    expect(other.cancel("rpl_1", shown)).toBe(true);
    expect(rig.agent.outcomes.map(({ result }) => result.resolvedBy)).toEqual(["cancelled"]);
  });
});

describe("an agent without an ear for news", () => {
  it("the owner of the session is told in its place", () => {
    const stage = createStage();
    const { rig } = stage;
    const listener = rig.listen(ABLE);
    deafAgent(stage).publish([{ fields: confirmation("rpl_1") }], false, stage.shown);
    rig.clock.settle();
    give(rig, listener, "rpl_1", "accept");
    expect(rig.agent.outcomes.map(({ question }) => question.token)).toEqual(["rpl_1"]);
    expect(rig.agent.waiting).toEqual([
      ["rpl_1", true],
      ["rpl_1", false],
    ]);
  });
});

describe("what an agent has", () => {
  it("an open session holds it, until that ends or another takes it over", () => {
    const { rig, shown } = createStage();
    expect(rig.agent.isHolding()).toBe(true);
    const heir = rig.openAgent();
    expect(heir.isHolding()).toBe(false);
    heir.resumeSession("sess_1", shown);
    expect([rig.agent.isHolding(), heir.isHolding()]).toEqual([false, true]);
    heir.publish([{ fields: session().completed() }], false);
    expect(heir.isHolding()).toBe(false);
  });

  it("so does an open question in a session of another, until its outcome", () => {
    const stage = createStage();
    const listener = stage.rig.listen(ABLE);
    const other = deafAgent(stage);
    other.publish([{ fields: confirmation("rpl_1") }], false, stage.shown);
    stage.rig.clock.settle();
    expect(other.isHolding()).toBe(true);
    give(stage.rig, listener, "rpl_1", "reject");
    expect(other.isHolding()).toBe(false);
  });

  it("R8: whoever has a session is found by its token, as long as it is open and its agent there", () => {
    const { rig, shown } = createStage();
    const heir = rig.engine.openAgent(undefined, undefined);
    expect(rig.engine.holderOf("rst_wrong")).toBeUndefined();
    expect(rig.engine.holderOf(shown)?.isHolding()).toBe(true);
    heir.resumeSession("sess_1", shown);
    expect(rig.engine.holderOf(shown)).toBe(heir);
    heir.close();
    expect(rig.engine.holderOf(shown)).toBeUndefined();
    const second = rig.engine.openAgent(undefined, undefined);
    second.publish([{ fields: session().progress(5) }], false, shown);
    expect(rig.engine.holderOf(shown)).toBe(second);
    second.publish([{ fields: session().completed() }], false);
    expect(rig.engine.holderOf(shown)).toBeUndefined();
  });
});
