// Which of a session's connections is told how a question ended, and whether somebody is waited for (R8).
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
});
