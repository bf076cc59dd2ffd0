// Documents as messages of the library, as clients have them, and back; by way of the bytes, which is all that the daemon converts.
import { type DescMessage, fromBinary, type Message, type MessageShape, toBinary } from "@bufbuild/protobuf";
import { Fault } from "../../src/base/errors.js";
import { decodeDocument } from "../../src/protocols/aaep/protobuf/decode.js";
import { type Document, encodeDocument } from "../../src/protocols/aaep/protobuf/encode.js";

/** A Value within a Struct takes two levels of the message for one of the document. */
const MESSAGE_LEVELS = 256;

/**
 * The document as a message. Bytes hold two things that the library's messages lose: a member called `__proto__` within a Struct, and, unless the
 * platform's decoder was told otherwise, U+FEFF at the beginning of a text; `encodeDocument` keeps them, and costs less.
 * @throws Fault as `encodeDocument` does
 */
export function messageOf<Desc extends DescMessage>(descriptor: Desc, document: Document): MessageShape<Desc> {
  return fromBinary(descriptor, encodeDocument(descriptor, document), { recursionLimit: MESSAGE_LEVELS });
}

/**
 * The document that a message holds.
 * @throws Fault "invalid_message", or "invalid_event" where it is about an event; nothing else
 */
export function documentOf(descriptor: DescMessage, message: Message): Record<string, unknown> {
  return decodeDocument(descriptor, bytesOf(descriptor, message));
}

function bytesOf(descriptor: DescMessage, message: Message): Uint8Array {
  try {
    return toBinary(descriptor, message);
  } catch (caught) {
    // Fields of the wrong type, and nesting beyond what the stack holds.
    const sentence = `This is no ${descriptor.typeName}, or it is nested too deeply: make it with the messages of aaep.v1, and make it flatter.`;
    throw new Fault("invalid_message", sentence, { pointer: "", cause: caught });
  }
}
