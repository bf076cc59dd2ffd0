// a2e.v1.A2EService as a method that every transport of services can serve (R23), and its frames: a message is typed where it has a form of its
// own and nothing would be lost, else JSON in bytes.
import { create, fromBinary, fromJson, type JsonObject, toBinary, toJson } from "@bufbuild/protobuf";
import {
  A2EService,
  ConverseRequestSchema,
  ConverseResponseSchema,
  type Message,
  MessageSchema,
} from "#gen/a2e/v1/a2e_service_pb.js";
import { Fault } from "../../../base/errors.js";
import { closingQuote } from "../../../base/json-text.js";
import type { TextCodec } from "../../../contracts/codec.js";
import type { ServiceMethod } from "../../../contracts/service.js";
import type { Connection } from "../../../contracts/transport.js";

type TypedCase = Exclude<NonNullable<Message["message"]["case"]>, "json">;

/** Each typed form, with the type of its JSON. */
const TYPE_OF: Readonly<Record<TypedCase, string>> = {
  handshakeRequest: "handshake/req",
  handshakeResponse: "handshake/resp",
  ping: "ping",
  pong: "pong",
  shutdown: "shutdown",
  error: "error",
  invokeEvent: "invoke/event",
  toolEvent: "tool/event",
  toolListRequest: "tool/list/req",
  toolListResponse: "tool/list/resp",
  toolCallRequest: "tool/call/req",
  toolCallResponse: "tool/call/resp",
  register: "aaepd.a2e.register",
  registered: "aaepd.a2e.registered",
};

const CASE_OF: ReadonlyMap<unknown, string> = new Map(Object.entries(TYPE_OF).map(([name, type]) => [type, name]));

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
      const { message } = requestIn(frame);
      const value = message?.message;
      if (message === undefined || value?.case === undefined) throw malformed("Set one member of `message`.");
      isTyped = value.case !== "json";
      if (value.case === "json") return json.textOf(value.value);
      // Protobuf has no absent list.
      const written = toJson(MessageSchema, message, { useProtoFieldName: true, alwaysEmitImplicit: true });
      const [fields = {}] = Object.values(written as Readonly<Record<string, JsonObject>>);
      return JSON.stringify({ type: TYPE_OF[value.case], ...fields });
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
    return fromJson(MessageSchema, { [name]: fields }).message;
  } catch {
    // A member that the form does not have.
    return undefined;
  }
}
