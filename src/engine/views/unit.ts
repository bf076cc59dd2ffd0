// What views hand to their subscriptions: journaled events on their way out, with the work that all views and subscriptions share, and units, which
// are an event, or a stretch of one output's text that may still grow by merging. They get the form of a subscription's terms when they leave (R32).
import type { Millis } from "../../contracts/clock.js";
import {
  type AgentEvent,
  type Epoch,
  isCritical,
  isQuestionKind,
  isTerminalKind,
  type JournaledEvent,
  outputKey,
  type TopicKind,
} from "../event/event.js";
import { withOwnMark } from "../event/own-members.js";
import { canonicalTag } from "../terms/language.js";
import { applyShape, type Shape } from "../terms/shape.js";
import type { Boundary } from "../terms/terms.js";
import { offsetOfCodePoint } from "../text/counted-text.js";
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

interface UnitBase {
  readonly session: string;
  readonly agent: string;
  /** The instant at which the unit was released to the view's subscriptions. */
  readonly at: Millis;
  /** The newest event that the view had taken by then. */
  readonly releasedAt: Epoch;
  /** Epochs of the first and the last event in the unit. */
  readonly firstEpoch: Epoch;
  readonly epoch: Epoch;
}

export interface EventUnit extends UnitBase {
  readonly kind: "event";
  readonly role: EventRole;
  readonly rendered: RenderedEntry;
}

export interface TextUnit extends UnitBase {
  readonly kind: "text";
  /** Session and output id: the key of one contiguous text. */
  readonly output: string;
  /** Code points from the start of the output. */
  readonly position: number;
  readonly endPosition: number;
  readonly text: string;
  /** Bytes of the text as a JSON string, computed at the first use; of a merged text, the total of its parts. */
  textBytes?: number | undefined;
  /** Bytes for text beside the fields of `base`, computed when a long text first needs it. */
  textRoom?: number | undefined;
  /** The strongest boundary at its end; undefined if no granted hint fits (R10). */
  readonly hint: Boundary | undefined;
  readonly complete: boolean;
  readonly timestamp: string;
  /** The first chunk. A merged event has its fields, but for the summaries, which describe the chunk alone (R2). */
  readonly base: AgentEvent;
  /** Whether it may be joined with its neighbours (R10: language, type, urgency, producer, correlation and extensions agree). */
  readonly mergeable: boolean;
  /** The published event itself, if the unit is exactly one chunk as its agent sent it. */
  readonly verbatim: RenderedEntry | undefined;
}

export type Unit = EventUnit | TextUnit;

export function eventUnit(rendered: RenderedEntry): EventUnit {
  const { entry, role } = rendered;
  return {
    kind: "event",
    session: entry.event.session_id,
    agent: entry.event.producer.agent_id,
    at: entry.at,
    releasedAt: entry.epoch,
    firstEpoch: entry.epoch,
    epoch: entry.epoch,
    role,
    rendered,
  };
}

export function isCriticalUnit(unit: Unit): unit is EventUnit {
  return unit.kind === "event" && unit.role === "critical";
}

/** Whether the daemon made the unit for one subscription alone. */
export function isLocal(unit: Unit): boolean {
  return unit.kind === "event" && unit.rendered.isLocal;
}

export function timestampOf(unit: Unit): string {
  return unit.kind === "text" ? unit.timestamp : unit.rendered.entry.event.timestamp;
}

/** Whether two chunks may be merged (R10). */
export function agreeForMerging(a: AgentEvent, b: AgentEvent): boolean {
  return (
    isSameLanguage(a.language, b.language) &&
    a.content_type === b.content_type &&
    a.urgency === b.urgency &&
    a.correlation_id === b.correlation_id &&
    isSameLanguage(a.localization_hints?.primary_language, b.localization_hints?.primary_language) &&
    sameProducer(a, b)
  );
}

function sameProducer(a: AgentEvent, b: AgentEvent): boolean {
  const [p, q] = [a.producer, b.producer];
  return (
    p === q ||
    (p.agent_id === q.agent_id &&
      p.agent_version === q.agent_version &&
      p.agent_name === q.agent_name &&
      p.model === q.model &&
      p.manifest_uri === q.manifest_uri)
  );
}

function isSameLanguage(a: unknown, b: unknown): boolean {
  return a === b || (typeof a === "string" && typeof b === "string" && canonicalTag(a) === canonicalTag(b));
}

/** The text above `position`; undefined if nothing is left. */
export function trimBelow(unit: TextUnit, position: number): TextUnit | undefined {
  if (position <= unit.position) return unit;
  if (position >= unit.endPosition) return unit.complete ? completionOf(unit) : undefined;
  const text = unit.text.slice(offsetOfCodePoint(unit.text, position - unit.position));
  return { ...unit, position, text, verbatim: undefined, textBytes: undefined };
}

/** The empty chunk that completes an output of which the rest is skipped (R26), or was given before. */
export function completionOf(unit: TextUnit): TextUnit {
  return {
    ...unit,
    position: unit.endPosition,
    text: "",
    textBytes: undefined,
    hint: "completion",
    verbatim: undefined,
    mergeable: true,
  };
}
