import { describe, expect, test } from "vitest";
import type { FaultCode } from "../../../src/base/errors.js";
import { faultOf } from "../../support/fault-of.js";
import { createStage, type Fields, type Stage } from "../../support/rigs/session-stage.js";

type Said = readonly [kind: string, fields?: Fields];

function play(stage: Stage, said: readonly Said[]): void {
  for (const [kind, fields] of said) stage.publish(kind, fields);
}

const STARTED: Said = ["session.started"];
const at = (time: string): Fields => ({ timestamp: `2026-05-24T14:22:${time}` });
const chunk = (fields: Fields = {}): Said => ["output.streaming", fields];

interface Refusal {
  readonly rule: string;
  readonly after: readonly Said[];
  readonly said: Said;
  readonly code: FaultCode;
  readonly pointer: string;
}

const REFUSALS: readonly Refusal[] = [
  {
    rule: "R3b: not before the agent's last",
    after: [["session.started", at("11.500Z")]],
    said: chunk(at("11.499Z")),
    code: "timestamp_out_of_order",
    pointer: "/timestamp",
  },
  {
    rule: "R3b: a coarse instant between does not loosen the order",
    after: [["session.started", at("11.900Z")], chunk(at("11Z"))],
    said: chunk({ ...at("11.100Z"), position: 4 }),
    code: "timestamp_out_of_order",
    pointer: "/timestamp",
  },
  {
    rule: "R3b: not too old",
    after: [STARTED],
    said: chunk({ timestamp: "2026-05-24T14:21:10.999Z" }),
    code: "timestamp_skewed",
    pointer: "/timestamp",
  },
  {
    rule: "R3b: not too new",
    after: [STARTED],
    said: chunk({ timestamp: "2026-05-24T14:23:11.001Z" }),
    code: "timestamp_skewed",
    pointer: "/timestamp",
  },
];

describe("R3: what breaks the order is refused, and the session stays usable", () => {
  test.each(REFUSALS)("$rule: $code", ({ after, said: [kind, fields], code, pointer }) => {
    const stage = createStage();
    play(stage, after);
    const before = stage.sessions.summary("sess_1");
    const fault = faultOf(() => stage.publish(kind, fields));
    expect(fault).toMatchObject({ code, pointer, origin: "peer" });
    expect(fault.rule).toMatch(/^AAEP §|^R\d/);
    expect(fault.sentence).toMatch(/^[A-Z].*\.$/);
    expect(stage.sessions.summary("sess_1")).toEqual(before);
    expect(stage.publish("acme:thing.done").answers[0]?.kind).toBe("accepted");
  });
});

describe("R3: of a recording, what may be tolerated is reported once", () => {
  test.each(REFUSALS)("$rule: $code", ({ after, said: [kind, fields], code, pointer }) => {
    const stage = createStage({ isRecording: true });
    play(stage, after);
    const { warnings } = stage.publish(kind, fields);
    expect(warnings).toMatchObject([{ code, pointer, eventId: stage.last().event_id, isAdvice: false }]);
    expect(stage.publish("acme:thing.done").warnings).toBeUndefined();
  });
});

describe("R3a: before the end of a session", () => {
  test("the daemon closes what is open, in the words of its agents", () => {
    const stage = createStage();
    play(stage, [
      STARTED,
      ["tool.invoked", { tool: "first", tool_call_id: "call_1" }],
      chunk({
        output_id: "out_1",
        chunk: "half \ud83d",
        language: "fr",
        content_type: "text/markdown",
        correlation_id: "c1",
      }),
      ["tool.invoked", { tool: "second" }],
      chunk({ chunk: "done", complete: true }),
      ["awaiting.clarification"],
    ]);
    const plan = stage.publish("session.cancelled", at("11.250Z"));
    expect(plan.events.map(({ made }) => made)).toEqual(["resolution", "closing", "closing", "closing", undefined]);
    expect(plan.events.map(({ ordinal }) => ordinal)).toEqual([8, 9, 10, 11, 12]);
    const [withdrawn, first, second, output, last] = plan.events.map(({ event }) => event);
    expect(withdrawn).toMatchObject({ urgency: "critical", from_state: "awaiting_input", to_state: "awaiting_input" });
    expect(first).toMatchObject({
      type: "aaep:agent.tool.completed",
      tool: "first",
      tool_call_id: "call_1",
      status: "timeout",
    });
    expect(first).toMatchObject({ producer: { agent_id: "planner" }, extensions: { aaepd: { by: "daemon" } } });
    expect(first?.["@context"]).toEqual(["https://aaep-protocol.org/context/v1", "https://aaepd.dev/context/v1"]);
    expect(first?.summary_normal).toMatch(/first/);
    expect(second).toMatchObject({ tool: "second", status: "timeout" });
    expect(second).not.toHaveProperty("tool_call_id");
    // R25: half a character that never got its other half is told as such.
    expect(output).toMatchObject({ output_id: "out_1", chunk: "\ufffd", position: 5, complete: true, language: "fr" });
    expect(output).toMatchObject({
      content_type: "text/markdown",
      urgency: "normal",
      coalesce_hint: "completion",
      correlation_id: "c1",
    });
    expect(last?.type).toBe("aaep:agent.session.cancelled");
    expect(new Set(plan.events.map(({ event }) => event.timestamp))).toEqual(new Set(["2026-05-24T14:22:11.250Z"]));
    expect(plan.withdrawn?.map(({ token }) => token)).toEqual(["rpl_1"]);
    expect(plan.ended?.map(({ sessionId }) => sessionId)).toEqual(["sess_1"]);
  });
});

describe("R3b: the clock on the wall is set back under an agent that stamps its events", () => {
  test("the session's latest instant is in order, and a later one is too new", () => {
    const stage = createStage();
    play(stage, [STARTED, chunk(at("11.500Z"))]);
    stage.wallTime -= 3_600_000;
    expect(stage.publish("progress.updated", at("11.500Z")).events).toHaveLength(1);
    expect(faultOf(() => stage.publish("progress.updated", at("11.501Z"))).code).toBe("timestamp_skewed");
    stage.publish("progress.updated");
    expect(stage.last().timestamp).toBe("2026-05-24T14:22:11.500Z");
  });
});

describe("R13: positions", () => {
  const text = "é中😀"; // 3 code points, 4 UTF-16 units, 9 UTF-8 bytes
  test.each([
    ["code points", 3, true],
    ["UTF-16 units", 4, false],
    ["UTF-8 bytes", 9, false],
  ])("in %s are accepted and go out in code points", (_, position, isVerbatim) => {
    const stage = createStage();
    play(stage, [STARTED, chunk({ chunk: text })]);
    const event = { ...stage.last(), event_id: "evt_mine", chunk: "more", position };
    const source = JSON.stringify(event);
    const plan = stage.sessions.publish([{ fields: event, source }], stage.context());
    expect(plan.events[0]?.event.position).toBe(3);
    expect(plan.events[0]?.source).toBe(isVerbatim ? source : undefined);
  });
});

describe("R25: text is well-formed", () => {
  test.each([
    ["a half waits for the other", ["a\ud83d", "\ude00b"], ["a", "😀b"]],
    ["a half that stands alone becomes U+FFFD with the next chunk", ["a\ud83d", "b"], ["a", "\ufffdb"]],
    ["an empty chunk leaves it waiting", ["\ud83d", "", "\ude00"], ["", "", "😀"]],
    ["halves elsewhere become U+FFFD", ["\ude00a\ud83db"], ["\ufffda\ufffdb"]],
    ["a waiting half is followed by another", ["\ud83d", "\ud83d", "\ude00"], ["", "\ufffd", "😀"]],
    ["well-formed text is left alone", ["😀", "é"], ["😀", "é"]],
  ])("%s", (_, sent, expected) => {
    const stage = createStage();
    stage.start();
    const counted = { utf16: 0, points: 0 };
    for (const [index, part] of sent.entries()) {
      // The agent counts what it has sent, halves included.
      stage.publish("output.streaming", { chunk: part, position: counted.utf16 });
      expect(stage.last()).toMatchObject({ chunk: expected[index], position: counted.points });
      counted.utf16 += part.length;
      counted.points += [...(expected[index] ?? "")].length;
    }
  });
});

describe("R3b: timestamps", () => {
  test("are compared per producer at the coarser precision", () => {
    const stage = createStage();
    const other = { producer: { agent_id: "helper" } };
    play(stage, [
      ["session.started", at("11.900Z")],
      ["progress.updated", at("11Z")],
      ["progress.updated", at("11.900100Z")],
      ["progress.updated", at("11.900Z")],
      ["progress.updated", { ...other, ...at("10.000Z") }],
    ]);
    expect(stage.log).toHaveLength(5);
    // A filled one follows the session's last, whoever's it was.
    stage.publish("progress.updated", other);
    expect(stage.last().timestamp).toBe("2026-05-24T14:22:11.900100Z");
  });
});
