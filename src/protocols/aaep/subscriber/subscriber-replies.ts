// Replies to questions, as the subscriber's handler hands them to the engine (R19, AAEP §6.3.4).
import { Fault } from "../../../base/errors.js";
import { membersOf } from "../../../base/members.js";
import type { ReplyAsItCame } from "../../../contracts/audit.js";
import type { Reply } from "../../../engine/questions/question-result.js";
import type { Subscription } from "../../../engine/subscriptions/subscription.js";
import { assertClarificationReply, assertConfirmationReply } from "../validation/validate-messages.js";

/** The reply in the form for the audit log. */
export function asItCame(message: unknown, text: string | undefined): unknown {
  return text === undefined ? message : ({ text, message } satisfies ReplyAsItCame);
}

/** Hands a reply over, and returns whether it counted. Throws a Fault for a malformed one. A reply counts over its own subscription only (R19). */
export function giveReply(message: unknown, engine: Subscription, raw: unknown): boolean {
  const { subscriptionId, ...reply } = replyIn(message);
  if (subscriptionId === engine.id) return engine.listener.reply(reply, raw);
  engine.listener.refusedReply("wrong_subscription", reply.token, raw);
  return false;
}

function replyIn(message: unknown): Reply & { readonly subscriptionId: string } {
  const { type } = membersOf(message);
  if (type === "confirmation.reply") {
    assertConfirmationReply(message);
    assertShallow(message.modified_action, DEEPEST_CHANGE);
    return {
      kind: "confirmation",
      subscriptionId: message.subscription_id,
      token: message.reply_token,
      timestamp: message.timestamp,
      decision: message.decision,
      decidedBy: message.decided_by,
      rationale: message.decision_rationale,
      modifiedAction: message.modified_action,
    };
  }
  if (type !== "clarification.reply") throw new Fault("invalid_message", "A reply has its type.", { pointer: "/type" });
  assertClarificationReply(message);
  return {
    kind: "clarification",
    subscriptionId: message.subscription_id,
    token: message.reply_token,
    timestamp: message.timestamp,
    response: message.response,
    decidedBy: message.decided_by,
    confidence: message.confidence,
  };
}

/** Levels of a changed action: its agent may read it in protobuf, whose libraries give up at 100 levels, and an object takes three. */
const DEEPEST_CHANGE = 24;

function assertShallow(value: unknown, levels: number): void {
  if (typeof value !== "object" || value === null) return;
  if (levels === 0) {
    const sentence = `Change the action by an object of at most ${DEEPEST_CHANGE} levels.`;
    throw new Fault("invalid_message", sentence, { pointer: "/modified_action", rule: "AAEP §6.3" });
  }
  for (const item of Object.values(value)) assertShallow(item, levels - 1);
}

/** Returns the token of a malformed reply, for the log. */
export function tokenIn(message: unknown): string {
  const { reply_token: token } = membersOf(message);
  return typeof token === "string" ? token.slice(0, 128) : "";
}
