import type { Subscription } from "../../src/engine/subscriptions/subscription.js";
import type { Delivery } from "../../src/engine/views/delivery.js";

/** Everything that a subscription is handed at its end, where its journal answers at once. */
export function drained(subscription: Pick<Subscription, "drain">): readonly Delivery[] {
  const deliveries: Delivery[] = [];
  for (let next = subscription.drain(); next.kind !== "done"; next = subscription.drain())
    if (next.kind === "batch") deliveries.push(...next.batch.deliveries);
  return deliveries;
}
