// The text of one output while somebody may still need it, and where it may be cut: one for all views that follow the output (R10).
import type { Millis } from "../../contracts/clock.js";
import type { Segmenter } from "../../contracts/segmenter.js";
import type { Epoch } from "../event/event.js";
import { codePointCount } from "../text/code-points.js";
import { lastStartingBy } from "../text/piece-search.js";
import { createTextBoundaries, type TextBoundaries } from "../text/text-boundaries.js";
import { isMarkdown } from "./code-blocks.js";
import type { SharedRendering } from "./shared-rendering.js";

/** A published chunk, and where it stands. Offsets are UTF-16 units from where this record of the output begins. */
export interface Chunk {
  readonly rendering: SharedRendering;
  readonly start: number;
  readonly end: number;
  /** Code points from the start of the output, after the chunk. */
  readonly endPosition: number;
  readonly at: Millis;
}

export interface OutputText {
  readonly key: string;
  readonly session: string;
  readonly boundaries: TextBoundaries;
  /** Appends what `live` carries; chunks come in order. */
  readonly append: (rendering: SharedRendering, at: Millis) => Chunk;
  /** The chunk that holds the unit at `offset`; the last one where `offset` is the end. */
  readonly chunkAt: (offset: number) => Chunk | undefined;
  /** The epoch of the chunk that holds the unit before `offset`; 0 where the record begins there. */
  readonly epochBefore: (offset: number) => Epoch;
  /** The chunk that came last; undefined before the first. */
  readonly newest: () => Chunk | undefined;
  /** The one before a chunk, as far as they are retained. */
  readonly chunkBefore: (chunk: Chunk) => Chunk | undefined;
  /** Code points from the start of the output, after the last chunk. */
  readonly endPosition: () => number;
  /** Code points from the start of the output, of an offset that is retained. */
  readonly positionOf: (offset: number) => number;
  /** Lets go of what lies before `offset`, except what a new reader of the sentence in progress needs. */
  readonly forget: (offset: number) => void;
}

/** An output of which `first` is the first chunk that is seen; it need not be the first that was published: `opening` is then what leads to it. */
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
  // Position and offset of the oldest chunk kept, so that counting code points never goes further back than that.
  let endPosition = basePosition;
  // The epoch of the newest chunk that was let go of.
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
    boundaries.append(text, language, { markdown: isMarkdown(event) });
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
    // Chunks without text begin where others do.
    while (index > 0 && chunks[index] !== chunk) index -= 1;
    return chunks[index - 1];
  };

  const positionOf = (offset: number): number =>
    anchor.position + codePointCount(boundaries.slice(anchor.offset, offset));

  const forget = (offset: number): void => {
    // A view that begins in mid-output starts with the sentence in progress, so that much stays.
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

/** Where a chunk begins in its output, code points. */
export function positionIn(rendering: SharedRendering): number {
  const position = rendering.entry.event.position;
  return typeof position === "number" ? position : 0;
}
