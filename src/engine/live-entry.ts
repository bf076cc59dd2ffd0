// A journaled event on its way out: what all views and subscriptions share of the work on it.

import { createDelivery, type Delivery } from "./delivery.js";
import type { AgentEvent, JournaledEvent } from "./event.js";
import { isCritical } from "./event.js";

/** One (verbosity, language chain), interned: equal shapes are the same object (R14). */
export interface InternedShape {
  readonly key: string;
  readonly apply: (event: AgentEvent) => AgentEvent;
}

export interface LiveEntry {
  readonly entry: JournaledEvent;
  readonly critical: boolean;
  /** The event in a shape; made once a shape, and once in all where the shape changes nothing. */
  readonly deliveryIn: (shape: InternedShape) => Delivery;
}

export function createLiveEntry(entry: JournaledEvent): LiveEntry {
  const { event } = entry;
  let plain: Delivery | undefined;
  let lastShape: InternedShape | undefined;
  let lastDelivery: Delivery | undefined;
  let others: Map<InternedShape, Delivery> | undefined;
  const render = (shape: InternedShape): Delivery => {
    const shaped = shape.apply(event);
    if (shaped !== event) return createDelivery(shaped, entry.epoch, undefined);
    plain ??= createDelivery(event, entry.epoch, entry.source);
    return plain;
  };
  return {
    entry,
    critical: isCritical(entry),
    deliveryIn: (shape) => {
      if (lastShape === shape && lastDelivery !== undefined) return lastDelivery;
      const known = others?.get(shape);
      if (known !== undefined) return known;
      const delivery = render(shape);
      if (lastShape === undefined) {
        lastShape = shape;
        lastDelivery = delivery;
      } else {
        others ??= new Map();
        others.set(shape, delivery);
      }
      return delivery;
    },
  };
}
