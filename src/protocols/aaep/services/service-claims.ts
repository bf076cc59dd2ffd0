// What a message in the JSON of protobuf says of itself where it cannot be taken, in every spelling of its fields.
import { SubscribeRequestSchema } from "#gen/aaep/v1/subscriber_service_pb.js";
import { membersOf, soleValue, textsOf } from "../../../base/json-members.js";
import { isJson, NO_CLAIMS, type ReadClaims, replyTokenIn } from "../json/claims.js";
import { jsonTypeOf } from "../protobuf/message-types.js";

const FIELDS = SubscribeRequestSchema.fields.map(({ name, jsonName, message }) => ({
  names: [name, jsonName],
  type: message && jsonTypeOf(message.typeName),
}));

/** Of a SubscribeRequest, whose fields say the type. */
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
  /** Undefined where none is named, or several are. */
  readonly subscriptionId: unknown;
  readonly key: unknown;
  readonly replyToken: string;
}

/** Of a call that shows a key. `fields`: under which its message stands. */
export function claimsOfKeyed(text: string, ...fields: readonly string[]): KeyedClaims {
  if (!isJson(text)) return { subscriptionId: undefined, key: undefined, replyToken: "" };
  const messages = textsOf(text, ...fields);
  return {
    subscriptionId: soleValue(messages.flatMap((one) => textsOf(one, "subscription_id", "subscriptionId"))),
    key: soleValue(textsOf(text, "key")),
    replyToken: replyTokenIn(messages, "replyToken"),
  };
}

/** A call as it came, but for the key that it shows: that is a secret, and what is written down is no place for it. */
export function withoutKey(text: string): string {
  const pieces: string[] = [];
  let from = 0;
  for (const { name, start, end } of membersOf(text)) {
    if (name !== "key") continue;
    pieces.push(text.slice(from, start), '"…"');
    from = end;
  }
  pieces.push(text.slice(from));
  return pieces.join("");
}

/** The id of a request of an agent; "" where it has none, or several. */
export function requestIdOf(text: string): string {
  const id = isJson(text) ? soleValue(textsOf(text, "request_id", "requestId")) : undefined;
  return typeof id === "string" ? id : "";
}
