// Passes encoded messages through a library that expects message objects, and reads messages of clients that speak JSON.
import { create, type DescMessage, fromBinary, type Message, toBinary, toJsonString } from "@bufbuild/protobuf";
import { BinaryReader } from "@bufbuild/protobuf/wire";
import { EmptySchema } from "@bufbuild/protobuf/wkt";
import type { ServiceMessage } from "../../src/contracts/service.js";
import { WRITTEN, writtenMessage } from "./written-messages.js";

/**
 * How messages go through the library. `input` and `output` give the type that the library is told, for the real type. Bytes pass unchanged: in a
 * message without declared fields every field is unknown, and the library keeps unknown fields and writes them unchanged.
 */
export interface Passage {
  readonly input: (real: DescMessage) => DescMessage;
  readonly output: (real: DescMessage) => DescMessage;
  readonly bytesOf: (real: DescMessage, message: Message) => ServiceMessage;
  readonly messageOf: (real: DescMessage, bytes: Uint8Array) => Message;
}

/** A message without fields. */
const OPAQUE: DescMessage = EmptySchema;

/** For clients that speak protobuf. The library's reader would drop data that our own reader keeps (docs/protobuf.md), and costs twice as much. */
export const AS_BYTES: Passage = {
  input: () => OPAQUE,
  output: () => OPAQUE,
  bytesOf: (_, message) => toBinary(OPAQUE, message),
  messageOf: (_, bytes) => opaqueMessage(bytes),
};

/** For clients that speak JSON, by the rules of protobuf. Requests are read here; responses are written by the library. */
export const AS_JSON: Passage = {
  input: () => WRITTEN,
  output: (real) => real,
  bytesOf: writtenMessage,
  messageOf: (real, bytes) => fromBinary(real, bytes),
};

/**
 * Makes a message that is written as exactly `bytes`: its one unknown field has the first tag of the bytes, number and wire type, and the rest as its
 * data.
 */
function opaqueMessage(bytes: Uint8Array): Message {
  const message = create(OPAQUE);
  if (bytes.length === 0) return message;
  const reader = new BinaryReader(bytes);
  const [no, wireType] = reader.tag();
  message.$unknown = [{ no, wireType, data: bytes.subarray(reader.pos) }];
  return message;
}

const ENCODER = new TextEncoder();

/** The JSON of an encoded message, by the rules of protobuf, in UTF-8. */
export function jsonOf(type: DescMessage, bytes: Uint8Array): Uint8Array {
  return ENCODER.encode(toJsonString(type, fromBinary(type, bytes)));
}
