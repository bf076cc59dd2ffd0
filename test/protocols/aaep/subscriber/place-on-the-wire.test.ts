// R17: the place of a subscription on the wire: where it is given, where it is taken, and how it was met.
import { describe, expect, it } from "vitest";
import { createJsonCodec } from "../../../../src/protocols/aaep/json/json-codec.js";
import { createPlainProtocol } from "../../../../src/protocols/aaep/sessions/plain-session.js";
import { openStream } from "../../../support/peers/service-calls.js";
import { type Document, requestOf } from "../../../support/peers/subscriber-calls.js";
import { type RigOptions, session } from "../../../support/rigs/engine-rig.js";
import { createStreamRig, type StreamRig, utf8 } from "../../../support/rigs/stream-rig.js";

const JSON_CODEC = createJsonCodec(utf8);
const EVERYTHING = { coalesce_boundaries: ["none"], aaepd: { checkpoints: true } };
const CURSOR = /^c1\.[0-9a-f]{32}\.\d+/;

/** A subscriber that has asked, and what it was told. */
async function subscribed(rig: StreamRig, capabilities: Document = EVERYTHING, after?: unknown) {
  const stream = openStream<Uint8Array>(
    (connection) => rig.serve(connection, JSON_CODEC, createPlainProtocol(rig.services), undefined),
    undefined,
  );
  const say = (message: unknown): void => stream.send(JSON_CODEC.encode(message));
  const heard = () => stream.received.map((frame) => JSON_CODEC.decode(frame) as Document);
  const others = after === undefined ? {} : { extensions: { aaepd: { resume_after: after } } };
  say(requestOf(capabilities, others));
  await rig.settle();
  return {
    ...stream,
    say,
    heard,
    types: () => heard().map(({ type }) => String(type).replace("aaep:agent.", "")),
    given: () => givenTo(heard().findLast(({ type }) => type === "subscription.accepted")),
    id: () => String(heard()[0]?.subscription_id),
    last: () => heard().at(-1) ?? {},
  };
}

function givenTo(accepted: Document | undefined): Document {
  return (accepted as { readonly honored_capabilities: { readonly aaepd: Document } }).honored_capabilities.aaepd;
}

const stage = (options: RigOptions = {}) => createStreamRig(options);

describe("R17: checkpoints are a capability", () => {
  it.each([
    [{}, undefined, false],
    [{ aaepd: { checkpoints: false } }, false, false],
    [{ aaepd: { checkpoints: true } }, true, true],
  ])("%j is echoed as %j, and checkpoints come: %j", async (capabilities, echoed, come) => {
    const rig = stage();
    const { given, types } = await subscribed(rig, capabilities);
    expect(given().checkpoints).toBe(echoed);
    rig.publish(session().started());
    await rig.pass(1000);
    expect(types().slice(1)).toEqual(["session.started", ...(come ? ["aaepd.checkpoint"] : [])]);
  });
});

describe("R17: a place is given", () => {
  it("with the acceptance, but none while sums are owed; then as soon as those have gone", async () => {
    const rig = stage();
    expect((await subscribed(rig)).given().cursor).toMatch(CURSOR);
    rig.publish(session().started(), session("sess_2").started());
    const { given, types, last } = await subscribed(rig, { ...EVERYTHING, max_events_per_second: 1 });
    expect(given()).not.toHaveProperty("cursor");
    expect(types()).toEqual(["subscription.accepted", "state.changed"]);
    await rig.pass(1000);
    expect(types().slice(2)).toEqual(["state.changed", "aaepd.checkpoint"]);
    expect(last()).toEqual({ type: "aaepd.checkpoint", cursor: expect.stringMatching(CURSOR) });
  });

  it("by the close, whatever its reason and whoever asked for checkpoints", async () => {
    const rig = stage();
    const { last } = await subscribed(rig, {});
    rig.publish(session().started());
    await rig.settle();
    void rig.served[0]?.finish("producer_shutdown");
    await rig.settle();
    expect(last()).toMatchObject({
      type: "subscription.close",
      reason_code: "producer_shutdown",
      extensions: { aaepd: { cursor: expect.stringMatching(CURSOR) } },
    });
    const { cursor } = (last().extensions as { readonly aaepd: Document }).aaepd;
    const back = await subscribed(rig, {}, cursor);
    expect([back.given().resumed, back.types()]).toEqual(["all", ["subscription.accepted"]]);
  });
});

describe("R17: a place is taken", () => {
  it.each([
    ["an id of an event", "evt_1"],
    ["nothing that anybody gave out", "\u0000 garbage"],
    ["a cursor of another journal", `c1.${"f".repeat(32)}.1000`],
    ["a cursor beyond the end", `c1.${"e".repeat(32)}.9007199254740991`],
    ["another version of cursors", `c2.${"e".repeat(32)}.1000`],
  ])("%s is met as unknown, and each open session is summed up", async (_, after) => {
    const rig = stage();
    rig.publish({ ...session().started(), event_id: "evt_1" });
    const { given, heard } = await subscribed(rig, EVERYTHING, after);
    expect(given().resumed).toBe("unknown");
    expect(heard().slice(1, 2)).toMatchObject([
      {
        type: "aaep:agent.state.changed",
        extensions: { aaepd: { by: "daemon", gap: { reason: "unknown_place" } } },
      },
    ]);
  });

  it.each([
    ["a map", { sess_1: "evt_1" }],
    ["a text that is too long", "c".repeat(1025)],
    ["an empty text", ""],
    ["a number", 7],
    ["null", null],
    ["a list", ["c1"]],
  ])("%s is no cursor: the request is rejected, and may be made again", async (_, after) => {
    const rig = stage();
    const { heard, say, types } = await subscribed(rig, EVERYTHING, after);
    expect(heard()).toMatchObject([
      {
        type: "subscription.rejected",
        reason_code: "unknown",
        reason_message: expect.stringMatching(/extensions\.aaepd\.resume_after/),
      },
    ]);
    say(requestOf());
    await rig.settle();
    expect(types().at(-1)).toBe("subscription.accepted");
  });
});
