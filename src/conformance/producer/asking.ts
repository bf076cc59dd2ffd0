// Questions as cases hear and answer them.
import type { Millis } from "../../contracts/clock.js";
import { skip } from "../findings/verdicts.js";
import type { Message, Recorded } from "../wire/conversation.js";
import { isTerminal } from "./hearing.js";
import { isType, PATIENCE_MS, type Subscription } from "./stage.js";

/** Terms of a subscriber that answers. */
export const ANSWERS = { supports_confirmation_reply: true, supports_clarification_reply: true };

/** Waits for a question of the session. Skips the case if none comes. */
export async function questionIn(
  { conversation }: Subscription,
  sessionId: string,
  kind: "confirmation" | "clarification",
  from = 0,
): Promise<Recorded & { readonly message: Message }> {
  const asked = await conversation.seek(
    (message) => isType(message, `awaiting.${kind}`) && message.session_id === sessionId,
    PATIENCE_MS,
    from,
  );
  if (asked?.message === undefined) skip(`No ${kind} was asked for in the session.`);
  return { ...asked, message: asked.message };
}

/** A reply to a question, as AAEP §6.3.1 has it. `more` replaces members. */
export function confirmationReply(to: Subscription, question: Message, decision: string, more: Message = {}): Message {
  return {
    type: "confirmation.reply",
    reply_token: question.reply_token,
    decision,
    subscription_id: to.id,
    timestamp: new Date().toISOString(),
    decided_by: "user",
    ...more,
  };
}

export function clarificationReply(to: Subscription, question: Message, response: unknown): Message {
  return {
    type: "clarification.reply",
    reply_token: question.reply_token,
    response,
    subscription_id: to.id,
    timestamp: new Date().toISOString(),
    decided_by: "user",
  };
}

/**
 * Whether an event shows that the producer is blocked no longer: a state other than awaiting_input, the call of a tool, or the end of the session.
 * Text and progress may be of work that goes on meanwhile (AAEP §6.1).
 */
export function showsResolution(message: Message): boolean {
  if (isType(message, "state.changed"))
    return message.to_state !== "awaiting_input" || message.from_state === "awaiting_input";
  return isType(message, "tool.invoked") || isTerminal(message);
}

/** Waits for the resolution of a question; undefined: none came in time. */
export function resolutionAfter(
  { conversation }: Subscription,
  sessionId: string,
  from: number,
  withinMs: Millis,
): Promise<Recorded | undefined> {
  return conversation.seek((message) => message.session_id === sessionId && showsResolution(message), withinMs, from);
}
