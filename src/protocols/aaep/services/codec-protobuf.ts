// AAEP messages in protobuf: typed on the streams of aaep.v1.SubscriberService, and as JSON in aaep.v1.AaepMessage, as the specification draws the
// service (AAEP app. B.5).
import { type DescMessage, fromBinary } from "@bufbuild/protobuf";
import { type AaepMessage, AaepMessageSchema } from "#gen/aaep/v1/aaep_service_pb.js";
import { EventSchema } from "#gen/aaep/v1/event_pb.js";
import {
  ListenRequestSchema,
  SubscribeRequestSchema,
  SubscribeResponseSchema,
} from "#gen/aaep/v1/subscriber_service_pb.js";
import { Fault } from "../../../base/errors.js";
import { membersOf } from "../../../base/members.js";
import type { Codec, Utf8 } from "../../../contracts/codec.js";
import type { ServiceMessage } from "../../../contracts/service.js";
import type { WireFormat } from "../../../engine/views/delivery.js";
import { claimsOfMessage } from "../json/claims.js";
import { createJsonCodec } from "../json/json-codec.js";
import { decodeSole } from "../protobuf/decode.js";
import { type Document, encodeInField } from "../protobuf/encode.js";
import { DELIMITED, jsonTypeOf } from "../protobuf/plan.js";
import { assertFewFields } from "../protobuf/reading.js";
import { ByteWriter } from "../protobuf/writer.js";
import { assertMessage } from "./service-messages.js";

const EVENTS = SubscribeResponseSchema.field.events.number;

/**
 * Encodes an event as a SubscribeResponse with this event alone. Several such responses, concatenated, are one response with all events; the bytes of
 * a ListenResponse are the same.
 */
const EVENT_FORMAT: WireFormat<Uint8Array> = {
  encode: (event) => encodeInField(EVENTS, EventSchema, event),
};

/** The contents of a response besides events, by the `type` of their JSON form. */
const RESPONSES: ReadonlyMap<string, { readonly number: number; readonly message: DescMessage }> = new Map(
  SubscribeResponseSchema.oneofs.flatMap(({ fields }) =>
    fields.flatMap(({ number, message }) => {
      const type = message && jsonTypeOf(message.typeName);
      return message === undefined || type === undefined ? [] : [[type, { number, message }] as const];
    }),
  ),
);

/** The codec of Subscribe: it reads SubscribeRequests and writes the bytes of SubscribeResponses. */
export function createSubscribeCodec(): Codec<Uint8Array, unknown> {
  return codecOf((frame) => {
    const document = decodeSole(SubscribeRequestSchema, frame);
    if (document !== undefined) return document;
    const names = SubscribeRequestSchema.fields.map(({ name }) => name).join(", ");
    const sentence = `This SubscribeRequest has no message that is known here: set one of ${names}.`;
    throw new Fault("invalid_message", sentence, { pointer: "" });
  });
}

/** The codec of Listen: it reads a ListenRequest, undefined if that contains no request, and writes the same bytes as the codec of Subscribe. */
export function createListenCodec(): Codec<Uint8Array, unknown> {
  return codecOf((frame) => decodeSole(ListenRequestSchema, frame));
}

function codecOf(decode: (frame: Uint8Array) => unknown): Codec<Uint8Array, unknown> {
  return {
    decode: (frame) => {
      assertMessage(frame);
      return decode(frame);
    },
    encode: encodeResponse,
    checkpoint: (cursor) => encodeResponse({ type: "aaepd.checkpoint", cursor }),
    format: EVENT_FORMAT,
  };
}

function encodeResponse(message: unknown): Uint8Array {
  const document = message as Document;
  const response = RESPONSES.get(String(document.type));
  if (response !== undefined) return encodeInField(response.number, response.message, document);
  const sentence = `A SubscribeResponse has no message for the type "${String(document.type)}".`;
  throw new Fault("internal", sentence, { origin: "local" });
}

const JSON_FIELD = AaepMessageSchema.field.json.number;
const TYPE_FIELD = AaepMessageSchema.field.messageType.number;

/** An event without additions keeps its agent's own text, byte for byte (AAEP §8.2.1). */
export function createAaepMessageCodec(utf8: Utf8): Codec<Uint8Array, unknown> {
  const json = createJsonCodec(utf8);
  return {
    decode: (frame) => {
      const { json: bytes, messageType } = messageOfFrame(frame);
      const document = json.decode(bytes);
      assertType(document, messageType);
      return document;
    },
    textOf: (frame) => textIn(frame, json),
    encode: (message) => encoded(json.encode(message), (message as { readonly type?: unknown }).type),
    checkpoint: (cursor) => encoded(json.checkpoint(cursor), "aaepd.checkpoint"),
    format: {
      encode: (event, source) => encoded(json.format.encode(event, source), event.type),
    },
  };
}

/** Undefined if `message_type` names another type than the text: the text is then not the message. */
function textIn(frame: ServiceMessage, json: Required<Codec<Uint8Array, unknown>>): string | undefined {
  try {
    const { json: bytes, messageType } = messageOfFrame(frame);
    const text = json.textOf(bytes);
    const isNamed = messageType !== "" && text !== undefined;
    return isNamed && claimsOfMessage(text).types.some((type) => type !== messageType) ? undefined : text;
  } catch {
    return undefined;
  }
}

function messageOfFrame(frame: ServiceMessage): AaepMessage {
  assertMessage(frame);
  assertFewFields(AaepMessageSchema, frame);
  try {
    return fromBinary(AaepMessageSchema, frame);
  } catch (cause) {
    const sentence =
      "These bytes are no aaep.v1.AaepMessage: send one, encoded in protobuf, with the message as JSON in its field `json`.";
    throw new Fault("invalid_message", sentence, { pointer: "", cause });
  }
}

/** `message_type` never replaces the `type` in the JSON. A different value is refused, because two readers could see two messages. */
function assertType(document: unknown, messageType: string): void {
  const { type = messageType } = membersOf(document);
  if (messageType === "" || type === messageType) return;
  const sentence = "`message_type` and the `type` in `json` differ: make them the same, or leave out `message_type`.";
  throw new Fault("invalid_message", sentence, { pointer: "/type", rule: "AAEP app. B.5" });
}

function encoded(json: Uint8Array, type: unknown): Uint8Array {
  const writer = new ByteWriter();
  writer.tag(JSON_FIELD, DELIMITED);
  writer.varint(json.length);
  writer.raw(json);
  if (typeof type === "string") {
    writer.tag(TYPE_FIELD, DELIMITED);
    writer.text(type);
  }
  return writer.finish();
}
