// AAEP messages as protobuf on the streams of aaep.v1.SubscriberService.
import type { DescMessage } from "@bufbuild/protobuf";
import { EventSchema } from "#gen/aaep/v1/event_pb.js";
import {
  ListenRequestSchema,
  SubscribeRequestSchema,
  SubscribeResponseSchema,
} from "#gen/aaep/v1/subscriber_service_pb.js";
import { Fault } from "../../../base/errors.js";
import type { Codec } from "../../../contracts/codec.js";
import type { WireFormat } from "../../../engine/views/delivery.js";
import { decodeSole } from "../protobuf/decode.js";
import { type Document, encodeInField } from "../protobuf/encode.js";
import { jsonTypeOf } from "../protobuf/plan.js";
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
