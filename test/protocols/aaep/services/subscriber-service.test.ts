// The streams of aaep.v1.SubscriberService and aaep.v1.AaepService (AAEP app. B.5, R14, R17, R22, R23): each message. What streams end with is in
// test/runtime/streams.test.ts; what is said beside Listen, in subscriber-service-calls.test.ts.
import { fromBinary } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { ListenRequestSchema, ListenResponseSchema, SubscriberService } from "#gen/aaep/v1/subscriber_service_pb.js";
import { decodeDocument } from "../../../../src/protocols/aaep/protobuf/decode.js";
import { encodeDocument } from "../../../../src/protocols/aaep/protobuf/encode.js";
import { openStream } from "../../../support/peers/service-calls.js";
import { createSubscriberRig, type Document, requestOf } from "../../../support/peers/subscriber-calls.js";
import { session } from "../../../support/rigs/engine-rig.js";

const givenTo = (accepted: Document | undefined): Document =>
  (accepted?.honored_capabilities as { readonly aaepd?: Document } | undefined)?.aaepd ?? {};

async function subscribed(capabilities: Document = {}) {
  const rig = createSubscriberRig();
  const stream = rig.subscribe();
  stream.say({ request: requestOf(capabilities) });
  await rig.settle();
  const [accepted] = stream.heard();
  return { rig, stream, accepted, id: String(accepted?.subscription_id) };
}

describe("Subscribe", () => {
  it("is told of an empty message, and an event that there is not, and goes on", async () => {
    const { rig, stream } = await subscribed();
    stream.say({});
    stream.say({ repeat: { event_id: "evt_0000000000000000000000000000ffff" } });
    rig.publish(session().started());
    await rig.settle();
    expect(stream.heard().filter(({ type }) => type === "aaepd.error")).toMatchObject([
      { code: "invalid_message" },
      { code: "not_found", event_id: "evt_0000000000000000000000000000ffff" },
    ]);
    expect(stream.types()).toContain("aaep:agent.session.started");
    expect(stream.status()).toBeUndefined();
  });

  it("R17: a checkpoint is a response of its own, behind the events that it covers", async () => {
    const { rig, stream } = await subscribed();
    await rig.pass(1000);
    rig.publish(session().started(), session().progress(10), session().progress(20));
    await rig.settle();
    const [, events, checkpoint, ...more] = stream.responses();
    expect(events?.events).toHaveLength(3);
    expect(Object.keys(events ?? {})).toEqual(["events"]);
    expect(checkpoint).toEqual({
      events: [],
      checkpoint: { type: "aaepd.checkpoint", cursor: expect.stringMatching(/^c1\./) },
    });
    expect(more).toEqual([]);
  });
});

describe("Subscribe, and what is no message", () => {
  it("answers bytes that are no protobuf, and ends with that fault where the client says no more (R20)", async () => {
    const rig = createSubscriberRig();
    const stream = rig.subscribe();
    stream.send(Uint8Array.of(0xff, 0xff));
    stream.halfClose();
    await rig.settle();
    expect(stream.heard()).toMatchObject([{ type: "aaepd.error", code: "invalid_message" }]);
    expect(stream.status()).toBe("invalid_message");
  });
});

describe("Listen", () => {
  it("R19: has what it is given in fields of the acceptance, and nothing of it beside AAEP's members", async () => {
    const rig = createSubscriberRig();
    const stream = rig.listen({ request: requestOf({}, { correlation_id: "call-7" }) });
    await rig.settle();
    const { message } = fromBinary(ListenResponseSchema, stream.received[0] as Uint8Array);
    expect(message.case === "accepted" ? message.value.honoredCapabilities?.aaepd : undefined).toMatchObject({
      key: expect.stringMatching(/^.{32}$/),
      limits: { policy: "journal", maxLagSeconds: expect.any(Number), maxLagEvents: expect.any(BigInt) },
      heartbeatSeconds: 15,
    });
    const members = ["aaep_version", "honored_capabilities", "producer", "subscription_id", "type"];
    expect(Object.keys(stream.heard()[0] ?? {}).sort()).toEqual(members);
  });
});

describe("Listen, and what it does not take", () => {
  it("R33: is a further request that is no good; one that is accepted takes the stream over, and the key with it", async () => {
    const rig = createSubscriberRig();
    const found = rig.methods.find(({ descriptor }) => descriptor === SubscriberService.method.listen);
    if (found?.kind !== "stream") throw new Error("Listen is missing");
    const stream = openStream<Uint8Array>(found.accept, undefined);
    stream.send(new Uint8Array(0));
    stream.send(encodeDocument(ListenRequestSchema, { request: requestOf({}, { aaep_version: "7.0.0" }) }));
    stream.send(new Uint8Array(0));
    await rig.settle();
    const heard = stream.received.map((frame) => decodeDocument(ListenResponseSchema, frame as Uint8Array));
    expect(heard.map((response) => Object.keys(response)[0])).toEqual(["accepted", "rejected", "accepted"]);
    expect(stream.status()).toBeUndefined();
    expect(rig.engine.status().subscriptionCount).toBe(1);
    const listing = ({ accepted }: Document) => {
      const { subscription_id, honored_capabilities } = accepted as Document;
      const { aaepd } = honored_capabilities as { readonly aaepd: { readonly key: string } };
      const asked = { key: aaepd.key, list_pending: { subscription_id } };
      return rig.call(SubscriberService.method.listPending, asked);
    };
    expect(await listing(heard[0] ?? {})).toMatchObject({ fault: { code: "unknown_subscription" } });
    expect(await listing(heard[2] ?? {})).not.toHaveProperty("fault");
  });

  it("is bytes that are no protobuf", async () => {
    const rig = createSubscriberRig();
    const found = rig.methods.find(({ descriptor }) => descriptor === SubscriberService.method.listen);
    if (found?.kind !== "stream") throw new Error("Listen is missing");
    const stream = openStream<Uint8Array>(found.accept, undefined);
    stream.send(Uint8Array.of(0xff));
    stream.halfClose();
    await rig.settle();
    expect(stream.status()).toBe("invalid_message");
    expect(rig.engine.status().subscriptionCount).toBe(0);
  });
});

describe("the cost of many streams (R14)", () => {
  it("is one encoding and one run for all of equal terms, and one message for all that is ready", async () => {
    const rig = createSubscriberRig();
    const subscribe = rig.subscribe();
    subscribe.say({ request: requestOf() });
    const listen = rig.listen({ request: requestOf({}, { subscriber_id: "another" }) });
    const json = rig.subscribeJson();
    json.say(requestOf({}, { subscriber_id: "third" }));
    await rig.settle();
    rig.publish(session().started(), session().state("idle", "thinking"), session().progress(5));
    await rig.settle();
    // The same frames, not equal ones: they were made once.
    expect(listen.runs[0]).toBe(subscribe.runs[0]);
    expect(subscribe.runs.map((run) => run.length)).toEqual([3]);
    for (const stream of [subscribe, listen]) {
      expect(stream.responses()).toHaveLength(2);
      expect(stream.responses()[1]?.events).toHaveLength(3);
    }
    // There each is a message of its own.
    expect(json.received).toHaveLength(4);
  });
});

describe("AaepService (AAEP app. B.5)", () => {
  it("speaks JSON, each message with its type beside it, and has no heartbeats", async () => {
    const rig = createSubscriberRig();
    const stream = rig.subscribeJson();
    stream.say(requestOf());
    await rig.settle();
    rig.publish(session().started());
    await rig.pass(60_000);
    expect(stream.types()).toEqual(["subscription.accepted", "aaep:agent.session.started"]);
    expect(stream.responses().map(({ messageType }) => messageType)).toEqual(stream.types());
    expect(Object.keys(givenTo(stream.heard()[0]))).toEqual(["key", "cursor", "limits"]);
    stream.say({ type: "subscription.close", subscription_id: stream.heard()[0]?.subscription_id });
    await rig.settle();
    expect(stream.status()).toBe("OK");
  });
});
