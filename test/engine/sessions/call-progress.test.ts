// Progress of one call of several: taken for an open call, and never merged with another's (R5c, R11).
import { expect, test } from "vitest";
import { faultOf } from "../../support/fault-of.js";
import { createEngineRig, session } from "../../support/rigs/engine-rig.js";

const VOCABULARIES = ["https://aaep-protocol.org/context/v1", "https://aaepd.dev/context/v1"];

const progressOf = (percent: number, members: Record<string, unknown>) => ({
  ...session().progress(percent),
  "@context": VOCABULARIES,
  extensions: { aaepd: members },
});

const foreign = (callId: string) => {
  const { tool_call_id: _, ...call } = session().invoked("fetch", "");
  return { ...call, "@context": VOCABULARIES, extensions: { aaepd: { call_id: callId } } };
};

test("progress names an open call, by either id, and only an open one", () => {
  const rig = createEngineRig();
  const heard = rig.listen({});
  rig.publish(session().started(), session().invoked("read", "call_1"), foreign("toolu_1"));
  rig.publish(progressOf(10, { tool_call_id: "call_1" }), progressOf(20, { call_id: "toolu_1" }));
  const about = heard.received.flatMap(({ event }) => {
    const { tool_call_id: call } = event.extensions?.aaepd ?? {};
    return event.type.endsWith("progress.updated") ? [call] : [];
  });
  expect(about[0]).toBe("call_1");
  expect(about[1]).toBe(
    heard.received.map(({ event }) => event).filter(({ tool }) => tool === "fetch")[0]?.tool_call_id,
  );
  const refused = { code: "tool_not_invoked", pointer: "/extensions/aaepd/tool_call_id" };
  expect(faultOf(() => rig.publish(progressOf(10, { tool_call_id: "call_2" })))).toMatchObject(refused);
  const foreignRefused = { ...refused, pointer: "/extensions/aaepd/call_id" };
  expect(faultOf(() => rig.publish(progressOf(10, { call_id: "toolu_2" })))).toMatchObject(foreignRefused);
  rig.publish(session().toolDone("read", "call_1"));
  expect(faultOf(() => rig.publish(progressOf(10, { tool_call_id: "call_1" })))).toMatchObject(refused);
  expect(faultOf(() => rig.publish(progressOf(1, { call_id: "a", tool_call_id: "call_1" })))).toMatchObject({
    code: "invalid_event",
    pointer: "/extensions/aaepd/tool_call_id",
    rule: "R5c",
  });
});

test("R5c: a refusal names the member that the agent has sent", () => {
  const rig = createEngineRig();
  rig.publish(session().started(), foreign("toolu_1"));
  const pointers = (...events: Parameters<typeof rig.publish>) => faultOf(() => rig.publish(...events)).pointer;
  expect(pointers(foreign("toolu_1"))).toBe("/extensions/aaepd/call_id");
  expect(pointers(session().state("idle", "thinking"), foreign("toolu_1"))).toBe("/1/extensions/aaepd/call_id");
  const asking = { ...session().confirmation("rpl_1"), "@context": VOCABULARIES };
  const about = { extensions: { aaepd: { call_id: "toolu_1" } } };
  expect(pointers({ ...asking, ...about })).toBe("/extensions/aaepd/call_id");
  // Two ids that differ: the one of AAEP's form is at fault.
  const both = { ...about, extra_context: { tool_call_id: "call_2" } };
  expect(pointers({ ...asking, ...both })).toBe("/extra_context/tool_call_id");
  expect(pointers({ ...foreign("toolu_2"), tool_call_id: "call_2" })).toBe("/tool_call_id");
});

test("R11: what waits is merged for each call and for the session by itself, the newest of each", () => {
  const rig = createEngineRig();
  const slow = rig.listen({ maxEventsPerSecond: 1 });
  rig.publish(session().started(), session().invoked("read", "call_1"), session().invoked("read", "call_2"));
  for (const percent of [10, 20, 30])
    rig.publish(
      progressOf(percent, { tool_call_id: "call_1" }),
      progressOf(percent + 1, { tool_call_id: "call_2" }),
      session().progress(percent + 2),
    );
  rig.advance(60_000);
  const told = slow.received.flatMap(({ event }) =>
    event.type.endsWith("progress.updated")
      ? [[event.extensions?.aaepd?.tool_call_id, (event.progress as { percent: number }).percent]]
      : [],
  );
  expect(told).toEqual([
    ["call_1", 30],
    ["call_2", 31],
    [undefined, 32],
  ]);
});

test("R17: the progress of a call is not that of its session", () => {
  const rig = createEngineRig();
  rig.publish(session().started(), session().invoked("read", "call_1"), session().progress(5));
  rig.publish(progressOf(90, { tool_call_id: "call_1" }));
  const late = rig.listen({});
  expect(JSON.stringify(late.received.map(({ event }) => event))).toContain("5%");
  expect(JSON.stringify(late.received.map(({ event }) => event))).not.toContain("90%");
});
