// The mirrors of Akashik in protobuf: each message has a form, and nothing is lost in it.
import { create, fromBinary, fromJson, type JsonObject, toBinary } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { ConverseRequestSchema, ConverseResponseSchema, EnvelopeSchema } from "#gen/akashik/v1/akashik_service_pb.js";
import { createTextCodec, createUtf8 } from "../../../../src/daemon/platform/utf8.js";
import { createMessageFrames } from "../../../../src/protocols/akashik/services/akashik-service.js";
import { faultOf } from "../../../support/fault-of.js";
import { envelope, PAGE_REQUEST } from "../messages/envelopes.js";

const JSON_FRAMES = createTextCodec(createUtf8());
const typed = (fields: JsonObject): Uint8Array =>
  toBinary(
    ConverseRequestSchema,
    create(ConverseRequestSchema, {
      message: { message: { case: "envelope", value: fromJson(EnvelopeSchema, fields) } },
    }),
  );
const json = (text: string | Uint8Array): Uint8Array =>
  toBinary(
    ConverseRequestSchema,
    create(ConverseRequestSchema, { message: { message: { case: "json", value: new Uint8Array(Buffer.from(text)) } } }),
  );
const responseIn = (frame: Uint8Array) => fromBinary(ConverseResponseSchema, frame).message?.message;
const answer = (payload: JsonObject, operation = "SUBSCRIBE") =>
  JSON.stringify(envelope(operation, payload, { agent_id: "a", epoch: 3 }));

describe("a typed request", () => {
  it("is the page's example, with its lists and its nulls", () => {
    const {
      payload,
      protocol: _,
      ...outer
    } = JSON.parse(PAGE_REQUEST) as JsonObject & { readonly payload: JsonObject };
    const text = createMessageFrames(JSON_FRAMES).textOf(typed({ ...outer, subscribeRequest: payload }));
    const subscription = { id: null, ...(payload.subscription as JsonObject) };
    expect(JSON.parse(text)).toEqual({ ...JSON.parse(PAGE_REQUEST), payload: { ...payload, subscription } });
  });

  it("without an operation has that of its payload; one that is set stays", () => {
    const frames = createMessageFrames(JSON_FRAMES);
    expect(JSON.parse(frames.textOf(typed({ subscribeRequest: {} })))).toMatchObject({ operation: "SUBSCRIBE" });
    expect(JSON.parse(frames.textOf(typed({ operation: "HANDOFF", recordRequest: {} })))).toMatchObject({
      operation: "HANDOFF",
    });
  });

  it("of which nothing is set has nulls, lists, and an empty payload", () => {
    const frames = createMessageFrames(JSON_FRAMES);
    const nothing = { version: null, id: null, agent_id: null, session_id: null, epoch: null };
    expect(JSON.parse(frames.textOf(typed({})))).toEqual({
      protocol: "akashik",
      ...nothing,
      operation: null,
      payload: {},
    });
    expect(JSON.parse(frames.textOf(typed({ registerRequest: {} })))).toEqual({
      protocol: "akashik",
      ...nothing,
      operation: "REGISTER",
      payload: { id: null, role: null, interests: [], required_operations: [] },
    });
  });

  it("has whole numbers as numbers of JSON", () => {
    const text = createMessageFrames(JSON_FRAMES).textOf(
      typed({ epoch: "9007199254740991", attuneRequest: { since_epoch: 5, scope: { max_units: "7" } } }),
    );
    expect(JSON.parse(text)).toMatchObject({
      epoch: Number.MAX_SAFE_INTEGER,
      payload: { since_epoch: 5, scope: { max_units: 7 } },
    });
  });

  it("with an epoch beyond 2^53 keeps its size, so that the Field's clock refuses it", () => {
    const text = createMessageFrames(JSON_FRAMES).textOf(typed({ epoch: "18446744073709551615" }));
    expect(JSON.parse(text)).toMatchObject({ epoch: 2 ** 64 });
  });
});

describe("the form of what goes out", () => {
  const DONE = answer({ status: "ok", subscription_id: "sub-1" });

  it("is that of the peer's last message, typed before the first", () => {
    const frames = createMessageFrames(JSON_FRAMES);
    expect(responseIn(frames.frameOf(DONE))?.case).toBe("envelope");
    expect(frames.textOf(json(PAGE_REQUEST))).toBe(PAGE_REQUEST);
    const said = responseIn(frames.frameOf(DONE));
    expect(said?.case === "json" && Buffer.from(said.value).toString()).toBe(DONE);
    frames.textOf(typed({}));
    expect(responseIn(frames.frameOf(DONE))?.case).toBe("envelope");
  });
});

describe("a frame that is no message", () => {
  it.each<[name: string, frame: Uint8Array, code: string]>([
    ["bytes that are no message", new Uint8Array([255, 255]), "invalid_message"],
    ["no message", new Uint8Array(), "invalid_message"],
    ["no member", toBinary(ConverseRequestSchema, create(ConverseRequestSchema, { message: {} })), "invalid_message"],
    ["bytes that are no UTF-8", json(new Uint8Array([255])), "invalid_json"],
  ])("%s is a fault", (_, frame, code) => {
    expect(faultOf(() => createMessageFrames(JSON_FRAMES).textOf(frame)).code).toBe(code);
  });
});
