// a2e.v1.A2EService as a method that every transport of services can serve (R23), and its frames: a message is typed where it has a form of its
// own and nothing would be lost, else JSON in bytes.
import { create, type DescMessage, fromBinary, fromJson, type JsonObject, toBinary, toJson } from "@bufbuild/protobuf";
import {
  A2EService,
  ConverseRequestSchema,
  ConverseResponseSchema,
  ErrorSchema,
  HandshakeRequestSchema,
  HandshakeResponseSchema,
  InvokeEventSchema,
  type Message,
  PingSchema,
  PongSchema,
  RegisteredSchema,
  RegisterSchema,
  ShutdownSchema,
  ToolCallRequestSchema,
  ToolCallResponseSchema,
  ToolEventSchema,
  ToolListRequestSchema,
  ToolListResponseSchema,
} from "#gen/a2e/v1/a2e_service_pb.js";
import { Fault } from "../../../base/errors.js";
import { closingQuote } from "../../../base/json-text.js";
import type { TextCodec } from "../../../contracts/codec.js";
import type { ServiceMethod } from "../../../contracts/service.js";
import type { Connection } from "../../../contracts/transport.js";

type TypedCase = Exclude<NonNullable<Message["message"]["case"]>, "json">;

/** Each typed form, with the type of its JSON. */
const FORMS: Readonly<Record<TypedCase, { readonly type: string; readonly schema: DescMessage }>> = {
  handshakeRequest: { type: "handshake/req", schema: HandshakeRequestSchema },
  handshakeResponse: { type: "handshake/resp", schema: HandshakeResponseSchema },
  ping: { type: "ping", schema: PingSchema },
  pong: { type: "pong", schema: PongSchema },
  shutdown: { type: "shutdown", schema: ShutdownSchema },
  error: { type: "error", schema: ErrorSchema },
  invokeEvent: { type: "invoke/event", schema: InvokeEventSchema },
  toolEvent: { type: "tool/event", schema: ToolEventSchema },
  toolListRequest: { type: "tool/list/req", schema: ToolListRequestSchema },
  toolListResponse: { type: "tool/list/resp", schema: ToolListResponseSchema },
  toolCallRequest: { type: "tool/call/req", schema: ToolCallRequestSchema },
  toolCallResponse: { type: "tool/call/resp", schema: ToolCallResponseSchema },
  register: { type: "aaepd.a2e.register", schema: RegisterSchema },
  registered: { type: "aaepd.a2e.registered", schema: RegisteredSchema },
};

const CASE_OF: ReadonlyMap<unknown, TypedCase> = new Map(
  Object.entries(FORMS).map(([name, { type }]) => [type, name as TypedCase]),
);

/** Members of JSON that are lists: protobuf has no absent list. */
const LISTS: Readonly<Partial<Record<TypedCase, string>>> = {
  handshakeRequest: "agent_caps",
  handshakeResponse: "accepted_caps",
  toolListResponse: "tools",
  register: "capabilities",
  registered: "capabilities",
};

/** Serves the stream of one peer, with the frames of that stream. */
export type ServeA2e = (connection: Connection<Uint8Array>, frames: TextCodec<Uint8Array>) => void;

/** `json`: the frames of a message as JSON. */
export function a2eMethods(serve: ServeA2e, json: TextCodec<Uint8Array>): readonly ServiceMethod[] {
  return [
    {
      kind: "stream",
      descriptor: A2EService.method.converse,
      joinsBatches: false,
      accept: (connection) => serve(connection, createMessageFrames(json)),
    },
  ];
}

/** Frames of one stream. It answers in the form of the peer's last message, and in types before the first. */
export function createMessageFrames(json: TextCodec<Uint8Array>): TextCodec<Uint8Array> {
  let isTyped = true;
  return {
    textOf: (frame) => {
      const value = requestIn(frame).message?.message;
      if (value?.case === undefined) throw malformed("Set one member of `message`.");
      isTyped = value.case !== "json";
      if (value.case === "json") return json.textOf(value.value);
      const { type, schema } = FORMS[value.case];
      const fields = toJson(schema, value.value, { useProtoFieldName: true }) as JsonObject;
      const list = LISTS[value.case];
      return JSON.stringify({ type, ...(list === undefined ? {} : { [list]: [] }), ...fields });
    },
    frameOf: (text) => {
      const message = (isTyped ? typedOf(text) : undefined) ?? { case: "json" as const, value: json.frameOf(text) };
      return toBinary(ConverseResponseSchema, create(ConverseResponseSchema, { message: { message } }));
    },
  };
}

function requestIn(frame: Uint8Array) {
  try {
    return fromBinary(ConverseRequestSchema, frame);
  } catch (cause) {
    throw malformed("The bytes are no ConverseRequest.", cause);
  }
}

function malformed(sentence: string, cause?: unknown): Fault {
  return new Fault("invalid_message", sentence, { pointer: "/message", cause });
}

const NUMBER = /-?\d[\d.eE+-]*/y;
const QUOTE = 0x22;
/** A number of so many characters is the same as a double, whatever its digits. */
const SURE_LENGTH = 15;
/** Half of a pair of UTF-16, which has no UTF-8. `JSON.stringify` writes it so, and a whole pair as it is. */
const HALF_PAIR = /\\u[dD][89a-fA-F]/;

/** Whether protobuf keeps every number and text of a message. */
function isKept(text: string, fields: JsonObject): boolean {
  for (let index = 0; index < text.length; index += 1) {
    if (text.charCodeAt(index) === QUOTE) index = closingQuote(text, index);
    NUMBER.lastIndex = index;
    const number = NUMBER.exec(text)?.[0] ?? "";
    const double = Number(number);
    if (!Number.isFinite(double) || (number.length > SURE_LENGTH && String(double) !== number)) return false;
    index += Math.max(0, number.length - 1);
  }
  return !HALF_PAIR.test(text) || !HALF_PAIR.test(JSON.stringify(fields));
}

/** The typed form of a message; undefined if it has none, or if a part of the message has no place in it. */
function typedOf(text: string): Message["message"] | undefined {
  const { type, ...fields } = JSON.parse(text) as { readonly type: unknown } & JsonObject;
  const name = CASE_OF.get(type);
  if (name === undefined || !isKept(text, fields)) return undefined;
  try {
    return { case: name, value: fromJson(FORMS[name].schema, fields) } as Message["message"];
  } catch {
    // A member that the form does not have.
    return undefined;
  }
}
