// The log of a listener of a rig, in the words of the oracle of places.
import { type Arrived, clientEvent } from "../oracles/place-facts.js";
import type { Listener, Place } from "./engine-rig.js";

/** Events and places in the order in which they came, of which `arrived` events arrived, and the places told by then. */
export function arrivedAt(
  { received, places }: Pick<Listener, "received" | "places">,
  arrived = received.length,
  last: readonly Place[] = [],
): Arrived[] {
  const items: Arrived[] = [];
  let from = 0;
  const take = (to: number): void => {
    for (const { event } of received.slice(from, to)) items.push(clientEvent(event));
    from = to;
  };
  for (const { received: to, cursor } of [...places, ...last]) {
    if (to > arrived) break;
    take(to);
    if (cursor !== undefined) items.push({ kind: "place", cursor });
  }
  take(arrived);
  return items;
}

/**
 * Closes a connection of which the last `lost` events did not arrive. Where everything arrives, a checkpoint or an answer does that tells the place
 * of now.
 */
export function leftWith({ subscription, received, places }: Listener, lost: number): readonly Arrived[] {
  const last = lost > 0 ? [] : [{ received: received.length, cursor: subscription.cursor() }];
  subscription.close();
  return arrivedAt({ received, places }, Math.max(0, received.length - lost), last);
}

/** The last place that arrived. */
export function lastCursor(items: readonly Arrived[]): string | undefined {
  return items.findLast((item) => item.kind === "place")?.cursor;
}
