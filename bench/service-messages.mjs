// Messages of the services as the benchmark makes and reads them: as bytes, so that no receiver decodes during a measurement.
import { create, createFileRegistry, toBinary } from "@bufbuild/protobuf";
import {
  DescriptorProtoSchema,
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  FieldDescriptorProtoSchema,
  FileDescriptorProtoSchema,
} from "@bufbuild/protobuf/wkt";
import { encodeDocument } from "../dist/src/protocols/aaep/protobuf/encode.js";
import { AaepMessageSchema } from "../gen/aaep/v1/aaep_service_pb.js";
import { EventSchema } from "../gen/aaep/v1/event_pb.js";
import { SubscriptionRequestSchema } from "../gen/aaep/v1/handshake_pb.js";
import { CORE, createEventTexts, subscriptionRequest, writeNumber } from "./events.mjs";

const { BYTES } = FieldDescriptorProto_Type;
const { OPTIONAL, REPEATED } = FieldDescriptorProto_Label;
/** Length of `event_id` before its number: `evt_` and a salt. */
const BEFORE_NUMBER = 4 + 22;
const DIGITS = 10;
const ID = Buffer.from("evt_");
const TYPE = Buffer.from("output.streaming");

const bytesField = (name, label) => create(FieldDescriptorProtoSchema, { name, number: 1, label, type: BYTES });
const message = (name, field) => create(DescriptorProtoSchema, { name, field: [field] });

/** The subscriber's service with its messages left as bytes; on the wire they are the same. */
const registry = createFileRegistry(
  create(FileDescriptorProtoSchema, {
    name: "bench/bytes.proto",
    package: "aaep.v1",
    syntax: "proto3",
    messageType: [
      message("BytesRequest", bytesField("request", OPTIONAL)),
      message("BytesResponse", bytesField("events", REPEATED)),
    ],
    service: [
      {
        name: "SubscriberService",
        method: [
          { name: "Listen", inputType: ".aaep.v1.BytesRequest", outputType: ".aaep.v1.BytesResponse" },
          { name: "Subscribe", inputType: ".aaep.v1.BytesRequest", outputType: ".aaep.v1.BytesResponse" },
        ].map((one) => ({ ...one, serverStreaming: true, clientStreaming: one.name === "Subscribe" })),
      },
    ],
  }),
  () => undefined,
);
export const BytesService = registry.getService("aaep.v1.SubscriberService");
const bytesRequest = registry.getMessage("aaep.v1.BytesRequest");
const bytesResponse = registry.getMessage("aaep.v1.BytesResponse");

/** The first message of a subscriber: with `json` in the form of the specification's appendix, else for the typed services. */
export function firstMessage(subscriberId, capabilities, { json }) {
  const document = subscriptionRequest(subscriberId, capabilities);
  if (json) return jsonMessage(JSON.stringify(document), document.type);
  return toBinary(bytesRequest, create(bytesRequest, { request: encodeDocument(SubscriptionRequestSchema, document) }));
}

/** `count` messages of one event each, as the services send them, with numbers from 0 on. */
export function eventMessages(count, { json }) {
  const text = createEventTexts().chunk(10_000);
  const template = Buffer.from(json ? jsonMessage(text, `${CORE}output.streaming`) : typedMessage(eventBytes(text)));
  const last = template.indexOf(ID) + BEFORE_NUMBER + DIGITS - 1;
  return Array.from({ length: count }, (_, number) => {
    const bytes = Buffer.from(template);
    writeNumber(bytes, last, number);
    return bytes;
  });
}

/** An event's JSON text as the bytes of its message. */
export function eventBytes(text) {
  return encodeDocument(EventSchema, JSON.parse(text));
}

function jsonMessage(json, messageType) {
  return toBinary(AaepMessageSchema, create(AaepMessageSchema, { json: Buffer.from(json), messageType }));
}

function typedMessage(event) {
  return toBinary(bytesResponse, create(bytesResponse, { events: [event] }));
}

/** The events in a message of either service, uncopied; none if it contains something else. */
export function eventsIn(message) {
  const events = [];
  let at = 0;
  // Field 1 in both, each time with its length.
  while (message[at] === 0x0a) {
    let size = 0;
    let shift = 0;
    let byte;
    do {
      at += 1;
      byte = message[at];
      size |= (byte & 0x7f) << shift;
      shift += 7;
    } while (byte > 0x7f);
    events.push(message.subarray(at + 1, at + 1 + size));
    at += 1 + size;
  }
  return events;
}

/** Reads the number of a counted event, in JSON or in protobuf, without decoding it; undefined for other events. */
export function createNumberReader() {
  const find = { type: finder(TYPE), id: finder(ID) };
  return (bytes) => {
    // An acceptance contains the type too, in its filters.
    const id = find.type(bytes) === -1 ? -1 : find.id(bytes);
    if (id === -1) return undefined;
    let number = 0;
    for (let digit = 0; digit < DIGITS; digit += 1) number = number * 10 + bytes[id + BEFORE_NUMBER + digit] - 0x30;
    return number;
  };
}

/** Searches first where the last search succeeded. */
function finder(needle) {
  let offset = 0;
  const stands = (bytes, at) => {
    for (let index = 0; index < needle.length; index += 1) if (bytes[at + index] !== needle[index]) return false;
    return true;
  };
  return (bytes) => {
    if (stands(bytes, offset)) return offset;
    const at = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).indexOf(needle);
    if (at !== -1) offset = at;
    return at;
  };
}
