// Reads the claims of a message that cannot be taken, repeated members included: enough to stay silent about a reply (R19), and to carry out a close
// whose meaning is clear (R33).
import { soleValue, textsOf } from "../../../base/json-members.js";
import { scalarIn } from "../../../base/json-text.js";

export interface Claims {
  /** Every value of a member `type`; undefined for one that is no text, number or word of JSON. */
  readonly types: readonly unknown[];
  /** Token of a reply; "" if the message names none, or several. */
  readonly replyToken: string;
}

export const NO_CLAIMS: Claims = { types: [], replyToken: "" };

/** Claims of a message that contains its `type`. The text is JSON, or was never parsed because it is too large or nested too deep. */
export function claimsOfMessage(text: string): Claims {
  return { types: valuesOf(text, "type"), replyToken: replyTokenIn([text]) };
}

export interface CallClaims {
  /** Every value of a member `method`, as in `types`. */
  readonly methods: readonly unknown[];
  /** Every subscription that the params name. */
  readonly subscriptionIds: readonly unknown[];
  readonly replyToken: string;
}

/** Claims of a message of JSON-RPC, which need not be JSON: what is nested too deep was never parsed. */
export function claimsOfCall(text: string): CallClaims {
  const params = textsOf(text, "params");
  return {
    methods: valuesOf(text, "method"),
    subscriptionIds: params.flatMap((one) => valuesOf(one, "subscription_id")),
    replyToken: replyTokenIn(params),
  };
}

/** Whether a type is that of a reply. */
export function isReplyType(type: unknown): boolean {
  return type === "confirmation.reply" || type === "clarification.reply";
}

/** Whether every `type` of the message is that of a close. */
export function isClose({ types }: Claims): boolean {
  return types.length > 0 && types.every((type) => type === "subscription.close");
}

const LONGEST_TOKEN = 128;

/** The token that the replies name; "" if they name none, or several. */
function replyTokenIn(replies: readonly string[]): string {
  const token = soleValue(replies.flatMap((one) => textsOf(one, "reply_token")));
  return typeof token === "string" ? token.slice(0, LONGEST_TOKEN) : "";
}

function valuesOf(text: string, name: string): readonly unknown[] {
  return textsOf(text, name).map(scalarIn);
}
