// What whoever replied is told, where the transport answers: that a reply counted, once that is safe; after a kill before that it did not (R19, R29).
import type { SubscriptionHandler } from "./subscription-handler.js";

/** Gives the reply, and answers whether it counted. Throws and rejects with "storage_unavailable" where that cannot be made safe. */
export function safeReply(handler: SubscriptionHandler, message: unknown, text?: string): boolean | Promise<boolean> {
  const counts = handler.reply(message, text);
  const durable = counts ? handler.subscription?.whenDurable() : undefined;
  return durable === undefined ? counts : durable.then(() => counts);
}
