// Joins neighbouring texts of one output that agree (R10).
import { type Boundary, stronger } from "../terms/terms.js";
import { encodedBytes, MAX_TEXT_BYTES, roomForText } from "./text-room.js";
import { agreeForMerging, type TextUnit } from "./unit.js";

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
