// Encoded messages for a library that wants messages, and for clients that want JSON.
import { create, type DescMessage, fromBinary, type Message, toJsonString } from "@bufbuild/protobuf";
import { BinaryReader } from "@bufbuild/protobuf/wire";

const ENCODER = new TextEncoder();

/**
 * A message that is written as exactly `bytes`. What a message does not know is written after its fields as it was read, number and wire type first;
 * so a message without any fields, whose one unknown field has the first tag of `bytes` and all the rest as its data, is `bytes` again.
 */
export function opaqueMessage(type: DescMessage, bytes: Uint8Array): Message {
  const message = create(type);
  if (bytes.length === 0) return message;
  const reader = new BinaryReader(bytes);
  const [no, wireType] = reader.tag();
  message.$unknown = [{ no, wireType, data: bytes.subarray(reader.pos) }];
  return message;
}

/** The JSON of an encoded message, by the rules of protobuf, in UTF-8. */
export function jsonOf(type: DescMessage, bytes: Uint8Array): Uint8Array {
  return ENCODER.encode(toJsonString(type, fromBinary(type, bytes)));
}
