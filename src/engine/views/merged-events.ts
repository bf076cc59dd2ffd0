// Events that represent several events, or part of one: joined text, collapsed states (R10, R11, R12).
import { type IdServices, mergedEventId } from "../event/derived-id.js";
import type { AgentEvent } from "../event/event.js";
import { withoutSummaries } from "../terms/readable-fields.js";
import type { Boundary } from "../terms/terms.js";
import type { EventUnit, TextUnit } from "./unit.js";
import type { ViewTerms } from "./view-terms.js";

/** The event of a stretch of text: the fields of its first chunk, with the text's own position, hint and timestamp (R10, R30). */
export function textEvent(
  unit: TextUnit,
  hint: Boundary | undefined,
  { key, shape }: ViewTerms,
  ids: IdServices,
): AgentEvent {
  const { extensions, coalesce_hint: _, ...base } = withoutSummaries(unit.base);
  const { session: sessionId, position: start, endPosition: end } = unit;
  // An empty end and an empty chunk may stand at one position.
  const about = unit.complete ? `${unit.output} complete` : unit.output;
  return {
    ...base,
    // A sealed chunk keeps its extensions. In a merged text, no receiver could tell to which part an extension belongs.
    ...(extensions !== undefined && !unit.mergeable ? { extensions } : {}),
    "@context": base["@context"],
    type: base.type,
    session_id: base.session_id,
    producer: base.producer,
    event_id: mergedEventId({ sessionId, about, start, end, shape: shape.key, boundaries: key }, ids),
    timestamp: unit.timestamp,
    chunk: unit.text,
    position: unit.position,
    complete: unit.complete,
    ...(hint === undefined ? {} : { coalesce_hint: hint }),
  };
}

/** Collapses state changes of one agent: the last one, from the state before the first (R11). */
export function collapsedEvent(first: EventUnit, last: EventUnit, { shape }: ViewTerms, ids: IdServices): AgentEvent {
  const { event } = last.rendered.entry;
  const [start, end] = [first.firstEpoch, last.epoch];
  const parts = { sessionId: last.session, about: "state.changed", start, end, shape: shape.key, boundaries: "" };
  return { ...event, event_id: mergedEventId(parts, ids), from_state: first.rendered.entry.event.from_state };
}
