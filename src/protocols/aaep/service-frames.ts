// Messages of calls that are answered once, as documents, whichever way a transport hands them over.
import { type DescMessage, fromBinary, isMessage, type MessageShape } from "@bufbuild/protobuf";
import { Fault } from "../../base/errors.js";
import type { ServiceFrame } from "../../contracts/service.js";
import { decodeDocument } from "./protobuf/decode.js";
import { documentOf } from "./protobuf/documents.js";
import type { Message } from "./subscription-desk.js";

/**
 * What a call says: the message of AAEP that it carries, and the members beside it. Pointers of faults are those of the message of AAEP, as on a
 * stream.
 * @throws Fault "invalid_message"; nothing else
 */
export function documentIn(descriptor: DescMessage, frame: ServiceFrame): Message {
  try {
    if (frame instanceof Uint8Array) return decodeDocument(descriptor, frame);
    if (isMessage(frame, descriptor)) return documentOf(descriptor, frame);
  } catch (caught) {
    throw withinMessage(descriptor, caught);
  }
  throw new Fault("invalid_message", `This is no ${descriptor.typeName}: send one.`, { pointer: "" });
}

function withinMessage(descriptor: DescMessage, caught: unknown): unknown {
  if (!(caught instanceof Fault) || caught.pointer === undefined) return caught;
  const [, field = ""] = caught.pointer.split("/");
  if (descriptor.fields.find(({ name }) => name === field)?.message === undefined) return caught;
  const { code, sentence, pointer, rule, cause } = caught;
  return new Fault(code, sentence, {
    pointer: pointer.slice(field.length + 1),
    ...(rule === undefined ? {} : { rule }),
    cause,
  });
}

/** The message that a frame is, decoded unless its transport did that. Throws "invalid_message"; nothing else. */
export function messageIn<Descriptor extends DescMessage>(
  descriptor: Descriptor,
  frame: ServiceFrame,
): MessageShape<Descriptor> {
  if (!(frame instanceof Uint8Array)) {
    if (isMessage(frame, descriptor)) return frame;
    throw new Fault("invalid_message", `This is no ${descriptor.typeName}: send one.`, { pointer: "" });
  }
  try {
    return fromBinary(descriptor, frame);
  } catch (caught) {
    const sentence = `These bytes are no ${descriptor.typeName}; encode it as its proto file says.`;
    throw new Fault("invalid_message", sentence, { pointer: "", cause: caught });
  }
}
