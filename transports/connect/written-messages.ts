// Messages of clients that speak the JSON of protobuf. The library decodes a message as soon as it has it, by a parser that keeps the last of several
// equal names; so it is told that a message is one text, and what the text says is read here.
import { type DescMessage, fromJson, type JsonValue, type Message, toBinary } from "@bufbuild/protobuf";
import { type StringValue, StringValueSchema } from "@bufbuild/protobuf/wkt";
import { Fault, faultFrom } from "../../src/base/errors.js";
import { parseJsonDocument } from "../../src/base/json-document.js";
import { pointerStep } from "../../src/base/json-pointer.js";
import type { ServiceMessage } from "../../src/contracts/service.js";

/** What the library is told that every message in JSON is. */
export const WRITTEN: DescMessage = StringValueSchema;

const DECODER = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * For the library's `jsonOptions`, whose `textDecoder` makes text of the bytes of each message, decompressed, before they are parsed: the text of a
 * message as the JSON of a `WRITTEN`. What is no UTF-8 is refused, and not repaired.
 */
export const TEXT_AS_MESSAGE: { readonly decode: (bytes: Uint8Array) => string } = {
  decode: (bytes) => JSON.stringify(DECODER.decode(bytes)),
};

/** The bytes of the message that a `WRITTEN` is the text of, with that text; where it is none, no bytes and the fault. */
export function writtenMessage(type: DescMessage, carrier: Message): ServiceMessage {
  const text = (carrier as StringValue).value;
  try {
    const document = parseJsonDocument(text);
    assertOneSpelling(type, document, "");
    const bytes = toBinary(type, fromJson(type, document as JsonValue, STRICT));
    return Object.assign(bytes, { written: { text } });
  } catch (caught) {
    const isRefusal = caught instanceof Fault && caught.code !== "invalid_json";
    const fault = isRefusal ? caught : unreadable(caught);
    return Object.assign(new Uint8Array(0), { written: { text, fault } });
  }
}

/** What is misspelt must not go unnoticed: it may have been a safeguard. */
const STRICT = { ignoreUnknownFields: false };

function unreadable(caught: unknown): Fault {
  const sentence = `The message cannot be read: ${faultFrom(caught).sentence}. Send what the descriptor of the method says.`;
  return new Fault("invalid_message", sentence, { pointer: "", cause: caught });
}

/**
 * Refuses a field that is written in both of its spellings, of which readers could take either (R19). Messages nest no deeper than the document, and
 * what is no field is for the library to refuse.
 */
function assertOneSpelling(type: DescMessage, value: unknown, pointer: string): void {
  // In an open object any two names are two members.
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
