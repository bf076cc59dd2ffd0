// What stands where, byte by byte and field by field: ids, numbers beyond 2^53, timestamps, enums, language variants, lists, extensions.
import { readdirSync, readFileSync } from "node:fs";
import { create, type DescMessage, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { EventSchema, Urgency } from "#gen/aaep/v1/event_pb.js";
import {
  AaepdCheckpointSchema,
  AaepdPendingSchema,
  AaepdSkipSchema,
  CapabilitiesSchema,
  SubscriptionCloseSchema,
  SubscriptionRequestSchema,
} from "#gen/aaep/v1/handshake_pb.js";
import { ProducerManifestSchema } from "#gen/aaep/v1/manifest_pb.js";
import type { Fault } from "../../../../src/base/errors.js";
import { decodeDocument } from "../../../../src/protocols/aaep/protobuf/decode.js";
import { encodeDocument } from "../../../../src/protocols/aaep/protobuf/encode.js";
import { faultOf } from "../../../support/fault-of.js";
import { documentOf, messageOf } from "../../../support/protobuf-documents.js";

type Json = Record<string, unknown>;

/** The document of a message that a client made with a library. */
function said<Desc extends DescMessage>(descriptor: Desc, init: MessageInitShape<Desc>): Json {
  return documentOf(descriptor, create(descriptor, init));
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

describe("golden vectors", () => {
  test("the bytes of a small event", () => {
    const event = {
      type: "aaep:agent.state.changed",
      event_id: "evt_1",
      urgency: "normal",
      from_state: "a",
      to_state: "b",
    };
    const bytes = encodeDocument(EventSchema, event);
    const type = Buffer.from("aaep:agent.state.changed").toString("hex");
    expect(hex(bytes)).toBe(`1218${type}1a056576745f313802a201062201612a0162`);
    expect(decodeDocument(EventSchema, bytes)).toEqual(event);
  });

  test.each<[string, DescMessage, Json, Json]>([
    ["2^53 - 1 is a number", EventSchema, { sequence_number: 9007199254740991 }, { sequenceNumber: 9007199254740991n }],
    [
      "2^53 as a number is no whole number for certain",
      EventSchema,
      { sequence_number: 2 ** 53 },
      { additional: { sequence_number: 2 ** 53 } },
    ],
    [
      "below 0 has no field",
      CapabilitiesSchema,
      { supported_conformance_levels: [-1] },
      { additional: { supported_conformance_levels: [-1] } },
    ],
    [
      "numbers with a fraction",
      CapabilitiesSchema,
      { aaepd: { heartbeat_seconds: 2.5, limits: { max_lag_seconds: 0.5 } } },
      { aaepd: { heartbeatSeconds: 2.5, limits: { maxLagSeconds: 0.5 } } },
    ],
    ["values of enums", EventSchema, { urgency: "critical" }, { urgency: Urgency.CRITICAL }],
    ["values outside an enum", EventSchema, { urgency: "soon" }, { urgency: 0, additional: { urgency: "soon" } }],
    [
      "language variants",
      EventSchema,
      { summary_normal_yo: "Ẹ káàbọ̀" },
      { additional: { summary_normal_yo: "Ẹ káàbọ̀" } },
    ],
    ["a member called additional", EventSchema, { additional: { a: 1 } }, { additional: { additional: { a: 1 } } }],
    ["empty is not absent", EventSchema, { correlation_id: "" }, { correlationId: "" }],
    ["null is not absent", EventSchema, { correlation_id: null }, { additional: { correlation_id: null } }],
    [
      "an empty list",
      SubscriptionRequestSchema,
      { type: "subscription.request", capabilities: { languages: [] } },
      { capabilities: { additional: { languages: [] } } },
    ],
    [
      "a list that may be empty",
      CapabilitiesSchema,
      { event_filters: { include: [], exclude: ["a"] } },
      { eventFilters: { include: { values: [] }, exclude: { values: ["a"] } } },
    ],
    [
      "a list with one item that does not fit",
      CapabilitiesSchema,
      { languages: ["en", 1] },
      { additional: { languages: ["en", 1] } },
    ],
    [
      "a message without room that does not fit",
      EventSchema,
      { producer: { agent_id: "a", later: 1 } },
      { additional: { producer: { agent_id: "a", later: 1 } } },
    ],
    [
      "the context is a text or a list",
      EventSchema,
      { "@context": ["a"] },
      { context: { kind: { case: "listValue", value: { values: [{ kind: { case: "stringValue", value: "a" } }] } } } },
    ],
    ["another type than its name", SubscriptionCloseSchema, { type: "x" }, { additional: { type: "x" } }],
    ["the manifest", ProducerManifestSchema, { type: "aaep:producer.manifest", agent_id: "a" }, { agentId: "a" }],
    [
      "no list is an empty one where nothing could say so",
      AaepdPendingSchema,
      { type: "aaepd.pending", questions: [] },
      {},
    ],
    ["a checkpoint", AaepdCheckpointSchema, { type: "aaepd.checkpoint", cursor: "c1.a.1" }, { cursor: "c1.a.1" }],
  ])("%s", (_, descriptor, document, init) => {
    const message = create(descriptor, init as MessageInitShape<DescMessage>);
    expect(toBinary(descriptor, messageOf(descriptor, document))).toEqual(toBinary(descriptor, message));
    expect(documentOf(descriptor, message)).toEqual(document);
  });

  test("AAEP §12.6: outside events an enum number of a later version stands for a name that is not known", () => {
    expect(said(CapabilitiesSchema, { preferredVerbosity: 9 as never })).toEqual({ preferred_verbosity: "9" });
  });
});

describe("what is refused", () => {
  const overBytes = (init: MessageInitShape<typeof EventSchema>, more = ""): Fault => {
    const bytes = Buffer.concat([toBinary(EventSchema, create(EventSchema, init)), Buffer.from(more, "hex")]);
    return faultOf(() => decodeDocument(EventSchema, bytes));
  };

  test.each<[string, MessageInitShape<typeof EventSchema>, string, string, RegExp]>([
    [
      "a name in its field and in additional",
      { eventId: "evt_1", additional: { event_id: "evt_2" } },
      "",
      "/event_id",
      /send it once/,
    ],
    [
      "a payload's name in additional",
      { payload: { case: "sessionStarted", value: { summaryNormal: "x" } }, additional: { summary_normal: "y" } },
      "",
      "/summary_normal",
      /send it once/,
    ],
    [
      "a known enum value in additional too",
      { urgency: 2, additional: { urgency: "soon" } },
      "",
      "/urgency",
      /send it once/,
    ],
    [
      "a payload that contradicts the type",
      { type: "aaep:agent.state.changed", payload: { case: "sessionStarted", value: {} } },
      "",
      "/type",
      /make them agree/,
    ],
    [
      "a type in additional beside a payload",
      { payload: { case: "sessionStarted", value: {} }, additional: { type: 5 } },
      "",
      "/type",
      /make them agree/,
    ],
    ["an enum number of a later version", { urgency: 77 as Urgency }, "", "/urgency", /into `additional`/],
    [
      "an enum number in a payload",
      { payload: { case: "toolInvoked", value: { riskLevel: 9 as never } } },
      "",
      "/risk_level",
      /into `additional`/,
    ],
    [
      "an unspecified value in a list",
      { payload: { case: "awaitingConfirmation", value: { allowedReplies: [1, 0] } } },
      "",
      "/allowed_replies/1",
      /say which/,
    ],
    [
      "a number that JSON does not have",
      { payload: { case: "progressUpdated", value: { progress: { percent: Number.NaN } } } },
      "",
      "/progress/percent",
      /finite/,
    ],
    ["such a number within additional", { additional: { a: [Number.POSITIVE_INFINITY] } }, "", "/a/0", /finite/],
    ["a value without a kind", { context: {} }, "", "/@context", /null_value/],
    [
      "a value of a later version",
      {},
      `${hex(Uint8Array.of(EventSchema.field.context.number * 8 + 2))}023801`,
      "/@context",
      /field 7/,
    ],
    ["a field of a later version", {}, "a00601", "", /field 100/],
    ["a field of a later version within", {}, "32039a0600", "/producer", /field 99/],
    ["a field that stands twice", { eventId: "evt_1" }, "1a0161", "/event_id", /stands twice/],
    ["a text that is not UTF-8", {}, "1a02c328", "/event_id", /UTF-8/],
    ["a field of the wrong wire type", {}, "1801", "/event_id", /wire type 0/],
  ])("%s", (_, init, more, pointer, sentence) => {
    const fault = overBytes(init, more);
    expect(fault.code).toBe("invalid_event");
    expect(fault.pointer).toBe(pointer);
    expect(fault.sentence).toMatch(sentence);
  });

  test("elsewhere unknown fields are passed over, whatever their wire type", () => {
    const bytes = Buffer.concat([
      toBinary(AaepdSkipSchema, create(AaepdSkipSchema, { sessionId: "sess_1" })),
      Buffer.from("a00601a20602abcda3060801a406a50600000000a1060000000000000000", "hex"),
    ]);
    expect(decodeDocument(AaepdSkipSchema, bytes)).toEqual({ type: "aaepd.skip", session_id: "sess_1" });
  });

  test("64 levels are taken, 65 are not, both ways", () => {
    const nested = (levels: number): Json => {
      let value: unknown = 1;
      for (let level = 1; level < levels; level++) value = level % 2 === 0 ? [value] : { a: value };
      return { a: value };
    };
    for (const wrapped of [(value: Json) => value, (value: Json) => ({ extensions: value.a })]) {
      const deepest = wrapped(nested(64));
      expect(decodeDocument(EventSchema, encodeDocument(EventSchema, deepest))).toEqual(deepest);
      expect(documentOf(EventSchema, messageOf(EventSchema, deepest))).toEqual(deepest);
      expect(faultOf(() => encodeDocument(EventSchema, wrapped(nested(65)))).code).toBe("invalid_message");
    }
    const deep = fromBinary(EventSchema, encodeDocument(EventSchema, nested(64)), { recursionLimit: 256 });
    const deeper = create(EventSchema, { additional: { a: { a: { b: deep.additional ?? {} } } } });
    expect(faultOf(() => documentOf(EventSchema, deeper)).sentence).toContain("64 levels");
  });

  test("4 MiB nested 100,000 deep are refused, and cost no stack", () => {
    // From within: each level is a Value that holds a Struct with one entry, around what was there before.
    const pieces: Buffer[] = [];
    let size = 0;
    const varint = (value: number): Buffer => {
      const bytes: number[] = [];
      for (let rest = value; ; rest >>>= 7) {
        if (rest < 0x80) return Buffer.from([...bytes, rest]);
        bytes.push((rest & 0x7f) | 0x80);
      }
    };
    const wrap = (prefix: readonly number[]): void => {
      const head = Buffer.concat([Buffer.from(prefix), varint(size)]);
      pieces.push(head);
      size += head.length;
    };
    for (let level = 0; level < 100_000; level++) {
      wrap([0x2a]);
      wrap([0x0a, 0x01, 0x61, 0x12]);
      wrap([0x0a]);
    }
    wrap([0x7a]);
    const bytes = Buffer.concat(pieces.reverse());
    expect(bytes.length).toBeGreaterThan(1024 * 1024);
    const fault = faultOf(() => decodeDocument(EventSchema, bytes));
    expect(fault.code).toBe("invalid_message");
  });
});

const SESSIONS = new URL("../../../../examples/sessions/", import.meta.url);

test.each(readdirSync(SESSIONS).filter((name) => name.endsWith(".ndjson")))(
  "every event of %s goes through protobuf",
  (name) => {
    const lines = readFileSync(new URL(name, SESSIONS), "utf8").trimEnd().split("\n");
    expect(lines.length).toBeGreaterThan(10);
    for (const line of lines) {
      const event = JSON.parse(line) as Json;
      const message = messageOf(EventSchema, event);
      expect(message.payload.case).toBeDefined();
      expect(documentOf(EventSchema, message)).toEqual(event);
      expect(decodeDocument(EventSchema, encodeDocument(EventSchema, event))).toEqual(event);
    }
  },
);
