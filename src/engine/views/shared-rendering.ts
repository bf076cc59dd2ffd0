// A journaled event on its way out, with the work that all views and subscriptions share.
import type { AgentEvent, JournaledEvent } from "../event/event.js";
import { isCritical } from "../event/event.js";
import { withoutSummaries } from "../terms/readable-fields.js";
import { createDelivery, type Delivery } from "./delivery.js";
import { outputKey } from "./unit.js";

/** A pair of verbosity and languages. Equal shapes are the same object (R14). */
export interface InternedShape {
  readonly key: string;
  readonly apply: (event: AgentEvent) => AgentEvent;
}

export interface SharedRendering {
  readonly entry: JournaledEvent;
  readonly critical: boolean;
  /** The key of the chunk's output, as one shared string. */
  readonly output: string;
  /** The event of merged or cut text of this chunk: without the summaries that describe the chunk alone (R2). Made once, for all shapes. */
  readonly textBase: AgentEvent;
  /** The event in a shape. It is made once for each shape, and once for all shapes that change nothing. */
  readonly deliveryIn: (shape: InternedShape) => Delivery;
}

export function createSharedRendering(entry: JournaledEvent): SharedRendering {
  return new RenderedEntry(entry);
}

/** A class, because there is one for each event. */
class RenderedEntry implements SharedRendering {
  readonly entry: JournaledEvent;
  readonly critical: boolean;
  private key: string | undefined;
  private base: AgentEvent | undefined;
  private plain: Delivery | undefined;
  private lastShape: InternedShape | undefined;
  private lastDelivery: Delivery | undefined;
  private others: Map<InternedShape, Delivery> | undefined;

  constructor(entry: JournaledEvent) {
    this.entry = entry;
    this.critical = isCritical(entry);
  }

  get output(): string {
    this.key ??= outputKey(this.entry.event);
    return this.key;
  }

  get textBase(): AgentEvent {
    this.base ??= withoutSummaries(this.entry.event);
    return this.base;
  }

  deliveryIn(shape: InternedShape): Delivery {
    if (this.lastShape === shape && this.lastDelivery !== undefined) return this.lastDelivery;
    const known = this.others?.get(shape);
    if (known !== undefined) return known;
    const delivery = this.render(shape);
    if (this.lastShape === undefined) {
      this.lastShape = shape;
      this.lastDelivery = delivery;
    } else {
      this.others ??= new Map();
      this.others.set(shape, delivery);
    }
    return delivery;
  }

  private render(shape: InternedShape): Delivery {
    const { entry } = this;
    const shaped = shape.apply(entry.event);
    if (shaped !== entry.event) return createDelivery(shaped, entry.epoch, entry.at, undefined);
    this.plain ??= createDelivery(entry.event, entry.epoch, entry.at, entry.source);
    return this.plain;
  }
}
