// Streams of services: what they end with, in every state, whoever ends them; and their heartbeats. In JSON, for nothing here depends on a format.
import { describe, expect, it } from "vitest";
import { createJsonCodec } from "../../src/protocols/aaep/json/json-codec.js";
import { createPlainProtocol } from "../../src/protocols/aaep/sessions/plain-session.js";
import { openStream } from "../support/peers/service-calls.js";
import { type RigOptions, session } from "../support/rigs/engine-rig.js";
import { createStreamRig, HANDSHAKE_TIMEOUT_MS, type StreamRig, utf8 } from "../support/rigs/stream-rig.js";

type Message = Readonly<Record<string, unknown>>;

const JSON_CODEC = createJsonCodec(utf8);
const REQUEST = { type: "subscription.request", aaep_version: "1.0.0", subscriber_id: "reader", capabilities: {} };
const HEARTBEAT = { everyMs: 15_000, message: { type: "aaepd.heartbeat" } };

function open(rig: StreamRig, heartbeat?: typeof HEARTBEAT, codec = JSON_CODEC) {
  const protocol = createPlainProtocol({ ...rig.services, heartbeatSeconds: heartbeat && heartbeat.everyMs / 1000 });
  const stream = openStream<Uint8Array>((connection) => rig.serve(connection, codec, protocol, heartbeat), undefined);
  const messages = (): readonly Message[] => stream.received.map((frame) => codec.decode(frame) as Message);
  return {
    ...stream,
    say: (message: unknown) => stream.send(codec.encode(message)),
    messages,
    types: () => messages().map(({ type }) => type),
    count: (type: string) => messages().filter((message) => message.type === type).length,
  };
}

async function subscribed(options: RigOptions = {}, heartbeat?: typeof HEARTBEAT, capabilities: object = {}) {
  const rig = createStreamRig(options);
  const stream = open(rig, heartbeat);
  stream.say({ ...REQUEST, capabilities });
  await rig.settle();
  expect(stream.types()).toEqual(["subscription.accepted"]);
  return { rig, stream, id: String(stream.messages()[0]?.subscription_id) };
}

const subscriptionCount = (rig: StreamRig): number => rig.engine.status().subscriptionCount;

describe("the end of a client's side", () => {
  it("before anything was said ends the call with handshake_required", async () => {
    const rig = createStreamRig();
    const before = rig.clock.pending();
    const stream = open(rig);
    stream.halfClose();
    await rig.settle();
    expect(stream.status()).toBe("handshake_required");
    expect(rig.clock.pending()).toBe(before);
  });

  it("after a rejection ends the call in order", async () => {
    const rig = createStreamRig();
    const stream = open(rig);
    stream.say({ ...REQUEST, aaep_version: "7.0.0" });
    stream.halfClose();
    await rig.settle();
    expect(stream.types()).toEqual(["subscription.rejected"]);
    expect(stream.status()).toBe("OK");
  });

  it("after a message that could not be read ends the call with its fault", async () => {
    const rig = createStreamRig();
    const stream = open(rig);
    stream.send(utf8.encode("{"));
    stream.halfClose();
    await rig.settle();
    expect(stream.messages()).toMatchObject([{ type: "aaepd.error", code: "invalid_json" }]);
    expect(stream.status()).toBe("invalid_json");
  });

  it("after a message that came too early ends the call with its fault, and the last one's counts", async () => {
    const rig = createStreamRig();
    const stream = open(rig);
    stream.say({ type: "aaepd.repeat", event_id: "evt_0000000000000001" });
    stream.say({ type: "aaepd.unheard_of" });
    stream.halfClose();
    await rig.settle();
    expect(stream.messages()).toMatchObject([{ code: "handshake_required" }, { code: "unknown_type" }]);
    expect(stream.status()).toBe("unknown_type");
  });

  it("after the handshake ends nothing: the subscription lasts as long as the stream, and then goes at once (R7)", async () => {
    const { rig, stream } = await subscribed();
    stream.halfClose();
    await rig.settle();
    await rig.pass(HANDSHAKE_TIMEOUT_MS * 2);
    rig.publish(session().started());
    await rig.settle();
    expect(stream.types()).toEqual(["subscription.accepted", "aaep:agent.session.started"]);
    expect(stream.status()).toBeUndefined();
    stream.hangUp();
    await rig.settle();
    expect(subscriptionCount(rig)).toBe(0);
  });

  it("together with the request ends nothing either", async () => {
    const rig = createStreamRig();
    const stream = open(rig);
    stream.say(REQUEST);
    stream.halfClose();
    await rig.settle();
    rig.publish(session().started());
    await rig.settle();
    expect(stream.types()).toEqual(["subscription.accepted", "aaep:agent.session.started"]);
  });

  it("after an error in mid-subscription ends nothing", async () => {
    const { rig, stream, id } = await subscribed();
    stream.say({ type: "subscription.renegotiate", subscription_id: id, capabilities: { max_events_per_second: 0 } });
    stream.halfClose();
    await rig.settle();
    expect(stream.types()).toEqual(["subscription.accepted", "aaepd.error"]);
    expect(stream.status()).toBeUndefined();
  });
});

describe("a client that hangs up", () => {
  it("loses its subscription although messages of it still wait for their turn (R7)", async () => {
    const { rig, stream } = await subscribed();
    for (let count = 0; count < 256; count++) stream.say({ type: "aaepd.list_pending" });
    stream.say(REQUEST);
    await new Promise(setImmediate);
    stream.hangUp();
    await new Promise(setImmediate);
    rig.clock.turn();
    await rig.settle();
    expect(subscriptionCount(rig)).toBe(0);
  });

  it("before it said anything leaves nothing behind", async () => {
    const rig = createStreamRig();
    const before = rig.clock.pending();
    const stream = open(rig);
    stream.hangUp();
    await rig.settle();
    expect(rig.clock.pending()).toBe(before);
    await expect(rig.served[0]?.done).resolves.toBeUndefined();
  });
});

describe("a stream that the daemon ends", () => {
  it("left silent, is told so in words and by its status (R22)", async () => {
    const rig = createStreamRig();
    const stream = open(rig);
    await rig.pass(HANDSHAKE_TIMEOUT_MS - 1);
    expect(stream.status()).toBeUndefined();
    await rig.pass(1);
    expect(stream.messages()).toMatchObject([{ type: "aaepd.error", code: "timed_out" }]);
    expect(stream.status()).toBe("timed_out");
  });

  it("by a shutdown, has been handed everything that it is owed (R8a)", async () => {
    const { rig, stream } = await subscribed({}, undefined, { max_events_per_second: 1 });
    rig.publish(session().started(), session().chunk("Half a sentence"), session().progress(10));
    await rig.settle();
    expect(stream.types()).toEqual(["subscription.accepted", "aaep:agent.session.started"]);
    void rig.engine.endSessions();
    const ended = rig.served[0]?.finish("producer_shutdown");
    await rig.settle();
    await ended;
    const [, , ...rest] = stream.messages();
    expect(rest).toMatchObject([
      { progress: { percent: 10 } },
      { chunk: "Half a sentence" },
      { type: "aaep:agent.session.errored" },
      { type: "subscription.close", reason_code: "producer_shutdown" },
    ]);
    expect(stream.status()).toBe("shutting_down");
  });

  it("by a shutdown before the handshake, is told so", async () => {
    const rig = createStreamRig();
    const stream = open(rig);
    void rig.served[0]?.finish("producer_shutdown");
    await rig.settle();
    expect(stream.messages()).toMatchObject([{ type: "aaepd.error", code: "shutting_down" }]);
    expect(stream.status()).toBe("shutting_down");
  });

  it("because it took too little for too long, has the status lagging (R18)", async () => {
    const { rig, stream } = await subscribed({ engine: { lag: { maxMs: 1000, maxEvents: 1_000_000 } } });
    stream.stopReading();
    rig.publish(session().started());
    for (let percent = 0; percent < 40; percent++) {
      rig.publish(session().progress(percent));
      await rig.settle();
    }
    await rig.pass(5000);
    rig.publish(session().progress(50));
    await rig.settle();
    expect(stream.status()).toBe("lagging");
    stream.readOn();
    await rig.settle();
    expect(stream.messages().at(-1)).toMatchObject({ type: "subscription.close", reason_code: "lagging" });
  });

  it.each(["event", "engine"])(
    "because of an accident (%s), is told that there was one, and no more",
    async (where) => {
      const rig = createStreamRig();
      const broken = {
        name: "broken",
        encode: () => {
          throw new Error("a secret of the daemon");
        },
      };
      const stream = open(rig, undefined, where === "event" ? { ...JSON_CODEC, format: broken } : JSON_CODEC);
      stream.say(REQUEST);
      await rig.settle();
      if (where === "event") rig.publish(session().started());
      else void rig.served[0]?.finish("producer_error");
      await rig.settle();
      expect(stream.status()).toBe("internal");
      expect(stream.fault()?.sentence).not.toContain("secret");
      expect(rig.accidents).toHaveLength(where === "event" ? 1 : 0);
      expect(subscriptionCount(rig)).toBe(0);
    },
  );

  it("by its subscriber's own close, ends in order", async () => {
    const { rig, stream, id } = await subscribed();
    stream.say({ type: "subscription.close", subscription_id: id });
    await rig.settle();
    expect(stream.status()).toBe("OK");
    expect(subscriptionCount(rig)).toBe(0);
    // Nothing is left that a shutdown could tell it.
    await rig.served[0]?.finish("producer_shutdown");
    expect(stream.status()).toBe("OK");
  });
});

describe("heartbeats", () => {
  it("come after each silence from the handshake on, and their interval is told", async () => {
    const { rig, stream } = await subscribed({}, HEARTBEAT);
    expect(stream.messages()[0]).toMatchObject({ honored_capabilities: { aaepd: { heartbeat_seconds: 15 } } });
    await rig.pass(14_999);
    expect(stream.count("aaepd.heartbeat")).toBe(0);
    await rig.pass(1);
    expect(stream.count("aaepd.heartbeat")).toBe(1);
    await rig.pass(30_000);
    expect(stream.count("aaepd.heartbeat")).toBe(3);
  });

  it("do not come while anything else does", async () => {
    const { rig, stream } = await subscribed({}, HEARTBEAT);
    rig.publish(session().started());
    for (let percent = 0; percent < 20; percent++) {
      await rig.pass(10_000);
      rig.publish(session().progress(percent));
    }
    await rig.settle();
    expect(stream.count("aaepd.heartbeat")).toBe(0);
    await rig.pass(14_999);
    expect(stream.count("aaepd.heartbeat")).toBe(0);
    await rig.pass(1);
    expect(stream.count("aaepd.heartbeat")).toBe(1);
  });

  it("do not come before the handshake", async () => {
    const rig = createStreamRig();
    const stream = open(rig, HEARTBEAT);
    await rig.pass(HANDSHAKE_TIMEOUT_MS - 1);
    expect(stream.received).toEqual([]);
  });

  it("are not added to what a peer does not take, and go on when it takes again", async () => {
    const { rig, stream } = await subscribed({}, HEARTBEAT);
    rig.publish(session().started());
    await rig.settle();
    stream.stopReading();
    for (let percent = 0; percent < 40; percent++) {
      rig.publish(session().progress(percent));
      await rig.settle();
    }
    await rig.pass(25_000);
    stream.readOn();
    await rig.settle();
    expect(stream.count("aaepd.heartbeat")).toBe(0);
    await rig.pass(15_000);
    expect(stream.count("aaepd.heartbeat")).toBe(1);
  });

  it("end with the stream, and keep nothing running", async () => {
    const { rig, stream, id } = await subscribed({}, HEARTBEAT);
    const during = rig.clock.pending();
    stream.say({ type: "subscription.close", subscription_id: id });
    await rig.settle();
    // The heartbeat; the handshake was waited for no longer than until it was done.
    expect(rig.clock.pending()).toBe(during - 1);
  });

  it("are not told of where there are none", async () => {
    const { stream } = await subscribed();
    expect(Object.keys((stream.messages()[0]?.honored_capabilities as { aaepd?: object })?.aaepd ?? {})).toEqual([
      "key",
      "cursor",
      "limits",
    ]);
  });
});
