// Passes encoded messages through a library that expects message objects, and reads messages of clients that speak JSON.
import {
  create,
  type DescMessage,
  fromBinary,
  fromJson,
  type JsonValue,
  type Message,
  toBinary,
  toJsonString,
} from "@bufbuild/protobuf";
import { BinaryReader } from "@bufbuild/protobuf/wire";
import { EmptySchema, type StringValue, StringValueSchema } from "@bufbuild/protobuf/wkt";
import { Fault, faultFrom } from "../../src/base/errors.js";
import { parseJsonDocument } from "../../src/base/json-document.js";
import { pointerStep } from "../../src/base/json-pointer.js";
import type { ServiceMessage } from "../../src/contracts/service.js";

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

/**
 * The type of every message in JSON, as the library is told. It decodes a message at once, by a parser that keeps the last of several equal names.
 * Therefore each message is one text to it, and the text is parsed here.
 */
const WRITTEN: DescMessage = StringValueSchema;

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

/** Most members and entries of a message. The library takes up to 10 µs for each, and no other peer is served meanwhile (R34). */
const MOST_VALUES = 8192;

const DECODER = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * For the library's `jsonOptions`: its `textDecoder` decodes the decompressed bytes of each message before they are parsed. This one returns the text
 * of the message as the JSON of a `WRITTEN`. Bytes that are no UTF-8 are refused, not repaired.
 */
export const TEXT_AS_MESSAGE: { readonly decode: (bytes: Uint8Array) => string } = {
  decode: (bytes) => JSON.stringify(DECODER.decode(bytes)),
};

/** Returns the bytes of the message in a `WRITTEN`; for an unreadable text none, and the fault. */
function writtenMessage(type: DescMessage, carrier: Message): ServiceMessage {
  const text = (carrier as StringValue).value;
  try {
    const document = parseJsonDocument(text, { mostValues: MOST_VALUES });
    assertOneSpelling(type, document, "");
    return toBinary(type, fromJson(type, document as JsonValue, STRICT));
  } catch (caught) {
    const isRefusal = caught instanceof Fault && caught.code !== "invalid_json";
    return Object.assign(new Uint8Array(0), { fault: isRefusal ? caught : unreadable(caught) });
  }
}

/** A misspelt field must not go unnoticed: it may have been a safeguard. */
const STRICT = { ignoreUnknownFields: false };

function unreadable(caught: unknown): Fault {
  const sentence = `The message cannot be read: ${faultFrom(caught).sentence}. Send what the descriptor of the method says.`;
  return new Fault("invalid_message", sentence, { pointer: "", cause: caught });
}

/**
 * Refuses a field written in both of its spellings, because readers could take either (R19). Messages nest no deeper than the document; the library
 * refuses members that are no fields.
 */
function assertOneSpelling(type: DescMessage, value: unknown, pointer: string): void {
  // In an open object, any two names are two members.
  const isOpen = type.typeName.startsWith("google.protobuf.");
  if (isOpen || typeof value !== "object" || value === null || Array.isArray(value)) return;
  const members = value as Readonly<Record<string, unknown>>;
  for (const field of type.fields) {
    const { name, jsonName, message } = field;
    const member = Object.hasOwn(members, name) ? name : jsonName;
    if (!Object.hasOwn(members, member)) continue;
    const place = `${pointer}/${pointerStep(member)}`;
    if (member !== jsonName && Object.hasOwn(members, jsonName)) {
      const sentence = `Write each field once; "${name}" and "${jsonName}" are the same one.`;
      throw new Fault("invalid_message", sentence, { pointer: place, rule: "R19" });
    }
    if (message === undefined) continue;
    const given = members[member];
    if (!Array.isArray(given)) assertOneSpelling(message, given, place);
    else for (const [index, item] of given.entries()) assertOneSpelling(message, item, `${place}/${index}`);
  }
}
