// How cases change the terms of a subscription.
import { fail } from "../../findings/verdicts.js";
import type { Message } from "../../wire/conversation.js";
import { answerIn, evidenceOf, type Subscription } from "../stage.js";

/** Renegotiates. Fails the case if the answer is not subscription.accepted. Returns the honored terms, and the place behind the answer. */
export async function renegotiate(
  { conversation, id }: Subscription,
  capabilities: Message,
): Promise<{ readonly honored: Message; readonly after: number; readonly accepted: Message }> {
  const from = conversation.record.length;
  conversation.say({ type: "subscription.renegotiate", subscription_id: id, capabilities });
  const { message, text, place } = await answerIn(conversation, from);
  if (message?.type !== "subscription.accepted")
    return fail("A renegotiation is accepted.", "It is answered by something else.", [
      evidenceOf(conversation.record[from]),
      { note: "received", text },
    ]);
  return { honored: (message.honored_capabilities ?? {}) as Message, after: place + 1, accepted: message };
}
