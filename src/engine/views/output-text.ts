// The text of one output while a view may still need it, and its boundaries: one record for all views that follow the output (R10).
import type { Millis } from "../../contracts/clock.js";
import type { Segmenter } from "../../contracts/segmenter.js";
import type { Epoch } from "../event/event.js";
import { canonicalTag } from "../terms/language.js";
import { codePointCount } from "../text/code-points.js";
import { lastStartingBy } from "../text/piece-search.js";
import { createTextBoundaries, type TextBoundaries } from "../text/text-boundaries.js";
import { isMarkdown } from "./code-blocks.js";
import type { SharedRendering } from "./shared-rendering.js";

/** A published chunk and its place. Offsets are UTF-16 units from the start of the record. */
export interface Chunk {
  readonly rendering: SharedRendering;
  readonly start: number;
  readonly end: number;
  /** Position after the chunk, in code points from the start of the output. */
  readonly endPosition: number;
  readonly at: Millis;
}

export interface OutputText {
  readonly key: string;
  readonly session: string;
  readonly boundaries: TextBoundaries;
  /** Appends the chunk of `rendering`; chunks come in order. */
  readonly append: (rendering: SharedRendering, at: Millis) => Chunk;
  /** The chunk with the unit at `offset`; the last chunk for the end. */
  readonly chunkAt: (offset: number) => Chunk | undefined;
  /** The epoch of the chunk with the unit before `offset`; 0 if the record begins there. */
  readonly epochBefore: (offset: number) => Epoch;
  /** The newest chunk; undefined before the first. */
  readonly newest: () => Chunk | undefined;
  /** The chunk before another; undefined if it is forgotten. */
  readonly chunkBefore: (chunk: Chunk) => Chunk | undefined;
  /** Position after the last chunk, in code points from the start of the output. */
  readonly endPosition: () => number;
  /** Position of an offset that is not forgotten, in code points from the start of the output. */
  readonly positionOf: (offset: number) => number;
  /** Forgets the text before `offset`, except the part of the sentence in progress that a new view needs. */
  readonly forget: (offset: number) => void;
}

/** Makes a record that begins with `first`. If that is not the first published chunk, `opening` leads to it. */
export function createOutputText(
  key: string,
  first: SharedRendering,
  segmenter: Segmenter,
  defaultLanguage: string,
  opening: string,
): OutputText {
  const boundaries = createTextBoundaries(segmenter, opening);
  const basePosition = positionIn(first);
  const chunks: Chunk[] = [];
  // Offset and position of the oldest chunk, so that counting code points never begins before it.
  let endPosition = basePosition;
  // The epoch of the newest forgotten chunk.
  let forgottenTo: Epoch = 0;
  let anchor = { offset: 0, position: basePosition };

  const append = (rendering: SharedRendering, at: Millis): Chunk => {
    const { event } = rendering.entry;
    const text = typeof event.chunk === "string" ? event.chunk : "";
    const language =
      typeof event.language === "string"
        ? event.language
        : (event.localization_hints?.primary_language ?? defaultLanguage);
    const start = boundaries.length();
    boundaries.append(text, canonicalTag(language), { markdown: isMarkdown(event) });
    if (event.complete === true) boundaries.complete();
    endPosition += codePointCount(text);
    const chunk: Chunk = { rendering, start, end: start + text.length, endPosition, at };
    chunks.push(chunk);
    return chunk;
  };

  const chunkAt = (offset: number): Chunk | undefined => chunks[lastStartingBy(chunks, offset)] ?? chunks[0];

  const epochBefore = (offset: number): Epoch => {
    const oldest = chunks[0];
    if (oldest === undefined || offset <= oldest.start) return forgottenTo;
    return chunkAt(offset - 1)?.rendering.entry.epoch ?? 0;
  };

  const chunkBefore = (chunk: Chunk): Chunk | undefined => {
    let index = lastStartingBy(chunks, chunk.start);
    // Chunks without text begin at the same offset as others.
    while (index > 0 && chunks[index] !== chunk) index -= 1;
    return chunks[index - 1];
  };

  const positionOf = (offset: number): number =>
    anchor.position + codePointCount(boundaries.slice(anchor.offset, offset));

  const forget = (offset: number): void => {
    // A view that begins within an output starts with the sentence in progress, so that stays.
    const keep = Math.min(offset, boundaries.last(boundaries.length(), "sentence"));
    let dead = 0;
    while (dead < chunks.length - 1 && (chunks[dead]?.end ?? 0) <= keep) dead += 1;
    const oldest = chunks[dead];
    if (dead === 0 || oldest === undefined) return;
    forgottenTo = chunks[dead - 1]?.rendering.entry.epoch ?? 0;
    anchor = { offset: oldest.start, position: positionOf(oldest.start) };
    chunks.splice(0, dead);
    boundaries.forget(oldest.start);
  };

  return {
    key,
    session: first.entry.event.session_id,
    boundaries,
    append,
    chunkAt,
    epochBefore,
    newest: () => chunks.at(-1),
    chunkBefore,
    endPosition: () => endPosition,
    positionOf,
    forget,
  };
}

/** Position of a chunk in its output, in code points. */
export function positionIn(rendering: SharedRendering): number {
  const position = rendering.entry.event.position;
  return typeof position === "number" ? position : 0;
}
