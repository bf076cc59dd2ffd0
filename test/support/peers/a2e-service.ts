// The stream of a2e.v1.A2EService, whose messages are made of texts of JSON.
import { create, fromJson, type JsonObject, toJson } from "@bufbuild/protobuf";
import {
  A2EService,
  type ConverseRequest,
  ConverseRequestSchema,
  type ConverseResponse,
  MessageSchema,
} from "#gen/a2e/v1/a2e_service_pb.js";
import type { StreamOfTexts } from "../services/text-connections.js";

/** Types by the names of their members in JSON. */
const MEMBER_OF: Readonly<Record<string, string>> = {
  "handshake/req": "handshakeRequest",
  "handshake/resp": "handshakeResponse",
  ping: "ping",
  pong: "pong",
  shutdown: "shutdown",
  error: "error",
  "invoke/event": "invokeEvent",
  "tool/event": "toolEvent",
  "tool/list/req": "toolListRequest",
  "tool/list/resp": "toolListResponse",
  "tool/call/req": "toolCallRequest",
  "tool/call/resp": "toolCallResponse",
  "aaepd.a2e.register": "register",
  "aaepd.a2e.registered": "registered",
};

function requestOf(text: Uint8Array, isTyped: boolean): ConverseRequest {
  if (!isTyped)
    return create(ConverseRequestSchema, { message: { message: { case: "json", value: new Uint8Array(text) } } });
  const { type, ...fields } = JSON.parse(Buffer.from(text).toString()) as { readonly type: string } & JsonObject;
  const member = MEMBER_OF[type];
  if (member === undefined) return requestOf(text, false);
  return create(ConverseRequestSchema, { message: fromJson(MessageSchema, { [member]: fields }) });
}

function textOf({ message }: ConverseResponse): string {
  const value = message?.message;
  if (message === undefined || value?.case === undefined) throw new Error("a response without message");
  if (value.case === "json") return Buffer.from(value.value).toString();
  const document = toJson(MessageSchema, message, { useProtoFieldName: true }) as Readonly<Record<string, JsonObject>>;
  const [fields = {}] = Object.values(document);
  const type = Object.keys(MEMBER_OF).find((one) => MEMBER_OF[one] === value.case);
  return JSON.stringify({ type, ...fields });
}

export const A2E_STREAM: StreamOfTexts<ConverseRequest, ConverseResponse> = {
  service: A2EService,
  requestOf,
  textOf,
};
