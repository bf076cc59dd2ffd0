// Replies to questions, as the subscriber's handler hands them to the engine (R19, AAEP §6.3.4).
import { Fault } from "../../../base/errors.js";
import type { ReplyAsItCame } from "../../../contracts/audit.js";
import type { Subscription } from "../../../engine/subscriptions/subscription.js";
import { isReplyType } from "../json/claims.js";
import { assertClarificationReply, assertConfirmationReply } from "../validation/validate-messages.js";

/** The reply in the form for the audit log. */
export function asItCame(message: unknown, text: string | undefined): unknown {
  return text === undefined ? message : ({ text, message } satisfies ReplyAsItCame);
}

export function giveReply(message: unknown, engine: Subscription, raw: unknown): boolean {
  const type = typeof message === "object" && message !== null && "type" in message ? message.type : undefined;
  if (!isReplyType(type)) throw new Fault("invalid_message", "A reply has its type.", { pointer: "/type" });
  if (type === "confirmation.reply") {
    assertConfirmationReply(message);
    if (message.subscription_id !== engine.id) return refuseStray(message, engine, raw);
    const { reply_token: token, timestamp, decision, decided_by, decision_rationale, modified_action } = message;
    return engine.listener.reply(
      {
        kind: "confirmation",
        token,
        timestamp,
        decision,
        decidedBy: decided_by,
        rationale: decision_rationale,
        modifiedAction: modified_action,
      },
      raw,
    );
  }
  assertClarificationReply(message);
  if (message.subscription_id !== engine.id) return refuseStray(message, engine, raw);
  const { reply_token: token, timestamp, response, decided_by, confidence } = message;
  return engine.listener.reply(
    { kind: "clarification", token, timestamp, response, decidedBy: decided_by, confidence },
    raw,
  );
}

/** Refuses a reply for another subscription or none: a reply counts over its own subscription only (R19). */
function refuseStray(message: { readonly reply_token: string }, engine: Subscription, raw: unknown): false {
  engine.listener.refusedReply("wrong_subscription", message.reply_token, raw);
  return false;
}

/** Returns the token of a malformed reply, for the log. */
export function tokenIn(message: unknown): string {
  const token = typeof message === "object" && message !== null && "reply_token" in message ? message.reply_token : "";
  return typeof token === "string" ? token.slice(0, 128) : "";
}
