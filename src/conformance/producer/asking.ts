// Questions as cases hear and answer them.

import type { Millis } from "../../contracts/clock.js";
import { skip } from "../findings/verdicts.js";
import type { Arrived, Message } from "../wire/conversation.js";
import { wordsOf } from "../wire/message-text.js";
import { isTerminal } from "./hearing.js";
import { seekIn } from "./session-on.js";
import { isType, type Subscription } from "./stage.js";

/** Terms of a subscriber that answers. */
export const ANSWERS = { supports_confirmation_reply: true, supports_clarification_reply: true };

/** Waits for a question of the session. Skips the case if none comes. */
export async function questionIn(
  { conversation }: Subscription,
  sessionId: string,
  kind: "confirmation" | "clarification",
  from = 0,
): Promise<Arrived> {
  const asked = await conversation.seek(
    (message) => isType(message, `awaiting.${kind}`) && message.session_id === sessionId,
    { from },
  );
  return asked ?? skip(`No ${kind} was asked for in the session.`);
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

/** The same for a clarification (AAEP §6.5.1). */
export function clarificationReply(
  to: Subscription,
  question: Message,
  response: unknown,
  more: Message = {},
): Message {
  return {
    type: "clarification.reply",
    reply_token: question.reply_token,
    response,
    subscription_id: to.id,
    timestamp: new Date().toISOString(),
    decided_by: "user",
    ...more,
  };
}

/** The end of a question's time by its own words, ms since 1970. Skips the case if they cannot be read. */
export function deadlineOf({ timestamp, timeout_seconds: seconds }: Message): number {
  const deadline = Date.parse(wordsOf(timestamp)) + Number(wordsOf(seconds)) * 1000;
  return Number.isNaN(new Date(deadline).getTime())
    ? skip("The question has no timestamp or no timeout that can be read.")
    : deadline;
}

/**
 * Whether an event proves that a question is open no longer: the state awaiting_input is left, the action is taken, or the session is over. Work that
 * does not depend on the answer may go on meanwhile (AAEP §6.1(3)), so no other event proves it.
 */
export function provesResolution(message: Message): boolean {
  const leaves = message.from_state === "awaiting_input" && message.to_state !== "awaiting_input";
  return (isType(message, "state.changed") && leaves) || isIrreversibleCall(message) || isTerminal(message);
}

/** Whether an event may tell how a question ended: a producer may name another state that it comes from, or go straight on to a tool. */
function maySayHow(message: Message): boolean {
  if (isType(message, "state.changed")) return message.to_state !== "awaiting_input" || provesResolution(message);
  return isType(message, "tool.invoked") || isTerminal(message);
}

export function isIrreversibleCall(message: Message): boolean {
  return isType(message, "tool.invoked") && message.irreversible === true;
}

/** Waits for a proof that a question is open no longer; undefined: none came in time. */
export function proofAfter(
  listener: Subscription,
  sessionId: string,
  from: number,
  withinMs?: Millis,
): Promise<Arrived | undefined> {
  return seekIn(listener, sessionId, provesResolution, { from, withinMs });
}

/** Waits for an event that may tell how a question ended; undefined: none came in time. */
export function resolutionAfter(
  listener: Subscription,
  sessionId: string,
  from: number,
  withinMs?: Millis,
): Promise<Arrived | undefined> {
  return seekIn(listener, sessionId, maySayHow, { from, withinMs });
}
