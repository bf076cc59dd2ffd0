// The mirrors of A2E in protobuf: each known message has a form, and nothing is lost in it.
import { create, fromBinary, fromJson, type JsonObject, toBinary } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { ConverseRequestSchema, ConverseResponseSchema, MessageSchema } from "#gen/a2e/v1/a2e_service_pb.js";
import { createTextCodec, createUtf8 } from "../../../src/daemon/platform/utf8.js";
import { createMessageFrames } from "../../../src/protocols/a2e/services/a2e-service.js";
import { faultOf } from "../../support/fault-of.js";

const JSON_FRAMES = createTextCodec(createUtf8());
const base = { id: "x1", a2e: "1.0", ts: 1716123456.789 };
const MESSAGES: readonly (readonly [member: string, type: string, fields: JsonObject])[] = [
  ["handshakeRequest", "handshake/req", { agent_id: "a", agent_caps: ["tools"], auth_token: "" }],
  [
    "handshakeResponse",
    "handshake/resp",
    {
      req_id: "r",
      session_id: "s",
      accepted_caps: [{ capability: "tools", enabled: true, metadata: { deep: { list: [1, null, "x"] } } }],
      max_parallel: 4,
      ok: false,
      reason: "no_caps",
    },
  ],
  ["ping", "ping", {}],
  ["pong", "pong", { req_id: "r", uptime_seconds: 0 }],
  ["shutdown", "shutdown", { timeout: 2.5 }],
  ["error", "error", { req_id: "r", code: "timeout", message: "", detail: [1, { a: null }], retryable: true }],
  ["invokeEvent", "invoke/event", { req_id: "r", kind: "progress", data: { pct: 5 }, seq: 0 }],
  ["toolEvent", "tool/event", { req_id: "r", kind: "log", data: {}, seq: 7 }],
  ["toolListRequest", "tool/list/req", { session_id: "s" }],
  ["toolListResponse", "tool/list/resp", { req_id: "r", tools: [{ name: "add" }] }],
  [
    "toolCallRequest",
    "tool/call/req",
    { session_id: "s", tool_name: "add", arguments: { a: 1 }, correlation_id: "", streaming: false, timeout: 0 },
  ],
  ["toolCallResponse", "tool/call/resp", { req_id: "r", data: null }],
  ["register", "aaepd.a2e.register", { name: "n", capabilities: ["tools"], priority: -1, max_parallel: 1 }],
  ["registered", "aaepd.a2e.registered", { req_id: "r", name: "n", capabilities: ["tools"] }],
];

const typed = (member: string, fields: JsonObject): Uint8Array =>
  toBinary(
    ConverseRequestSchema,
    create(ConverseRequestSchema, { message: fromJson(MessageSchema, { [member]: fields }) }),
  );
const json = (text: string): Uint8Array =>
  toBinary(
    ConverseRequestSchema,
    create(ConverseRequestSchema, { message: { message: { case: "json", value: Buffer.from(text) } } }),
  );
const caseOf = (frame: Uint8Array): string | undefined =>
  fromBinary(ConverseResponseSchema, frame).message?.message.case;

describe("a message in its own form", () => {
  it.each(MESSAGES)("%s is %s, there and back", (member, type, fields) => {
    const frames = createMessageFrames(JSON_FRAMES);
    const whole = { type, ...base, ...fields };
    expect(JSON.parse(frames.textOf(typed(member, { ...base, ...fields })))).toEqual(whole);
    const frame = frames.frameOf(JSON.stringify(whole));
    expect(caseOf(frame)).toBe(member);
    const back = fromBinary(ConverseResponseSchema, frame).message;
    expect(back && toBinary(MessageSchema, back)).toEqual(
      toBinary(MessageSchema, fromJson(MessageSchema, { [member]: { ...base, ...fields } })),
    );
  });
});

describe("a message keeps its form", () => {
  const RESPONSE = { type: "tool/call/resp", id: "x1", a2e: "1.0", req_id: "r" };

  it.each([
    ["digits in a text", { ts: 1.5, data: "card 4111111111111111, again 41111111111111119999" }],
    ["a time as Python writes it", { ts: 1716123456.7891235, data: 1 }],
    ["a pair of UTF-16 that is escaped", { ts: 1.5, data: "ok 😀" }],
  ])("with %s", (_, fields) => {
    const frames = createMessageFrames(JSON_FRAMES);
    const text = JSON.stringify({ ...RESPONSE, ...fields }).replace("😀", "\\ud83d\\ude00");
    expect(caseOf(frames.frameOf(text))).toBe("toolCallResponse");
  });

  it.each([
    ["a number with more digits than a double", '{"ts":1.5,"data":12345678901234567891}'],
    ["a number beyond all doubles", '{"ts":1.5,"data":{"most":-1e400}}'],
    ["half a pair of UTF-16", '{"ts":1.5,"data":"\\ud800"}'],
  ])("but for %s", (_, fields) => {
    const frames = createMessageFrames(JSON_FRAMES);
    const text = JSON.stringify(RESPONSE).replace("{", `${fields.slice(0, -1)},`);
    const frame = frames.frameOf(text);
    expect(caseOf(frame)).toBe("json");
    const { message } = fromBinary(ConverseResponseSchema, frame);
    expect(Buffer.from(message?.message.value as Uint8Array).toString()).toBe(text);
  });
});

describe("JSON in bytes", () => {
  const PING = JSON.stringify({ type: "ping", ...base });

  it("is answered by JSON in bytes, and the form of each message counts for what follows", () => {
    const frames = createMessageFrames(JSON_FRAMES);
    expect(caseOf(frames.frameOf(PING))).toBe("ping");
    expect(frames.textOf(json(PING))).toBe(PING);
    expect(caseOf(frames.frameOf(PING))).toBe("json");
    frames.textOf(typed("ping", base));
    expect(caseOf(frames.frameOf(PING))).toBe("ping");
  });

  it.each([
    ["a type without a form", '{"type":"memory/get/resp","id":"x","req_id":"r"}'],
    ["a member of its own", '{"type":"tool/call/resp","id":"x","req_id":"r","cost":5}'],
    ["a long fraction", '{"type":"tool/call/resp","id":"x","req_id":"r","data":0.12345678901234567}'],
    ["another type of a member", '{"type":"error","id":"x","code":5}'],
  ])("has %s, byte for byte", (_, text) => {
    const frame = createMessageFrames(JSON_FRAMES).frameOf(text);
    const message = fromBinary(ConverseResponseSchema, frame).message?.message;
    expect(message?.case === "json" && Buffer.from(message.value).toString()).toBe(text);
  });

  it.each([
    ["bytes that are no message", new Uint8Array([255, 255])],
    ["no message", new Uint8Array()],
    ["no member", toBinary(ConverseRequestSchema, create(ConverseRequestSchema, { message: {} }))],
    [
      "bytes that are no UTF-8",
      json("") &&
        toBinary(
          ConverseRequestSchema,
          create(ConverseRequestSchema, { message: { message: { case: "json", value: new Uint8Array([255]) } } }),
        ),
    ],
  ])("%s is a fault", (_, frame) => {
    const { code } = faultOf(() => createMessageFrames(JSON_FRAMES).textOf(frame));
    expect(["invalid_message", "invalid_json"]).toContain(code);
  });
});
