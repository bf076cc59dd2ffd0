// Costly calls that are answered once: a turn each, fair among those who send them, and nothing kept of those that had it (R28).
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { CallTurns, MAX_WAITING_CALLS } from "../../../../src/protocols/aaep/services/call-turns.js";
import { CallSignal } from "../../../../transports/json-rpc/call-signal.js";
import { collector } from "../../../support/collector.js";
import { createAgentServiceRig } from "../../../support/rigs/agent-service-rig.js";
import { createVirtualClock } from "../../../support/rigs/virtual-clock.js";

function createStage() {
  const clock = createVirtualClock();
  const all = new CallTurns(clock);
  const turns = <Answer>(sender: string, bytes: number, run: () => Answer) =>
    all.take({ sender, bytes, signal: new CallSignal(), run });
  const ran: string[] = [];
  const call = (sender: string, name = sender, bytes = 100) => turns(sender, bytes, () => void ran.push(name));
  return { clock, turns, ran, call };
}

describe("costly calls", () => {
  it("run one a turn, the first at once, each sender in its turn", async () => {
    const { clock, ran, call } = createStage();
    const all = ["a1", "a2", "a3", "b1", "b2", "c1"].map((name) => call(name.slice(0, 1), name));
    const seen = [ran.length];
    for (let turn = 1; turn < all.length; turn += 1) {
      clock.turn();
      seen.push(ran.length);
    }
    await Promise.all(all);
    expect(ran).toEqual(["a1", "a2", "b1", "c1", "a3", "b2"]);
    expect(seen).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it("are answered with what they answer and what they throw, and the next has its turn all the same", async () => {
    const { clock, turns } = createStage();
    const fails = (): never => {
      throw new Error("no");
    };
    const settled = Promise.allSettled([turns("a", 1, fails), turns("a", 1, fails), turns("a", 1, () => 3)]);
    clock.settle();
    expect((await settled).map(({ status }) => status)).toEqual(["rejected", "rejected", "fulfilled"]);
  });

  it("wait so many at a time, a sender; others are not refused for it, nor is it once there is room", async () => {
    const { clock, ran, call } = createStage();
    const waiting = Array.from({ length: 1 + MAX_WAITING_CALLS }, () => call("a"));
    await expect(call("a")).rejects.toMatchObject({ code: "rate_limit", retryAfterSeconds: 1 });
    const others = call("b");
    clock.turn();
    const next = call("a");
    clock.settle();
    await Promise.all([...waiting, others, next]);
    expect(ran).toHaveLength(MAX_WAITING_CALLS + 3);
  });

  it("wait with so many bytes at a time, a sender; one call of each sender waits in any case", async () => {
    const { clock, ran, call } = createStage();
    const MIB = 1024 * 1024;
    const waiting = [call("a"), ...Array.from({ length: 4 }, () => call("a", "a", MIB))];
    await expect(call("a", "a", 1)).rejects.toMatchObject({ code: "rate_limit", retryAfterSeconds: 1 });
    waiting.push(call("b", "b", 16 * MIB));
    await expect(call("b", "b", 1)).rejects.toMatchObject({ code: "rate_limit" });
    clock.settle();
    waiting.push(call("a"), call("a", "a", 2 * MIB), call("a", "a", 2 * MIB));
    clock.settle();
    await Promise.all(waiting);
    expect(ran).toHaveLength(waiting.length);
  });

  it("are let go of when they are run, though others of the same sender wait at all times", async () => {
    const collect = collector();
    const { clock, turns } = createStage();
    const held: WeakRef<object>[] = [];
    const add = (): void => {
      const request = { index: held.length };
      held.push(new WeakRef(request));
      void turns("a", 1, () => void request.index);
    };
    for (let index = 0; index < 3; index += 1) add();
    for (let turn = 0; turn < 200; turn += 1) {
      add();
      clock.turn();
    }
    // What a WeakRef was made of is held until the end of the turn.
    await nextTurn();
    collect();
    const alive = held.flatMap((request) => request.deref() ?? []);
    expect(alive).toEqual([{ index: 201 }, { index: 202 }]);
  });
});

describe("a flood of costly single calls", () => {
  it("leaves every turn to the streams too", async () => {
    const { rig, call, stream } = createAgentServiceRig();
    const agent = stream();
    let refusedCount = 0;
    for (let index = 0; index < 600; index += 1) {
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
