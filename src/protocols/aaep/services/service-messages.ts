// Reads the messages of calls of services as documents. A fault goes out as the typed detail of a status (R20).
import type { DescMessage } from "@bufbuild/protobuf";
import { AaepdErrorSchema } from "#gen/aaep/v1/handshake_pb.js";
import { Fault } from "../../../base/errors.js";
import type { DescribeFault, ServiceMessage } from "../../../contracts/service.js";
import type { Message } from "../json/message.js";
import { decodeDocument } from "../protobuf/decode.js";
import { encodeDocument } from "../protobuf/encode.js";
import { errorMessage } from "../subscriber/subscriber-messages.js";

/** An aaep.v1.AaepdError, with the members of `aaepd.error` in JSON. */
export const describeFault: DescribeFault = (fault) => ({
  typeName: AaepdErrorSchema.typeName,
  bytes: encodeDocument(AaepdErrorSchema, errorMessage(fault)),
});

/** Throws if the client's JSON is no message of the method. Called before a message is decoded. */
export function assertMessage({ fault }: ServiceMessage): void {
  if (fault !== undefined) throw fault;
}

/**
 * Returns the document of a call: its message of AAEP, and the members beside it. Pointers of faults are relative to the message of AAEP, as on a
 * stream.
 * @throws Fault "invalid_message", or "invalid_event" if it concerns an event; nothing else
 */
export function documentIn(descriptor: DescMessage, frame: ServiceMessage): Message {
  assertMessage(frame);
  try {
    return decodeDocument(descriptor, frame);
  } catch (caught) {
    const pointer = caught instanceof Fault ? caught.pointer : undefined;
    const [, field = ""] = pointer?.split("/") ?? [];
    const isWithin = descriptor.fields.some(({ name, message }) => name === field && message !== undefined);
    throw isWithin ? (caught as Fault).with({ pointer: pointer?.slice(field.length + 1) }) : caught;
  }
}
