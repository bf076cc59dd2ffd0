// Answers a reply on transports with answers: that the reply counted, once that is durable. After a kill before that, it did not count (R19, R29).
import type { SubscriptionHandler } from "./subscription-handler.js";

/** Gives the reply and returns whether it counted. Throws or rejects with "storage_unavailable" if that cannot become durable. */
export function safeReply(handler: SubscriptionHandler, message: unknown, text?: string): boolean | Promise<boolean> {
  const counts = handler.reply(message, text);
  const durable = counts ? handler.whenDurable() : undefined;
  return durable === undefined ? counts : durable.then(() => counts);
}
