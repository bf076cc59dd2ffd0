// Reads the messages of calls of services as documents, and the claims of messages in the JSON of protobuf that cannot be taken, in every spelling of
// their fields (R19, R33). A fault goes out as the typed detail of a status (R20).
import type { DescMessage } from "@bufbuild/protobuf";
import { AaepdErrorSchema } from "#gen/aaep/v1/handshake_pb.js";
import { SubscribeRequestSchema } from "#gen/aaep/v1/subscriber_service_pb.js";
import { Fault } from "../../../base/errors.js";
import { eachMember, soleValue, textsOf } from "../../../base/json-members.js";
import type { DescribeFault, ServiceMessage } from "../../../contracts/service.js";
import { isJson, NO_CLAIMS, type ReadClaims, replyTokenIn } from "../json/claims.js";
import type { Message } from "../json/message.js";
import { decodeDocument } from "../protobuf/decode.js";
import { encodeDocument } from "../protobuf/encode.js";
import { jsonTypeOf } from "../protobuf/plan.js";
import { errorMessage } from "../subscriber/subscriber-messages.js";

/** An aaep.v1.AaepdError, with the members of `aaepd.error` in JSON. */
export const describeFault: DescribeFault = (fault) => ({
  typeName: AaepdErrorSchema.typeName,
  bytes: encodeDocument(AaepdErrorSchema, errorMessage(fault)),
});

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

const REQUEST_FIELDS = SubscribeRequestSchema.fields.map(({ name, jsonName, message }) => ({
  names: [name, jsonName],
  type: message && jsonTypeOf(message.typeName),
}));

/** Claims of a SubscribeRequest, whose fields imply the type. */
export const claimsOfRequest: ReadClaims = (text) => {
  if (!isJson(text)) return NO_CLAIMS;
  const fields = REQUEST_FIELDS.map(({ names, type }) => ({ type, texts: textsOf(text, ...names) }));
  const messages = fields.flatMap(({ texts }) => texts);
  return {
    types: fields.flatMap(({ type, texts }) => texts.map(() => type)),
    replyToken: replyTokenIn(messages, "replyToken"),
  };
};

export interface KeyedClaims {
  /** Undefined if the message names none, or several. */
  readonly subscriptionId: unknown;
  readonly key: unknown;
  readonly replyToken: string;
}

/** Claims of a call with a key. `fields`: names of the field with its message. */
export function claimsOfKeyed(text: string, ...fields: readonly string[]): KeyedClaims {
  if (!isJson(text)) return { subscriptionId: undefined, key: undefined, replyToken: "" };
  const messages = textsOf(text, ...fields);
  return {
    subscriptionId: soleValue(messages.flatMap((one) => textsOf(one, "subscription_id", "subscriptionId"))),
    key: soleValue(textsOf(text, "key")),
    replyToken: replyTokenIn(messages, "replyToken"),
  };
}

/** Replaces the key in the text of a call: it is a secret, and must not be written down. */
export function withoutKey(text: string): string {
  const pieces: string[] = [];
  let from = 0;
  eachMember(text, (name, start, end) => {
    if (name === "key") {
      pieces.push(text.slice(from, start), '"…"');
      from = end;
    }
    return "go on";
  });
  pieces.push(text.slice(from));
  return pieces.join("");
}

/** Returns the id of an agent's request; "" if it has none, or several. */
export function requestIdOf(text: string): string {
  const id = isJson(text) ? soleValue(textsOf(text, "request_id", "requestId")) : undefined;
  return typeof id === "string" ? id : "";
}
