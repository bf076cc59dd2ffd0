// Reads the messages of unary calls as documents.
import type { DescMessage } from "@bufbuild/protobuf";
import { Fault } from "../../../base/errors.js";
import type { ServiceMessage } from "../../../contracts/service.js";
import type { Message } from "../json/message.js";
import { decodeDocument } from "../protobuf/decode.js";

/** Throws if the client's JSON is no message of the method. Called before a message is decoded. */
export function assertMessage({ written }: ServiceMessage): void {
  if (written?.fault !== undefined) throw written.fault;
}

/** The memory of a message that waits: its bytes in protobuf, and the text that it came as. */
export function messageBytes({ length, written }: ServiceMessage): number {
  return length + (written?.text.length ?? 0);
}

/**
 * Returns the document of a call: its message of AAEP, and the members beside it. Pointers of faults are relative to the message of AAEP, as on a
 * stream.
 * @throws Fault "invalid_message"; nothing else
 */
export function documentIn(descriptor: DescMessage, frame: ServiceMessage): Message {
  assertMessage(frame);
  try {
    return decodeDocument(descriptor, frame);
  } catch (caught) {
    throw withinMessage(descriptor, caught);
  }
}

function withinMessage(descriptor: DescMessage, caught: unknown): unknown {
  if (!(caught instanceof Fault) || caught.pointer === undefined) return caught;
  const [, field = ""] = caught.pointer.split("/");
  if (descriptor.fields.find(({ name }) => name === field)?.message === undefined) return caught;
  return caught.with({ pointer: caught.pointer.slice(field.length + 1) });
}
