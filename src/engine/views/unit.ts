// Units, which a view hands to its subscriptions: an event, or a stretch of one output's text that may still grow by merging. They get the form of a
// subscription's terms when they leave (R32).
import type { Millis } from "../../contracts/clock.js";
import type { AgentEvent, Epoch } from "../event/event.js";
import { canonicalTag } from "../terms/language.js";
import type { Boundary } from "../terms/terms.js";
import { offsetOfCodePoint } from "../text/counted-text.js";
import type { EventRole, RenderedEntry } from "./rendered-entry.js";

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

export function isCritical(unit: Unit): unit is EventUnit {
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
