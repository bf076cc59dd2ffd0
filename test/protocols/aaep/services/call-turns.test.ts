// Costly calls that are answered once: a turn each, fair among those who send them, and nothing kept of those that had it (R28).
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { CallTurns } from "../../../../src/protocols/aaep/services/call-turns.js";
import { CallSignal } from "../../../../transports/json-rpc/call-signal.js";
import { createAgentServiceRig } from "../../../support/rigs/agent-service-rig.js";
import { createVirtualClock } from "../../../support/rigs/virtual-clock.js";

function createStage() {
  const clock = createVirtualClock();
  const all = new CallTurns(clock);
  const turns = <Answer>(sender: string, run: () => Answer) => all.take(sender, new CallSignal(), run);
  const ran: string[] = [];
  const call = (sender: string, name = sender) => turns(sender, () => void ran.push(name));
  const turn = async () => {
    await nextTurn();
    clock.turn();
    await nextTurn();
  };
  return { turn, turns, ran, call };
}

describe("costly calls", () => {
  it("run one a turn, the first at once, each sender in its turn", async () => {
    const { turn, ran, call } = createStage();
    const all = ["a1", "a2", "a3", "b1", "b2", "c1"].map((name) => call(name.slice(0, 1), name));
    const seen = [ran.length];
    for (let count = 1; count < all.length; count += 1) {
      await turn();
      seen.push(ran.length);
    }
    await Promise.all(all);
    expect(ran).toEqual(["a1", "a2", "b1", "c1", "a3", "b2"]);
    expect(seen).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it("are answered with what they answer and what they throw, and the next has its turn all the same", async () => {
    const { turn, turns } = createStage();
    const fails = (): never => {
      throw new Error("no");
    };
    const settled = Promise.allSettled([turns("a", fails), turns("a", fails), turns("a", () => 3)]);
    for (let count = 0; count < 3; count += 1) await turn();
    expect((await settled).map(({ status }) => status)).toEqual(["rejected", "rejected", "fulfilled"]);
  });
});

describe("R34: a sender with 256 costly calls that wait", () => {
  it("is refused a further one until a turn has come, and no other sender is", async () => {
    const { turn, ran, call } = createStage();
    const waiting = Array.from({ length: 1 + 256 }, () => call("a"));
    await expect(call("a")).rejects.toMatchObject({ code: "rate_limit" });
    const other = call("b");
    await turn();
    waiting.push(call("a"));
    await expect(call("a")).rejects.toMatchObject({ code: "rate_limit" });
    for (let count = 0; count < 258; count += 1) await turn();
    await Promise.all([...waiting, other]);
    expect(ran).toHaveLength(259);
  });
});

describe("a flood of costly single calls", () => {
  it("leaves every turn to the streams too", async () => {
    const { rig, call, stream } = createAgentServiceRig();
    const agent = stream();
    let refusedCount = 0;
    for (let index = 0; index < 250; index += 1) {
      const session = { session_id: "sess_9", resume_token: `rst_${index}` };
      call("resumeSession", { session }).catch(() => {
        refusedCount += 1;
      });
    }
    const resume = { session_id: "sess_9", resume_token: "rst_9" };
    agent.send(...Array.from({ length: 5 }, () => ({ resume })));
    let turnCount = 0;
    while (agent.heard().length < 5 && turnCount < 600) {
      turnCount += 1;
      await nextTurn();
      rig.clock.turn();
    }
    await nextTurn();
    // One costly request a turn on the stream, and one costly call beside it.
    expect(turnCount).toBeLessThanOrEqual(8);
    expect(refusedCount).toBeLessThanOrEqual(1 + turnCount);
    expect(refusedCount).toBeGreaterThanOrEqual(turnCount - 1);
  });
});
