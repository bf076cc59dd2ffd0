// The codecs of the services' streams: what comes in, what goes out, and what ends in a fault.
import { create, type DescMessage, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AaepMessageSchema } from "#gen/aaep/v1/aaep_service_pb.js";
import { AaepdErrorSchema } from "#gen/aaep/v1/handshake_pb.js";
import {
  ListenRequestSchema,
  ListenResponseSchema,
  SubscribeRequestSchema,
  SubscribeResponseSchema,
} from "#gen/aaep/v1/subscriber_service_pb.js";
import { Fault } from "../../../../src/base/errors.js";
import type { Codec } from "../../../../src/contracts/codec.js";
import { createUtf8 } from "../../../../src/daemon/platform/utf8.js";
import type { AgentEvent } from "../../../../src/engine/event/event.js";
import {
  createAaepMessageCodec,
  createListenCodec,
  createSubscribeCodec,
} from "../../../../src/protocols/aaep/services/codec-protobuf.js";
import { describeFault } from "../../../../src/protocols/aaep/services/service-messages.js";
import { errorMessage } from "../../../../src/protocols/aaep/subscriber/subscriber-messages.js";
import { EVENT_NAMES, example } from "../../../schemas/fixtures.js";
import { casesOf } from "../../../support/extent.js";
import { faultOf } from "../../../support/fault-of.js";
import { documentOf } from "../../../support/protobuf-documents.js";

const subscribe = createSubscribeCodec();
const listen = createListenCodec();
const json = createAaepMessageCodec(createUtf8());

function bytesOf<Desc extends DescMessage>(descriptor: Desc, init: MessageInitShape<Desc>): Uint8Array {
  return toBinary(descriptor, create(descriptor, init));
}

const eventNamed = (name: string) => example(name) as unknown as AgentEvent;

describe("Subscribe", () => {
  const close = { subscriptionId: "sub_1", reasonCode: "done" };
  const init = { message: { case: "close", value: close } } as const;

  test.each([
    ["no bytes", new Uint8Array(0), /set one of request, renegotiate/],
    ["a message of a later version", Buffer.from("a00601", "hex"), /known here/],
    ["what is no message", Buffer.from("0a05", "hex"), /cut short/],
    ["what is no protobuf", Buffer.from('{"type":"subscription.request"}'), /aaep.v1.SubscribeRequest/],
    [
      "two messages",
      Buffer.concat([bytesOf(SubscribeRequestSchema, init), bytesOf(SubscribeRequestSchema, init)]),
      /several/,
    ],
    [
      "a type that contradicts the field",
      bytesOf(SubscribeRequestSchema, {
        message: { case: "close", value: { additional: { type: "subscription.request" } } },
      }),
      /subscription.close/,
    ],
  ])("%s is refused", (_, frame, sentence) => {
    const fault = faultOf(() => subscribe.decode(frame));
    expect(fault.code).toBe("invalid_message");
    expect(fault.sentence).toMatch(sentence);
  });

  test.each([
    ["accepted", example("subscription.accepted")],
    [
      "rejected",
      { type: "subscription.rejected", reason_code: "rate_limit", reason_message: "Later.", retry_after_seconds: 0 },
    ],
    ["close", { type: "subscription.close", subscription_id: "sub_1" }],
    ["pending", { type: "aaepd.pending", questions: [example("agent.awaiting.confirmation")] }],
    ["error", { type: "aaepd.error", code: "invalid_message", message: "No." }],
    ["heartbeat", { type: "aaepd.heartbeat" }],
  ])("what the daemon says goes out as %s", (name, document) => {
    const response = fromBinary(SubscribeResponseSchema, subscribe.encode(document) as Uint8Array);
    expect(response.message.case).toBe(name);
    expect(response.events).toEqual([]);
    const field = SubscribeResponseSchema.fields.find((one) => one.name === name);
    if (field?.message === undefined || response.message.value === undefined) throw new Error("no message");
    expect(documentOf(field.message, response.message.value)).toEqual(document);
    expect(listen.encode(document)).toEqual(subscribe.encode(document));
  });

  test("R14: events are encoded alike for Subscribe and Listen, and put one behind the other they are one response", () => {
    expect(listen.format).toBe(subscribe.format);
    const events = EVENT_NAMES.map(eventNamed);
    const frames = events.map((event) => subscribe.format.encode(event, undefined) as Uint8Array);
    for (const schema of [SubscribeResponseSchema, ListenResponseSchema]) {
      const { events: read, message } = fromBinary(schema, Buffer.concat(frames));
      expect(message.case).toBeUndefined();
      const [Event] = schema.fields;
      if (Event?.message === undefined) throw new Error("no field for events");
      const { message: descriptor } = Event;
      expect(read.map((one) => documentOf(descriptor, one))).toEqual(events);
    }
  });
});

describe("AaepService", () => {
  const close = { type: "subscription.close", subscription_id: "sub_1" };
  const frame = (message: object, messageType?: string): Uint8Array =>
    bytesOf(AaepMessageSchema, { json: Buffer.from(JSON.stringify(message)), messageType: messageType ?? "" });

  test("AAEP §8.2.1: an event keeps its agent's own text, byte for byte", () => {
    const event = eventNamed("agent.session.started");
    const source = `  ${JSON.stringify(event, undefined, 1)}`;
    const read = (own: string | undefined) =>
      fromBinary(AaepMessageSchema, json.format.encode(event, own) as Uint8Array);
    expect(Buffer.from(read(source).json).toString()).toBe(source);
    expect(JSON.parse(Buffer.from(read(undefined).json).toString())).toEqual(event);
    expect(read(source).messageType).toBe(event.type);
  });

  test.each([
    ["a message_type that contradicts the type", frame(close, "subscription.request"), "invalid_message", /differ/],
    ["no JSON", bytesOf(AaepMessageSchema, { json: Buffer.from("{") }), "invalid_json", /not JSON/],
    ["no UTF-8", bytesOf(AaepMessageSchema, { json: Buffer.from([0xff]) }), "invalid_json", /UTF-8/],
    ["a member twice", bytesOf(AaepMessageSchema, { json: Buffer.from('{"a":1,"a":2}') }), "invalid_message", /once/],
    ["no protobuf", Buffer.from("{}"), "invalid_message", /aaep.v1.AaepMessage/],
    [
      "nesting",
      bytesOf(AaepMessageSchema, { json: Buffer.from(`${"[".repeat(100_000)}${"]".repeat(100_000)}`) }),
      "invalid_message",
      /64 levels/,
    ],
  ])("%s is refused", (_, bytes, code, sentence) => {
    const fault = faultOf(() => json.decode(bytes));
    expect(fault.code).toBe(code);
    expect(fault.sentence).toMatch(sentence);
  });
});

test("R20: a fault as the detail of a status says what aaepd.error says", () => {
  const fault = new Fault("invalid_event", "Send a type.", {
    pointer: "/type",
    rule: "AAEP §3.2",
    eventId: "evt_1",
    retryAfterSeconds: 7,
  });
  const { typeName, bytes } = describeFault(fault);
  expect(typeName).toBe("aaep.v1.AaepdError");
  expect(fromBinary(AaepdErrorSchema, bytes)).toMatchObject({
    code: "invalid_event",
    message: "Send a type.",
    pointer: "/type",
    rule: "AAEP §3.2",
    eventId: "evt_1",
    retryAfterSeconds: 7,
  });
  expect(subscribe.encode(errorMessage(fault))).toEqual(
    bytesOf(SubscribeResponseSchema, { message: { case: "error", value: fromBinary(AaepdErrorSchema, bytes) } }),
  );
});

describe("hostile bytes end in a fault or a document, and in nothing else", () => {
  const codecs: readonly Codec<Uint8Array, unknown>[] = [subscribe, listen, json];
  const decodes = (bytes: Uint8Array): void => {
    for (const codec of codecs) {
      try {
        const document = codec.decode(bytes);
        expect(document === undefined || typeof document === "object" || codec === json).toBe(true);
      } catch (caught) {
        if (!(caught instanceof Fault)) throw caught;
        expect(["invalid_message", "invalid_event", "invalid_json"]).toContain(caught.code);
      }
    }
  };
  const valid = [
    bytesOf(ListenRequestSchema, {
      request: {
        capabilities: { languages: ["en"], supportedConformanceLevels: [1n, 2n], additional: { a: [1, { b: null }] } },
      },
    }),
    bytesOf(SubscribeRequestSchema, {
      message: {
        case: "clarificationReply",
        value: { response: { kind: { case: "stringValue", value: "é" } }, confidence: 0.5 },
      },
    }),
    ...EVENT_NAMES.map((name) => subscribe.format.encode(eventNamed(name), undefined) as Uint8Array),
    json.encode(example("subscription.request")) as Uint8Array,
  ];

  test("random bytes", () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), decodes), { numRuns: casesOf(5000) });
  });

  test("messages with bits turned over", () => {
    const flip = fc.tuple(fc.nat(), fc.nat({ max: 7 }));
    fc.assert(
      fc.property(fc.constantFrom(...valid), fc.array(flip, { minLength: 1, maxLength: 4 }), (bytes, flips) => {
        const spoiled = Uint8Array.from(bytes);
        for (const [place, bit] of flips) {
          const index = place % spoiled.length;
          spoiled[index] = (spoiled[index] ?? 0) ^ (1 << bit);
        }
        decodes(spoiled);
      }),
      { numRuns: casesOf(5000) },
    );
  });
});
