// The messages of akashik.v1.AkashikService: each has a typed form, an envelope.
import { type DescField, fromJson, type JsonObject, ScalarType, toJson } from "@bufbuild/protobuf";
import { AkashikService, type Envelope, EnvelopeSchema } from "#gen/akashik/v1/akashik_service_pb.js";
import type { TextCodec } from "../../../contracts/codec.js";
import { exchangeFrames, type Forms } from "../../exchange-frames.js";
import { PROTOCOL } from "../messages/protocol.js";

/** Frames of one stream of Akashik. `json`: of a message as JSON. */
export function createMessageFrames(json: TextCodec<Uint8Array>): TextCodec<Uint8Array> {
  const forms: Forms = {
    textOf: ({ value }) => textOfEnvelope(value as Envelope),
    memberOf: (text) => ({ case: "envelope", value: envelopeOf(text) }),
  };
  return exchangeFrames(AkashikService.method.converse, forms, json);
}

type JsonFields = Readonly<Record<string, unknown>>;

/** The name of a request's field, with its operation. */
const REQUEST = /^(.*)_request$/;

/** The fields of an envelope beside its payload. */
const OUTER_FIELDS = EnvelopeSchema.fields.filter(({ oneof }) => oneof === undefined);

/** The JSON of an envelope. `operation`: where it is not set, that of the payload. Without a payload, the payload is an empty object. */
export function textOfEnvelope(envelope: Envelope): string {
  const written = toJson(EnvelopeSchema, envelope, { useProtoFieldName: true, alwaysEmitImplicit: true }) as JsonFields;
  const outer = completed(OUTER_FIELDS, written);
  const payload = EnvelopeSchema.fields.find(({ localName }) => localName === envelope.payload.case);
  return JSON.stringify({
    protocol: PROTOCOL,
    ...outer,
    operation: outer.operation ?? REQUEST.exec(payload?.name ?? "")?.[1]?.toUpperCase() ?? null,
    payload: payload === undefined ? {} : completedValue(payload, written[payload.name]),
  });
}

/** In JSON, a field that is not set is null, and a list is always there. */
function completed(fields: readonly DescField[], written: JsonFields): JsonFields {
  return Object.fromEntries(fields.map((field) => [field.name, completedValue(field, written[field.name])]));
}

function completedValue(field: DescField, written: unknown): unknown {
  if (written === undefined) return null;
  const { fieldKind, message, scalar } = field;
  if (message !== undefined && fieldKind === "list")
    return (written as readonly JsonFields[]).map((item) => completed(message.fields, item));
  if (message !== undefined) return completed(message.fields, written as JsonFields);
  // The library writes whole numbers of 64 bits as texts. One beyond 2^53 loses digits, and is refused for its size.
  return scalar === ScalarType.UINT64 ? Number(written) : written;
}

/** The envelope of a message from the Field. */
export function envelopeOf(text: string): Envelope {
  const { protocol: _, payload, ...outer } = JSON.parse(text) as JsonObject & { readonly payload: JsonObject };
  return fromJson(EnvelopeSchema, { ...outer, [memberOf(String(outer.operation), payload)]: payload });
}

/** The field of an envelope for a payload. An error answers to any operation. */
function memberOf(operation: string, payload: JsonObject): string {
  if ("error" in payload) return "error";
  if (operation !== "SUBSCRIBE") return `${operation.toLowerCase()}_answer`;
  if ("event" in payload) return "notification";
  return "subscriptions" in payload ? "list_answer" : "subscribe_answer";
}
