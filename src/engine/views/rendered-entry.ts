// A journaled event on its way out, with the work that all views and subscriptions share.
import { outputKey } from "../event/chunk-place.js";
import { isCritical, isQuestionKind, isTerminalKind, type JournaledEvent, type TopicKind } from "../event/event.js";
import { withOwnMark } from "../event/own-members.js";
import { applyShape, type Shape } from "../terms/shape.js";
import { Delivery } from "./delivery.js";
import type { ShapeWords } from "./shape-words.js";

/** A shape, and the language of events that name none. Equal shapes are the same object (R14). */
export interface InternedShape extends Shape {
  readonly key: string;
  readonly defaultLanguage: string;
  /** Puts words beside the texts of an event; undefined for a shape without (R37). */
  readonly words: ShapeWords | undefined;
}

/**
 * The behaviour of a waiting event (R11, R30). "gate" is a state change into or out of waiting or handing off: no state collapses into it or across
 * it. "background-state" lets text pass. "plain" ends the merging of units before it.
 */
export type EventRole = "critical" | "progress" | "state" | "background-state" | "gate" | "plain";

/** A class, because there is one for each event. */
export class RenderedEntry {
  readonly entry: JournaledEvent;
  readonly role: EventRole;
  /** The key of a chunk's output, as one shared string; empty for other events. */
  readonly output: string;
  private plain: Delivery | undefined;
  private lastShape: InternedShape | undefined;
  private lastDelivery: Delivery | undefined;
  private others: Map<InternedShape, Delivery> | undefined;
  private ahead: RenderedEntry | undefined;

  constructor(entry: JournaledEvent) {
    this.entry = entry;
    this.role = roleOf(entry);
    this.output = entry.kind === "output.streaming" ? outputKey(entry.event) : "";
  }

  get kind(): TopicKind {
    return this.entry.kind;
  }

  get isQuestion(): boolean {
    return isQuestionKind(this.entry.kind);
  }

  /** Whether it ends its session. */
  get isTerminal(): boolean {
    return isTerminalKind(this.entry.kind);
  }

  /** Whether the daemon made it for one subscription alone, so that the journal does not have it: sums, gaps, notices to those who come late. */
  get isLocal(): boolean {
    return this.entry.ordinal === 0;
  }

  /** The same event, marked because it goes before events of its session that wait (R4). */
  get overtaking(): RenderedEntry {
    this.ahead ??= new RenderedEntry({
      ...this.entry,
      event: withOwnMark(this.entry.event, { overtook: true }),
      source: undefined,
    });
    return this.ahead;
  }

  /** The event in a shape. It is made once for each shape, and once for all shapes that change nothing. */
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
    const plain = applyShape(entry.event, shape, shape.defaultLanguage);
    const shaped = shape.words?.beside(plain, entry.epoch) ?? plain;
    if (shaped !== entry.event) return new Delivery(shaped, entry.epoch, entry.at, undefined);
    this.plain ??= new Delivery(entry.event, entry.epoch, entry.at, entry.source);
    return this.plain;
  }
}

function roleOf(entry: JournaledEvent): EventRole {
  // An event for one subscription alone merges with nothing.
  if (entry.ordinal === 0) return "plain";
  if (isCritical(entry)) return "critical";
  switch (entry.kind) {
    case "progress.updated":
      return "progress";
    case "state.changed":
      if (isGateState(entry.event.from_state) || isGateState(entry.event.to_state)) return "gate";
      return entry.event.urgency === "background" ? "background-state" : "state";
    default:
      return "plain";
  }
}

function isGateState(state: unknown): boolean {
  return state === "awaiting_input" || state === "handing_off";
}
