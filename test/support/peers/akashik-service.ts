// The stream of akashik.v1.AkashikService, whose messages are made of texts of JSON.
import { create, fromJson, type JsonObject } from "@bufbuild/protobuf";
import {
  AkashikService,
  type ConverseRequest,
  ConverseRequestSchema,
  type ConverseResponse,
  EnvelopeSchema,
} from "#gen/akashik/v1/akashik_service_pb.js";
import { textOfEnvelope } from "../../../src/protocols/akashik/services/akashik-service.js";
import type { StreamOfTexts } from "../services/text-connections.js";

/** The payload's member of each operation. */
const MEMBER_OF: Readonly<Record<string, string>> = Object.fromEntries(
  ["REGISTER", "DEREGISTER", "RECORD", "ATTUNE", "DETECT", "MERGE", "SUBSCRIBE"].map((operation) => [
    operation,
    `${operation.toLowerCase()}Request`,
  ]),
);

function requestOf(text: Uint8Array, isTyped: boolean): ConverseRequest {
  if (!isTyped)
    return create(ConverseRequestSchema, { message: { message: { case: "json", value: new Uint8Array(text) } } });
  const { protocol: _, payload, ...outer } = JSON.parse(Buffer.from(text).toString()) as JsonObject;
  const member = MEMBER_OF[String(outer.operation)];
  if (member === undefined) return requestOf(text, false);
  const envelope = fromJson(EnvelopeSchema, { ...outer, [member]: payload ?? {} });
  return create(ConverseRequestSchema, { message: { message: { case: "envelope", value: envelope } } });
}

function textOf({ message }: ConverseResponse): string {
  const value = message?.message;
  if (value?.case === undefined) throw new Error("a response without message");
  return value.case === "json" ? Buffer.from(value.value).toString() : textOfEnvelope(value.value);
}

export const AKASHIK_STREAM: StreamOfTexts<ConverseRequest, ConverseResponse> = {
  service: AkashikService,
  requestOf,
  textOf,
};
