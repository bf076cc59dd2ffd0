// Messages of calls that are answered once, as documents.
import type { DescMessage } from "@bufbuild/protobuf";
import { Fault } from "../../../base/errors.js";
import type { ServiceMessage } from "../../../contracts/service.js";
import type { Message } from "../json/message.js";
import { decodeDocument } from "../protobuf/decode.js";

/** Throws where its client wrote what is no message of the method. Whoever decodes a message asks this first. */
export function assertMessage({ written }: ServiceMessage): void {
  if (written?.fault !== undefined) throw written.fault;
}

/**
 * What a call says: the message of AAEP that it carries, and the members beside it. Pointers of faults are those of the message of AAEP, as on a
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
