import { describe, expect, it } from "vitest";
import { createUndoLog } from "../../src/engine/undo-log.js";
import { createStage, eventOf, type Fields, faultOf, SESSION, type Stage } from "../support/session-stage.js";

const LIMITS: readonly {
  readonly what: string;
  readonly most: number;
  readonly open: (stage: Stage, index: number) => unknown;
}[] = [
  {
    what: "64 agents",
    most: 63,
    open: (stage, index) => stage.publish("progress.updated", { producer: { agent_id: `helper_${index}` } }),
  },
  {
    what: "256 open tools",
    most: 256,
    open: (stage, index) => stage.publish("tool.invoked", index % 2 === 0 ? {} : { tool_call_id: `call_${index}` }),
  },
  {
    what: "256 open outputs",
    most: 256,
    open: (stage, index) => stage.publish("output.streaming", { output_id: `out_${index}` }),
  },
  {
    what: "64 open questions",
    most: 64,
    open: (stage, index) =>
      stage.publish("awaiting.clarification", { reply_token: `rpl_${index}`, question: `Which, ${index}?` }),
  },
];

describe("AAEP §4.5: what one session may keep open is limited", () => {
  it.each(LIMITS)(
    "AAEP §4.5: to $what; one more is refused, and the session stays as it was",
    ({ what, most, open }) => {
      const stage = createStage();
      stage.start();
      for (let index = 0; index < most; index += 1) open(stage, index);
      const before = stage.sessions.summary(SESSION);
      expect(faultOf(() => open(stage, most))).toMatchObject({ code: "rate_limit" });
      expect(faultOf(() => open(stage, most)).sentence).toContain(`at most ${what}`);
      expect(stage.sessions.summary(SESSION)).toEqual(before);
    },
  );

  it("AAEP §4.3.1: the call ids of open tools are known however many followed them, others for a while", () => {
    const stage = createStage();
    const call = (id: string): Fields => ({ tool_call_id: id });
    stage.start();
    stage.publish("tool.invoked", call("still open"));
    for (let index = 0; index < 16_400; index += 1) {
      stage.publish("tool.invoked", call(`call_${index}`));
      stage.publish("tool.completed", call(`call_${index}`));
    }
    expect(faultOf(() => stage.publish("tool.invoked", call("still open"))).code).toBe("tool_already_invoked");
    expect(faultOf(() => stage.publish("tool.invoked", call("call_16399"))).code).toBe("tool_already_invoked");
    expect(() => stage.publish("tool.invoked", call("call_0"))).not.toThrow();
  });
});

describe("AAEP §4.5.2: tools without a call's id", () => {
  it("R3: are paired with the oldest, the agent's own first, also after a plan was taken back", () => {
    const stage = createStage();
    stage.start();
    stage.publish("tool.invoked", { producer: { agent_id: "helper" } });
    stage.publish("tool.invoked");
    stage.publish("tool.invoked");
    const complete = eventOf("tool.completed");
    expect(faultOf(() => stage.plan([complete, complete, complete, complete])).code).toBe("tool_not_invoked");
    const openOf = (): readonly string[] =>
      (stage.sessions.summary(SESSION)?.openTools ?? []).map(
        ({ producer, ordinal }) => `${producer.agent_id} ${ordinal}`,
      );
    expect(openOf()).toEqual(["helper 2", "planner 3", "planner 4"]);
    stage.publish("tool.completed");
    expect(openOf()).toEqual(["helper 2", "planner 4"]);
    stage.publish("tool.completed");
    stage.publish("tool.completed");
    expect(openOf()).toEqual([]);
  });
});

describe("R3: what a plan changed is taken back", () => {
  it("R3: in sets and lists too", () => {
    const undo = createUndoLog();
    const set = new Set([1, 2]);
    const list = [1];
    undo.drop(set, 1);
    undo.drop(set, 7);
    undo.push(list, 2);
    undo.push(list, 3);
    undo.revert();
    expect([[...set].sort(), list]).toEqual([[1, 2], [1]]);
  });
});
