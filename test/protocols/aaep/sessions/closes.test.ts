// R33: whoever clearly means to close a subscription closes it, whatever else is wrong with the message. Events do not go on to somebody who has
// left, and a question does not wait for them.
import { create, toBinary } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { SubscriptionCloseSchema } from "#gen/aaep/v1/handshake_pb.js";
import { CloseRequestSchema } from "#gen/aaep/v1/subscriber_service_pb.js";
import { isWhole } from "../../../support/extent.js";
import { GRPC, serviceClient } from "../../../support/lanes.js";
import type { RpcPeer, Subscription } from "../../../support/peers/peers.js";
import { type DaemonRig, nextSession, requestOf, startRig } from "../../../support/rigs/daemon-rig.js";
import { jsonCall } from "../../../support/services/json-stream.js";
import { openRawGrpc } from "../../../support/services/raw-calls.js";
import { listenListener } from "../../../support/services/service-peers.js";
import { partyOf, startServices } from "../../../support/services/service-stage.js";

const CAPABLE = { supports_confirmation_reply: true, coalesce_boundaries: ["none"] };

/** A question that waits for nobody but the listener of the test. */
async function ask(agent: RpcPeer, person: Pick<Subscription, "events"> | undefined) {
  const session_id = nextSession();
  await agent.publish({ type: "aaep:agent.session.started", session_id, summary_normal: "Begins." });
  const outcome = agent.request("aaep.confirm", { session_id, action: "Act.", consequence: "It is done." });
  while (person !== undefined) {
    const { type } = await person.events.next("the question");
    if (type === "aaep:agent.awaiting.confirmation") break;
  }
  return { outcome };
}

const RESOLVED = { decision: "reject", resolved_by: "subscription_ended" };

/** The members of a close, as text: everything that may be wrong beside a subscription that is clear. */
const WRONG = (id: string): readonly (readonly [string, string])[] => [
  ["a reason of another form", `"subscription_id":"${id}","reason_code":"SHUTDOWN"`],
  ["an empty reason", `"subscription_id":"${id}","reason_code":""`],
  ["no reason", `"subscription_id":"${id}","reason_code":null`],
  ["a reason that is no text", `"subscription_id":"${id}","reason_code":{"a":1}`],
  ["a long explanation", `"subscription_id":"${id}","reason_message":"${"x".repeat(5000)}"`],
  ["extensions that are none", `"subscription_id":"${id}","extensions":5`],
  ["unknown members", `"subscription_id":"${id}","why":[1]`],
  ["a doubled reason", `"subscription_id":"${id}","reason_code":"done","reason_code":"lagging"`],
  ["a doubled member within", `"subscription_id":"${id}","extensions":{"a":{"b":1,"b":2}}`],
  ["the same name twice", `"subscription_id":"${id}","subscription_id":"${id}"`],
  ["too many levels", `"subscription_id":"${id}","extensions":${"[".repeat(3000)}${"]".repeat(3000)}`],
];

/** Where there is one subscription, it need not be named. */
const UNNAMED: readonly (readonly [string, string])[] = [
  ["no name", '"reason_code":"done"'],
  ["a name that is none", '"subscription_id":null'],
  ["two names that are none", '"subscription_id":5,"subscription_id":[]'],
];

const CASES = [...WRONG("$ID"), ...UNNAMED];

const FRAMINGS = isWhole ? (["newline", "length-prefixed", "content-length"] as const) : (["newline"] as const);

describe.each(FRAMINGS)("R33: plain, %s", (framing) => {
  it("a close closes, whatever else is wrong with it", async () => {
    const rig = await startRig();
    const agent = await rig.rpc();
    for (const [name, members] of CASES) {
      const person = await rig.plain(framing);
      await person.subscribe(requestOf(CAPABLE));
      const { outcome } = await ask(agent, person);
      person.sendText(`{"type":"subscription.close",${members.replaceAll("$ID", person.id())}}`);
      expect(await outcome, name).toMatchObject(RESOLVED);
      await person.closed;
      expect([person.answers.rest(), person.closings.rest()], name).toEqual([[], []]);
    }
  });

  it("one that names another, or several, closes the one that there is", async () => {
    const rig = await startRig();
    for (const members of ['"subscription_id":"sub_other"', '"subscription_id":"sub_a","subscription_id":"sub_b"']) {
      const person = await rig.plain(framing);
      await person.subscribe(requestOf(CAPABLE));
      person.sendText(`{"type":"subscription.close",${members}}`);
      await person.closed;
      expect(person.answers.rest()).toEqual([]);
    }
  });

  it("without a subscription there is nothing to close", async () => {
    const rig = await startRig();
    const peer = await rig.plain(framing);
    peer.sendText('{"type":"subscription.close","reason_code":""}');
    expect(await peer.answers.next()).toMatchObject({ type: "aaepd.error", code: "handshake_required" });
    peer.sendText('{"type":"subscription.close","x":1,"x":2}');
    expect(await peer.answers.next()).toMatchObject({ type: "aaepd.error", rule: "R19" });
  });
});

describe("R33: JSON-RPC", () => {
  it("a close closes, whatever else is wrong with it", async () => {
    const rig = await startRig();
    const agent = await rig.rpc();
    for (const [name, members] of [...CASES, ["params that are none", "$PARAMS"] as const]) {
      const peer = await rig.rpc();
      const person = peer.subscription();
      await person.subscribe(requestOf(CAPABLE));
      const { outcome } = await ask(agent, person);
      const params = members === "$PARAMS" ? "5" : `{${members.replaceAll("$ID", person.id())}}`;
      expect(await peer.requestText("aaep.close", params), name).toEqual({});
      expect(await outcome, name).toMatchObject(RESOLVED);
      expect((await peer.refusal("aaep.close")).code, name).toBe("handshake_required");
      expect([peer.strays.rest(), peer.errors.rest()], name).toEqual([[], []]);
    }
  });

  it("of several, the one that is named; a name that is none, or two, is not clear, and neither is another's", async () => {
    const rig = await startRig();
    const peer = await rig.rpc();
    const [first, second] = [peer.subscription(), peer.subscription()];
    for (const one of [first, second]) await one.subscribe(requestOf(CAPABLE));
    const named = (id: string) => `"subscription_id":"${id}"`;
    for (const [members, refusal] of [
      ['"reason_code":"done"', { data: { code: "unknown_subscription" } }],
      ['"subscription_id":5', { data: { code: "unknown_subscription" } }],
      [named("sub_other"), { data: { code: "unknown_subscription" } }],
      [`${named(first.id())},${named(second.id())}`, { code: -32600, data: { rule: "R19" } }],
      [`${named("sub_other")},${named(second.id())}`, { code: -32600, data: { rule: "R19" } }],
      ['"reason_code":"a","reason_code":"b"', { code: -32600, data: { rule: "R19" } }],
    ] as const) {
      const caught: unknown = await peer.requestText("aaep.close", `{${members}}`).catch((error: unknown) => error);
      expect(caught).toMatchObject({ error: refusal });
    }
    expect(await first.listPending()).toEqual([]);
    const told = `{"jsonrpc":"2.0","method":"aaep.close","params":{${named(first.id())},"x":1,"x":2}}`;
    peer.sendText(told);
    // Now there is one; but a name that is another's is still another's: its own may have been ended in this moment.
    expect((await peer.refusal("aaep.close", { subscription_id: first.id() })).code).toBe("unknown_subscription");
    expect(await second.listPending()).toEqual([]);
    expect(await peer.requestText("aaep.close", "{}")).toEqual({});
    expect([peer.strays.rest(), peer.errors.rest()]).toEqual([[], []]);
  });
});

describe("R33: services", () => {
  async function listening(rig: DaemonRig) {
    const person = listenListener(partyOf(rig, serviceClient(rig, GRPC)));
    const accepted = await person.subscribe(requestOf(CAPABLE, { subscriber_id: "person" }));
    const { key } = (accepted.honored_capabilities as { readonly aaepd: { readonly key: string } }).aaepd;
    const { outcome } = await ask(await rig.rpc(), person);
    return { person, key, outcome };
  }

  it("Close is not clear with two keys, or two names", async () => {
    const rig = await startServices();
    const { person, key } = await listening(rig);
    const address = rig.serviceAddress("http");
    for (const text of [
      `{"key":"${key}","key":"x","close":{"subscriptionId":"${person.id()}"}}`,
      `{"key":"${key}","close":{"subscriptionId":"${person.id()}","subscription_id":"sub_2"}}`,
      `{"key":"${key}","close":{"subscriptionId":"${person.id()}"},"close":{"subscriptionId":"sub_2"}}`,
    ]) {
      const answer = await jsonCall(address, "SubscriberService/Close", text);
      expect(answer.status).toBe(400);
      expect(answer.body.toString()).toMatch(/Write each (member|field) once/);
    }
    await person.close();
  });

  it("a Close that can be decoded closes, whatever it says besides; another is refused, and the stream goes on", async () => {
    const rig = await startServices();
    const { person, key, outcome } = await listening(rig);
    const inner = (members: object) =>
      toBinary(SubscriptionCloseSchema, create(SubscriptionCloseSchema, { ...members, subscriptionId: person.id() }));
    const close = (message: Uint8Array) => {
      const outer = toBinary(CloseRequestSchema, create(CloseRequestSchema, { key }));
      const call = openRawGrpc(rig.serviceAddress("grpc"), "/aaep.v1.SubscriberService/Close");
      call.write(Buffer.concat([outer, Buffer.from([0x12, message.length]), message]));
      call.halfClose();
      return call.ended;
    };
    for (const junk of ["2a04ffffffff", "1001"])
      expect((await close(Buffer.concat([inner({}), Buffer.from(junk, "hex")]))).status).toBe("INVALID_ARGUMENT");
    expect((await close(inner({ reasonCode: "SHUTDOWN" }))).status).toBe("OK");
    expect(await outcome).toMatchObject(RESOLVED);
    expect((await person.ended()).status).toBe("OK");
  });
});
