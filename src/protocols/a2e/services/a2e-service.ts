// The messages of a2e.v1.A2EService: the typed form of each that has one.
import { create, fromJson, type JsonObject, toJson } from "@bufbuild/protobuf";
import { A2EService, type Message, MessageSchema } from "#gen/a2e/v1/a2e_service_pb.js";
import { closingQuote } from "../../../base/json-text.js";
import type { TextCodec } from "../../../contracts/codec.js";
import { exchangeFrames, type Member } from "../../exchange-frames.js";

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

/** Frames of one stream of A2E. `json`: of a message as JSON. */
export function createMessageFrames(json: TextCodec<Uint8Array>): TextCodec<Uint8Array> {
  return exchangeFrames(A2EService.method.converse, { textOf, memberOf }, json);
}

function textOf(member: Member): string {
  const message = create(MessageSchema, { message: member as Message["message"] });
  // Protobuf has no absent list.
  const written = toJson(MessageSchema, message, { useProtoFieldName: true, alwaysEmitImplicit: true });
  const [fields = {}] = Object.values(written as Readonly<Record<string, JsonObject>>);
  return JSON.stringify({ type: TYPE_OF[member.case as TypedCase], ...fields });
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

function memberOf(text: string): Member | undefined {
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
