// Which of a session's connections is told how a question ended, and whether somebody is waited for (R8, H10).
import { describe, expect, it } from "vitest";
import { createEngineRig, type EngineRig, type RigAgent, session } from "../../support/rigs/engine-rig.js";
import { ABLE, confirmation, give } from "../../support/rigs/question-rig.js";

function resumeTokenOf(rig: EngineRig, agent: RigAgent = rig.agent): string {
  const { resumeToken } = agent.publish([{ fields: session().started() }], false);
  return resumeToken ?? expect.fail("a session's start is answered with a token");
}

const ask = (agent: RigAgent, token: string, resumeToken?: string) =>
  void agent.publish([{ fields: confirmation(token) }], false, resumeToken);

const toldOf = ({ outcomes, waiting }: RigAgent) => ({
  outcomes: outcomes.map(({ question }) => question.token),
  waiting: waiting.map(([token, isWaiting]) => `${token} ${isWaiting}`),
});

describe("who is told of a question", () => {
  it("each connection of what it published itself, though both publish into one session", () => {
    const rig = createEngineRig();
    const listener = rig.listen(ABLE);
    const shown = resumeTokenOf(rig);
    ask(rig.agent, "rpl_1");
    const second = rig.openAgent();
    ask(second, "rpl_2", shown);
    rig.clock.settle();
    give(rig, listener, "rpl_1", "accept");
    give(rig, listener, "rpl_2", "reject");
    expect(toldOf(rig.agent)).toEqual({ outcomes: ["rpl_1"], waiting: ["rpl_1 true", "rpl_1 false"] });
    expect(toldOf(second)).toEqual({ outcomes: ["rpl_2"], waiting: ["rpl_2 true", "rpl_2 false"] });
  });

  it("the session's owner, of what a connection asked that has gone", () => {
    const rig = createEngineRig();
    const listener = rig.listen(ABLE);
    const shown = resumeTokenOf(rig);
    const second = rig.openAgent();
    ask(second, "rpl_2", shown);
    rig.clock.settle();
    second.close();
    give(rig, listener, "rpl_2", "accept");
    expect(toldOf(rig.agent).outcomes).toEqual(["rpl_2"]);
    expect(second.outcomes).toEqual([]);
  });

  it.each(["resuming", "publishing"])("R8: whoever takes the session over by %s, once the first is gone", (way) => {
    const rig = createEngineRig();
    const listener = rig.listen(ABLE);
    const shown = resumeTokenOf(rig);
    ask(rig.agent, "rpl_1");
    rig.clock.settle();
    rig.agent.close();
    const heir = rig.openAgent();
    if (way === "resuming") heir.resumeSession("sess_1", shown);
    else heir.publish([{ fields: session().progress(5) }], false, shown);
    give(rig, listener, "rpl_1", "accept");
    expect(toldOf(heir)).toEqual({ outcomes: ["rpl_1"], waiting: ["rpl_1 true", "rpl_1 false"] });
    expect(rig.agent.outcomes).toEqual([]);
  });

  it("R8: whoever takes the session over while the first still seems to be there, and not the first any more", () => {
    const rig = createEngineRig();
    const listener = rig.listen(ABLE);
    const shown = resumeTokenOf(rig);
    for (const token of ["rpl_1", "rpl_2"]) ask(rig.agent, token);
    rig.clock.settle();
    const heir = rig.openAgent();
    heir.resumeSession("sess_1", shown);
    give(rig, listener, "rpl_1", "accept");
    expect(rig.agent.cancel("rpl_2")).toBe(false);
    expect(rig.agent.isHolding()).toBe(false);
    rig.agent.close();
    give(rig, listener, "rpl_2", "accept");
    expect(toldOf(rig.agent)).toEqual({ outcomes: [], waiting: ["rpl_1 true", "rpl_2 true"] });
    expect(toldOf(heir)).toEqual({
      outcomes: ["rpl_1", "rpl_2"],
      waiting: ["rpl_1 true", "rpl_2 true", "rpl_1 false", "rpl_2 false"],
    });
  });

  it("R8: the last of several that took it over one after the other; one that takes over its own, once", () => {
    const rig = createEngineRig();
    const listener = rig.listen(ABLE);
    const shown = resumeTokenOf(rig);
    ask(rig.agent, "rpl_1");
    rig.clock.settle();
    const heirs = [rig.openAgent(), rig.openAgent()];
    for (const heir of heirs) heir.resumeSession("sess_1", shown);
    heirs[1]?.resumeSession("sess_1", shown);
    give(rig, listener, "rpl_1", "accept");
    expect([rig.agent, ...heirs].map(({ outcomes }) => outcomes.length)).toEqual([0, 0, 1]);
    expect(heirs[1] && toldOf(heirs[1]).waiting).toEqual(["rpl_1 true", "rpl_1 false"]);
  });

  it("R8: a call that awaits the outcome on the first connection is answered too, and the heir is told", () => {
    const rig = createEngineRig();
    const listener = rig.listen(ABLE);
    const shown = resumeTokenOf(rig);
    const answers: string[] = [];
    rig.agent.ask(confirmation("rpl_1"), ({ result }) => void answers.push(String(result.decision)));
    rig.clock.settle();
    const heir = rig.openAgent();
    heir.resumeSession("sess_1", shown);
    give(rig, listener, "rpl_1", "accept");
    expect(answers).toEqual(["accept"]);
    expect(toldOf(rig.agent).outcomes).toEqual([]);
    expect(toldOf(heir).outcomes).toEqual(["rpl_1"]);
  });

  it("R8: an heir that awaits it itself has its answer and no news beside it", () => {
    const rig = createEngineRig();
    const listener = rig.listen(ABLE);
    const shown = resumeTokenOf(rig);
    const question = { ...confirmation("rpl_1"), event_id: "evt_q" };
    rig.agent.publish([{ fields: question }], false);
    rig.clock.settle();
    const heir = rig.openAgent();
    heir.resumeSession("sess_1", shown);
    const answers: string[] = [];
    heir.ask(question, ({ result }) => void answers.push(String(result.decision)));
    give(rig, listener, "rpl_1", "accept");
    expect(answers).toEqual(["accept"]);
    expect(toldOf(heir).outcomes).toEqual([]);
  });

  it("R8: both, of what a third connection asked with the token and still hears of", () => {
    const rig = createEngineRig();
    const listener = rig.listen(ABLE);
    const shown = resumeTokenOf(rig);
    const third = rig.openAgent();
    ask(third, "rpl_3", shown);
    rig.clock.settle();
    const heir = rig.openAgent();
    heir.resumeSession("sess_1", shown);
    give(rig, listener, "rpl_3", "accept");
    expect([rig.agent, third, heir].map((agent) => toldOf(agent).outcomes)).toEqual([[], ["rpl_3"], ["rpl_3"]]);
    expect(third.isHolding()).toBe(false);
  });

  it("the connection that published it, though another call awaits the outcome too", () => {
    const rig = createEngineRig();
    const listener = rig.listen(ABLE);
    const shown = resumeTokenOf(rig);
    const question = { ...confirmation("rpl_1"), event_id: "evt_q" };
    rig.agent.publish([{ fields: question }], false);
    rig.clock.settle();
    const answers: string[] = [];
    rig.openAgent().ask(question, ({ result }) => void answers.push(String(result.decision)), shown);
    give(rig, listener, "rpl_1", "accept");
    expect(answers).toEqual(["accept"]);
    expect(toldOf(rig.agent).outcomes).toEqual(["rpl_1"]);
  });

  it("nobody, of a question that was refused; its token is free", () => {
    const rig = createEngineRig();
    const listener = rig.listen(ABLE);
    const shown = resumeTokenOf(rig);
    const second = rig.openAgent();
    expect(() => ask(second, "rpl_1")).toThrow("session.started was answered with");
    ask(rig.agent, "rpl_1", shown);
    rig.clock.settle();
    give(rig, listener, "rpl_1", "accept");
    expect(toldOf(rig.agent).outcomes).toEqual(["rpl_1"]);
    expect(toldOf(second).outcomes).toEqual([]);
  });

  it("AAEP §6.8: the connection that asked may take back its own, and the session's owner any", () => {
    const rig = createEngineRig();
    rig.listen(ABLE);
    const shown = resumeTokenOf(rig);
    const second = rig.openAgent();
    for (const token of ["rpl_1", "rpl_2"]) ask(second, token, shown);
    ask(rig.agent, "rpl_3");
    expect(second.cancel("rpl_3")).toBe(false);
    expect(second.cancel("rpl_1")).toBe(true);
    expect(rig.agent.cancel("rpl_2")).toBe(true);
    expect(second.outcomes.map(({ result }) => result.resolvedBy)).toEqual(["cancelled", "cancelled"]);
  });
});
