// Reads the claims of a message in the JSON of protobuf that cannot be taken, in every spelling of its fields.
import { SubscribeRequestSchema } from "#gen/aaep/v1/subscriber_service_pb.js";
import { eachMember, soleValue, textsOf } from "../../../base/json-members.js";
import { isJson, NO_CLAIMS, type ReadClaims, replyTokenIn } from "../json/claims.js";
import { jsonTypeOf } from "../protobuf/message-types.js";

const FIELDS = SubscribeRequestSchema.fields.map(({ name, jsonName, message }) => ({
  names: [name, jsonName],
  type: message && jsonTypeOf(message.typeName),
}));

/** Claims of a SubscribeRequest, whose fields imply the type. */
export const claimsOfRequest: ReadClaims = (text) => {
  if (!isJson(text)) return NO_CLAIMS;
  const fields = FIELDS.map(({ names, type }) => ({ type, texts: textsOf(text, ...names) }));
  return {
    types: fields.flatMap(({ type, texts }) => texts.map(() => type)),
    replyToken: replyTokenIn(
      fields.flatMap(({ texts }) => texts),
      "replyToken",
    ),
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
