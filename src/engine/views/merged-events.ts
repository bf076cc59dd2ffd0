// What represents several events, or part of one: joined text, collapsed states (R10, R11, R12).
import { encodedBytes } from "../../base/code-points.js";
import { type IdServices, mergedEventId } from "../event/derived-id.js";
import type { AgentEvent } from "../event/event.js";
import { withoutSummaries } from "../terms/readable-fields.js";
import { type Boundary, stronger } from "../terms/terms.js";
import { MAX_TEXT_BYTES, roomForText } from "./text-room.js";
import { agreeForMerging, type EventUnit, type TextUnit } from "./unit.js";
import type { ViewTerms } from "./view-terms.js";

/** Joins two texts; undefined if they are not neighbours, do not agree, or would be too long together. */
export function joinText(first: TextUnit, last: TextUnit, maxChars: number): TextUnit | undefined {
  if (
    !first.mergeable ||
    !last.mergeable ||
    first.complete ||
    first.output !== last.output ||
    first.endPosition !== last.position
  )
    return undefined;
  if (last.endPosition - first.position > maxChars) return undefined;
  const textBytes = textBytesOf(first) + textBytesOf(last);
  if (textBytes > MAX_TEXT_BYTES / 4 && textBytes > roomOf(first)) return undefined;
  if (first.text !== "" && last.text !== "" && !agreeForMerging(first.base, last.base)) return undefined;
  // A literal: this runs for each part of each subscriber's text, and a spread costs ten times as much.
  return {
    kind: "text",
    session: last.session,
    agent: last.agent,
    at: last.at,
    releasedAt: last.releasedAt,
    firstEpoch: first.firstEpoch,
    epoch: last.epoch,
    output: last.output,
    position: first.position,
    endPosition: last.endPosition,
    text: first.text + last.text,
    textBytes,
    textRoom: first.text === "" ? last.textRoom : first.textRoom,
    hint: last.text === "" ? strongerHint(first.hint, last.hint) : last.hint,
    complete: last.complete,
    timestamp: last.timestamp,
    base: first.text === "" ? last.base : first.base,
    mergeable: last.mergeable,
    verbatim: undefined,
  };
}

function strongerHint(a: Boundary | undefined, b: Boundary | undefined): Boundary | undefined {
  return a === undefined || b === undefined ? (a ?? b) : stronger(a, b);
}

function textBytesOf(unit: TextUnit): number {
  unit.textBytes ??= encodedBytes(unit.text);
  return unit.textBytes;
}

function roomOf(unit: TextUnit): number {
  unit.textRoom ??= roomForText(unit.base);
  return unit.textRoom;
}

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
