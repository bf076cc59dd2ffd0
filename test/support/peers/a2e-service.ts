// The stream of a2e.v1.A2EService, whose messages are made of texts of JSON.
import { create, fromJson, type JsonObject, toJson } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import {
  A2EService,
  type ConverseRequest,
  ConverseRequestSchema,
  type ConverseResponse,
  ConverseResponseSchema,
  MessageSchema,
} from "#gen/a2e/v1/a2e_service_pb.js";
import type { StreamOfTexts } from "./service-streams.js";

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

/** The text of a response, and whether it was typed. */
function textOf({ message }: ConverseResponse): { readonly text: string; readonly isTyped: boolean } {
  const value = message?.message;
  if (message === undefined || value?.case === undefined) throw new Error("a response without message");
  if (value.case === "json") return { text: Buffer.from(value.value).toString(), isTyped: false };
  const document = toJson(MessageSchema, message, { useProtoFieldName: true }) as Readonly<Record<string, JsonObject>>;
  const [fields = {}] = Object.values(document);
  const type = Object.keys(MEMBER_OF).find((one) => MEMBER_OF[one] === value.case);
  return { text: JSON.stringify({ type, ...fields }), isTyped: true };
}

export const A2E_STREAM: StreamOfTexts<ConverseRequest, ConverseResponse> = {
  typeName: A2EService.typeName,
  requestSchema: ConverseRequestSchema,
  responseSchema: ConverseResponseSchema,
  converse: (transport, requests) => createClient(A2EService, transport).converse(requests),
  requestOf,
  textOf,
};
