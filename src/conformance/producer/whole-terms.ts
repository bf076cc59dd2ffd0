// The terms under which a subscription is owed every event of a session as it was made.
import { arrivedIn, type Conversation, type Message } from "../wire/conversation.js";

/**
 * No paragraph lets a producer merge or keep back an event under these terms: there is no rate (AAEP §5.3.1.1), no boundary but each event's own
 * (§5.3.1.6), and no type that is left out (§5.3.1.7). Questions come (§5.3.1.4), and so does what a lower load would spare (§5.3.1.10).
 */
export const WHOLE: Message = {
  supports_confirmation_reply: true,
  supports_clarification_reply: true,
  coalesce_boundaries: ["none"],
  event_filters: { include: ["*"], exclude: [] },
  cognitive_load: "high",
};

/** Whether a conversation asked for these terms alone, and the producer honors them. It has to name the boundaries: below level 3 it may merge. */
export function isWhole(conversation: Conversation): boolean {
  const terms = conversation.record.flatMap(({ way, message }) =>
    way === "sent" && message?.capabilities ? [message] : [],
  );
  const accepted = arrivedIn(conversation).find(({ message }) => message.type === "subscription.accepted");
  if (terms.length !== 1 || JSON.stringify(terms[0]?.capabilities) !== JSON.stringify(WHOLE)) return false;
  const honored = (accepted?.message.honored_capabilities ?? {}) as Message;
  if (honored.max_events_per_second !== undefined) return false;
  const differing = Object.entries(WHOLE).find(
    ([name, value]) => honored[name] !== undefined && JSON.stringify(honored[name]) !== JSON.stringify(value),
  );
  return differing === undefined && honored.coalesce_boundaries !== undefined;
}
