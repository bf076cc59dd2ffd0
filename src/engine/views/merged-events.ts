// Events that represent several events, or part of one: joined text, collapsed states, marked critical events (R4, R10, R11, R12).
import type { EventId } from "../../base/ids.js";
import { derivedEventId, type IdServices } from "../event/derived-id.js";
import type { AgentEvent, Epoch } from "../event/event.js";
import { AAEPD, AAEPD_VOCABULARY } from "../event/vocabulary.js";
import type { TextUnit } from "./unit.js";
import type { ViewTerms } from "./view-spec.js";

/** The epochs of the first and of the last of several states. */
interface StatesPlace {
  readonly first: Epoch;
  readonly last: Epoch;
}

/** Collapses two states into one event with an id of its own. `from` is its `from_state`, by default that of `first` (R11, R12). */
export type CollapsedEvent = (first: AgentEvent, last: AgentEvent, place: StatesPlace, from?: unknown) => AgentEvent;

/** The event of a stretch of text: the fields of its first chunk, with the text's own position, hint and timestamp (R10, R30). */
export function textEvent(unit: TextUnit, terms: ViewTerms, ids: IdServices): AgentEvent {
  const { extensions, coalesce_hint: _, ...base } = unit.base;
  return {
    ...base,
    // A sealed chunk keeps its extensions. In a merged text, no receiver could tell to which part an extension belongs.
    ...(extensions !== undefined && !unit.mergeable ? { extensions } : {}),
    "@context": base["@context"],
    type: base.type,
    session_id: base.session_id,
    producer: base.producer,
    event_id: textEventId(unit, terms, ids),
    timestamp: unit.timestamp,
    chunk: unit.text,
    position: unit.position,
    complete: unit.complete,
    ...(unit.hint === undefined ? {} : { coalesce_hint: unit.hint }),
  };
}

/** The id of the event of a stretch of text (R12). */
export function textEventId(
  unit: Pick<TextUnit, "epoch" | "session" | "output" | "position" | "endPosition">,
  terms: Pick<ViewTerms, "key" | "shape">,
  ids: IdServices,
): EventId {
  return derivedEventId(
    {
      epoch: unit.epoch,
      sessionId: unit.session,
      about: unit.output,
      start: unit.position,
      end: unit.endPosition,
      shape: terms.shape.key,
      boundaries: [terms.key],
    },
    ids,
  );
}

/** The epochs and the shape of collapsed states. `from` is a state that a critical event implied, in place of the first one's own (R4). */
export interface CollapsedPlace extends StatesPlace {
  readonly shape: string;
  readonly from?: unknown;
}

/**
 * Collapses several state changes of one agent: the last one, from the state before the first (R11) or from a state that a critical event implied
 * (R4).
 */
export function collapsedStateEvent(
  first: AgentEvent,
  last: AgentEvent,
  place: CollapsedPlace,
  ids: IdServices,
): AgentEvent {
  const { from = first.from_state } = place;
  const isImplied = from !== first.from_state;
  return {
    ...last,
    event_id: collapsedStateId(last, isImplied ? place : { ...place, from: undefined }, ids),
    from_state: from,
  };
}

/** The id of collapsed state changes (R12). `last` may be any of them. */
export function collapsedStateId(last: AgentEvent, place: CollapsedPlace, ids: IdServices): EventId {
  const { from, shape } = place;
  return derivedEventId(
    {
      epoch: place.last,
      start: place.last - place.first,
      end: 0,
      sessionId: last.session_id,
      about: from === undefined ? "state" : `state ${String(from)}`,
      shape,
      boundaries: [],
    },
    ids,
  );
}

/** Marks a critical event with the number of events of its session that it overtook (R4). The id stays, because it is the same event. */
export function overtookEvent(event: AgentEvent, count: number): AgentEvent {
  const context = event["@context"];
  const vocabularies = typeof context === "string" ? [context] : context;
  return {
    ...event,
    "@context": vocabularies.includes(AAEPD_VOCABULARY) ? vocabularies : [...vocabularies, AAEPD_VOCABULARY],
    extensions: { ...event.extensions, [AAEPD]: { ...event.extensions?.[AAEPD], overtook: count } },
  };
}

/** The rest of a skipped output: an empty chunk that completes it (R26). */
export function completeSkipped(unit: TextUnit): TextUnit {
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
