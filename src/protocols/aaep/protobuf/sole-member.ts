// Reads messages that carry one of several others, such as SubscribeRequest.
import type { DescMessage } from "@bufbuild/protobuf";
import { Fault } from "../../../base/errors.js";
import { DELIMITED } from "./byte-writer.js";
import { decodeDocument } from "./decode.js";
import { jsonTypeOf } from "./message-types.js";
import { assertEnd, assertWire, endOfPart, readingOf, refusal, skipUnknown } from "./reading.js";

/**
 * Returns the document in a message whose fields are all messages, of which at most one is set; undefined if none is. Unknown fields are ignored.
 * @throws Fault "invalid_message", or "invalid_event" if it concerns an event; nothing else
 */
export function soleMember(descriptor: DescMessage, bytes: Uint8Array): Record<string, unknown> | undefined {
  let found: { readonly message: DescMessage; readonly bytes: Uint8Array } | undefined;
  const reading = readingOf(bytes);
  const { reader } = reading;
  try {
    while (reader.pos < bytes.length) {
      const [number, wireType] = reader.tag();
      const message = descriptor.fields.find((field) => field.number === number)?.message;
      if (message === undefined) {
        skipUnknown(reading, number, wireType, bytes.length);
        continue;
      }
      assertWire(reading, wireType, DELIMITED);
      if (found !== undefined)
        throw refusal(reading, `An ${descriptor.typeName} carries one message; this one has several.`);
      const end = endOfPart(reading, bytes.length);
      found = { message, bytes: bytes.subarray(reader.pos, end) };
      reader.pos = end;
    }
    assertEnd(reading, bytes.length);
  } catch (caught) {
    throw caught instanceof Fault ? caught : notThis(descriptor, caught);
  }
  return found && withOwnType(found.message, decodeDocument(found.message, found.bytes));
}

/** The field implies the type of its message. A different `type` in `additional` is refused, because the message could be read as either. */
function withOwnType({ typeName }: DescMessage, document: Record<string, unknown>): Record<string, unknown> {
  const type = jsonTypeOf(typeName);
  if (document.type === type) return document;
  const sentence = `This message is a ${type}, and the \`type\` in its \`additional\` says otherwise; leave it out.`;
  throw new Fault("invalid_message", sentence, { pointer: "/type" });
}

function notThis({ typeName }: DescMessage, cause: unknown): Fault {
  const sentence = `These bytes are no ${typeName}: send one, encoded in protobuf.`;
  return new Fault("invalid_message", sentence, { pointer: "", cause });
}
