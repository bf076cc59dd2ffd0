// Encoded messages for a library that wants messages, and messages of clients that speak JSON.
import { create, type DescMessage, fromBinary, type Message, toBinary, toJsonString } from "@bufbuild/protobuf";
import { BinaryReader } from "@bufbuild/protobuf/wire";
import { EmptySchema } from "@bufbuild/protobuf/wkt";
import type { ServiceMessage } from "../../src/contracts/service.js";
import { WRITTEN, writtenMessage } from "./written-messages.js";

/**
 * How messages go through the library. `input` and `output` are what it is told that they are, given what they really are. Bytes go through as they
 * are: to a message without fields everything is unknown, and what is unknown is kept as it was read and written as it was kept.
 */
export interface Passage {
  readonly input: (real: DescMessage) => DescMessage;
  readonly output: (real: DescMessage) => DescMessage;
  readonly bytesOf: (real: DescMessage, message: Message) => ServiceMessage;
  readonly messageOf: (real: DescMessage, bytes: Uint8Array) => Message;
}

/** A message without fields. */
const OPAQUE: DescMessage = EmptySchema;

/** Of clients that speak protobuf. The library's reader would lose what a reader of its own need not (docs/protobuf.md), and costs twice as much. */
export const AS_BYTES: Passage = {
  input: () => OPAQUE,
  output: () => OPAQUE,
  bytesOf: (_, message) => toBinary(OPAQUE, message),
  messageOf: (_, bytes) => opaqueMessage(bytes),
};

/** Of clients that speak JSON, by the rules of protobuf. What they send is read here, and what they are sent is written by the library. */
export const AS_JSON: Passage = {
  input: () => WRITTEN,
  output: (real) => real,
  bytesOf: writtenMessage,
  messageOf: (real, bytes) => fromBinary(real, bytes),
};

/**
 * A message that is written as exactly `bytes`: its one unknown field has the first tag of them, number and wire type, and all the rest as its data.
 */
export function opaqueMessage(bytes: Uint8Array): Message {
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
