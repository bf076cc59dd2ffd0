import { describe, expect, test } from "vitest";
import { Fault } from "../../../src/base/errors.js";
import { faultOf } from "../../support/fault-of.js";
import { createStage, eventOf, type Fields, SESSION, type Stage } from "../../support/rigs/session-stage.js";

const helper = { producer: { agent_id: "helper" } };

describe("R3a: words of what is open", () => {
  test("R3a: a session that ends too early is told the call, the tool or the output to end first", () => {
    const stage = createStage();
    const sentenceOf = () => faultOf(() => stage.publish("session.completed")).sentence;
    stage.start();
    stage.publish("output.streaming");
    expect(sentenceOf()).toBe(
      "Publish a chunk with complete: true for the output without output_id first; it is still open.",
    );
    stage.publish("output.streaming", { complete: true });
    stage.publish("output.streaming", { output_id: "out_7" });
    expect(sentenceOf()).toContain("a chunk with complete: true for out_7 first");
    stage.publish("tool.invoked", { tool: "search" });
    expect(sentenceOf()).toContain("tool.completed for search first");
    stage.publish("tool.completed", { tool: "search" });
    stage.publish("tool.invoked", { tool: "search", tool_call_id: "call_9" });
    expect(sentenceOf()).toContain("tool.completed for call_9 first");
  });
});

describe("R5: irreversible means confirmed", () => {
  const invoke = (stage: Stage, fields: Fields = {}) =>
    stage.publish("tool.invoked", { irreversible: true, ...fields });

  test("confirmationAccepted says the same from outside", () => {
    const stage = createStage();
    stage.start();
    const permits = { action: undefined, tool: "send", toolCallId: undefined };
    stage.sessions.confirmationAccepted(SESSION, "planner", permits, stage.context());
    expect(faultOf(() => invoke(stage, { tool: "delete" })).code).toBe("confirmation_required");
    expect(invoke(stage, { tool: "send" }).events).toHaveLength(1);
    const elsewhere = () => stage.sessions.confirmationAccepted("sess_9", "planner", permits, stage.context());
    expect(faultOf(elsewhere).code).toBe("not_found");
  });
});

test("a session's percentage is that of the agent that published last", () => {
  const stage = createStage();
  stage.start();
  stage.publish("progress.updated", { progress: { percent: 40 }, ...helper });
  expect(stage.sessions.summary(SESSION)).toMatchObject({
    producer: { agent_id: "planner" },
    percent: 40,
    agents: [
      { producer: { agent_id: "planner" }, percent: undefined },
      { producer: { agent_id: "helper" }, percent: 40 },
    ],
  });
});

describe("R3: arrays are all or nothing", () => {
  test("the first fault counts, its pointer starts at the array, and nothing has happened", () => {
    const stage = createStage();
    const fault = faultOf(() =>
      stage.publishAll([eventOf("session.started"), eventOf("output.streaming", { event_id: "evt_2", position: 7 })]),
    );
    expect(fault).toMatchObject({ code: "position_mismatch", pointer: "/1/position", eventId: "evt_2" });
    expect(stage.sessions.openIds()).toEqual([]);
    expect(faultOf(() => stage.publish("output.streaming")).code).toBe("session_not_started");
  });

  test("R29: while the journal takes nothing every publish is refused, and nothing of it has happened", () => {
    let refusal: Fault | undefined;
    const stage = createStage({ refusal: () => refusal });
    stage.start();
    const before = stage.sessions.summary(SESSION);
    refusal = new Fault("storage_unavailable", "The disk takes nothing.");
    for (const events of [
      [eventOf("tool.invoked", { tool_call_id: "call_1" })],
      [eventOf("session.started", { session_id: "sess_2" })],
      [eventOf("tool.invoked"), eventOf("awaiting.confirmation"), eventOf("output.streaming")],
      [eventOf("session.errored")],
    ])
      expect(faultOf(() => stage.publishAll(events)).code).toBe("storage_unavailable");
    expect(faultOf(() => stage.publish("session.started")).code).toBe("storage_unavailable");
    expect(faultOf(() => stage.sessions.abandon(SESSION, stage.context())).code).toBe("storage_unavailable");
    expect(stage.sessions.summary(SESSION)).toEqual(before);
    refusal = undefined;
    expect(stage.publish("awaiting.confirmation").events[1]?.ordinal).toBe(3);
    expect(stage.publish("tool.invoked", { tool_call_id: "call_1" }).events).toHaveLength(1);
  });

  test("what is open already is as it was, too", () => {
    const stage = createStage();
    stage.start();
    stage.publish("tool.invoked");
    stage.publish("output.streaming", { chunk: "a\ud83d" });
    const before = stage.sessions.summary(SESSION);
    const array = [
      eventOf("tool.completed"),
      eventOf("output.streaming", { complete: true }),
      eventOf("session.started"),
    ];
    expect(faultOf(() => stage.publishAll(array)).pointer).toBe("/2/session_id");
    expect(stage.sessions.summary(SESSION)).toEqual(before);
    expect(stage.publish("output.streaming", { chunk: "\ude00", position: 1 }).events[0]?.event.chunk).toBe("😀");
  });

  test("a fault of the schema passes through with its place", () => {
    const stage = createStage({
      validate: (event) => {
        if (typeof event.session_id !== "string") throw new TypeError("no session");
      },
    });
    expect(faultOf(() => stage.publishAll([eventOf("session.started"), {}]))).toMatchObject({
      code: "internal",
      pointer: "/1",
    });
  });
});

describe("R17: what ended", () => {
  test("R17: what ended is remembered until it is forgotten", () => {
    const stage = createStage();
    for (const [index, id] of ["sess_1", "sess_2"].entries()) {
      stage.now = 1000 * (index + 1);
      stage.publish("session.started", { session_id: id });
      stage.publish("session.cancelled", { session_id: id });
    }
    const endedIds = () => stage.sessions.ended.terminals().map(({ event }) => event.session_id);
    expect(endedIds()).toEqual(["sess_1", "sess_2"]);
    stage.sessions.ended.forget(2000);
    expect(endedIds()).toEqual(["sess_2"]);
    expect(stage.sessions.ended.terminals().at(-1)?.kind).toBe("session.cancelled");
  });
});
