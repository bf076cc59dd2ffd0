// R5d: a subscription whose process stands below an agent's is nobody who can answer that agent.
import { describe, expect, it } from "vitest";
import { defaultTerms } from "../../../src/protocols/aaep/subscriber/negotiate.js";
import { createEngineRig, type EngineRig, session } from "../../support/rigs/engine-rig.js";
import { ABLE, confirmation, decision } from "../../support/rigs/question-rig.js";
import { createRuns } from "../../support/rigs/restart-rig.js";

const AGENT = 100;
const BELOW = [103, 102, AGENT, 50, 1];
const ABOVE = [50, 1];

const listenFrom = ({ engine }: EngineRig, lineage: readonly number[]) =>
  engine.subscribe({
    subscriberId: "listener",
    terms: { ...defaultTerms(), ...ABLE },
    lineage,
    resumeAfter: undefined,
    outlet: { wake: () => {}, ended: () => {} },
  });

const agentOf = ({ engine }: EngineRig, processId?: number) =>
  engine.openAgent({ agent_id: "a" }, undefined, {}, processId);

function ask(rig: EngineRig, agent: ReturnType<typeof agentOf>, token = "rpl_1") {
  agent.publish([{ fields: confirmation(token) }], false);
  rig.clock.settle();
}

const isAnswered = (rig: EngineRig, by: ReturnType<typeof listenFrom>, token = "rpl_1"): boolean => {
  by.listener.openQuestions();
  return by.listener.reply(decision(rig, token, "accept"), {});
};

describe("R5d", () => {
  it("the agent's own process may listen beside it, unless an adapter has named it", () => {
    const rig = createEngineRig();
    const own = listenFrom(rig, [AGENT, 50, 1]);
    const agent = agentOf(rig, AGENT);
    agent.publish([{ fields: session().started() }], false);
    ask(rig, agent);
    expect(own.listener.openQuestions().events).toHaveLength(1);
    agent.addProcess(AGENT, true);
    ask(rig, agent, "rpl_2");
    expect(isAnswered(rig, own, "rpl_2")).toBe(false);
  });

  it("questions of other agents it answers, and of those whose process is not known", () => {
    const rig = createEngineRig();
    const below = listenFrom(rig, BELOW);
    agentOf(rig, AGENT).publish([{ fields: session().started() }], false);
    for (const [id, processId] of [
      ["sess_2", 200],
      ["sess_3", undefined],
    ] as const) {
      const other = agentOf(rig, processId);
      other.publish([{ fields: session(id).started() }], false);
      other.publish([{ fields: { ...confirmation(`rpl_${id.slice(5)}`), session_id: id } }], false);
      rig.clock.settle();
      expect(isAnswered(rig, below, `rpl_${id.slice(5)}`)).toBe(true);
    }
  });

  it("holds for every process that took part: one that shows the session's token, and the one before it", () => {
    const rig = createEngineRig();
    listenFrom(rig, ABOVE);
    const agent = agentOf(rig, AGENT);
    const { resumeToken } = agent.publish([{ fields: session().started() }], false);
    const helper = agentOf(rig, 200);
    helper.publish([{ fields: confirmation("rpl_1") }], false, resumeToken);
    agent.close();
    rig.clock.settle();
    for (const lineage of [BELOW, [201, 200, 1]]) expect(isAnswered(rig, listenFrom(rig, lineage))).toBe(false);
  });

  it("holds after a restart, while the agent is away and when it is back from another process", async () => {
    const runs = createRuns();
    const run = runs.start();
    listenFrom(run, ABOVE);
    const agent = agentOf(run, AGENT);
    const { resumeToken } = agent.publish([{ fields: session().started() }], false);
    ask(run, agent);
    await run.flush();
    const second = runs.start();
    const below = listenFrom(second, BELOW);
    expect(isAnswered(second, below)).toBe(false);
    agentOf(second, 300).resumeSession("sess_1", String(resumeToken));
    expect(isAnswered(second, listenFrom(second, [301, 300, 1]))).toBe(false);
    expect(isAnswered(second, listenFrom(second, ABOVE))).toBe(true);
  });
});
