// What a message that cannot be taken says of itself, as often as it says it: enough to keep silent about a reply (R19), and to end what a close
// clearly means (R33).
import { soleValue, textsOf } from "../../../base/json-members.js";

export interface Claims {
  /** Whatever stands as its `type`. */
  readonly types: readonly unknown[];
  /** Of a reply; "" where it names none, or several. */
  readonly replyToken: string;
}

/** Of a text that may be anything. */
export type ReadClaims = (text: string) => Claims;

export const NO_CLAIMS: Claims = { types: [], replyToken: "" };

/** Of a message whose `type` stands in it. */
export const claimsOfMessage: ReadClaims = (text) => {
  if (!isJson(text)) return NO_CLAIMS;
  return { types: valuesOf(text, "type"), replyToken: replyTokenIn([text]) };
};

export interface CallClaims {
  /** Whatever stands as its `method`. */
  readonly methods: readonly unknown[];
  /** Whatever its params name as their subscription. */
  readonly subscriptionIds: readonly unknown[];
  readonly replyToken: string;
}

/** Of a message of JSON-RPC that a parser has accepted. */
export function claimsOfCall(text: string): CallClaims {
  const params = textsOf(text, "params");
  return {
    methods: valuesOf(text, "method"),
    subscriptionIds: params.flatMap((one) => valuesOf(one, "subscription_id")),
    replyToken: replyTokenIn(params),
  };
}

/** Whether a type is a reply's. */
export function isReplyType(type: unknown): boolean {
  return type === "confirmation.reply" || type === "clarification.reply";
}

/** Whether a message clearly is one to close. */
export function isClose({ types }: Claims): boolean {
  return types.length > 0 && types.every((type) => type === "subscription.close");
}

const LONGEST_TOKEN = 128;

/** The token that replies name; "" where they name none, or several. */
export function replyTokenIn(replies: readonly string[], ...names: readonly string[]): string {
  const token = soleValue(replies.flatMap((one) => textsOf(one, "reply_token", ...names)));
  return typeof token === "string" ? token.slice(0, LONGEST_TOKEN) : "";
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function valuesOf(text: string, name: string): readonly unknown[] {
  return textsOf(text, name).map((value): unknown => JSON.parse(value));
}
