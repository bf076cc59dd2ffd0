// The outputs that views follow, by key. A record that no view asks a chunk for is dropped, so that no record has holes.
import type { Millis } from "../../contracts/clock.js";
import type { Segmenter } from "../../contracts/segmenter.js";
import type { CodeBlocks } from "./code-blocks.js";
import type { Chunk, OutputText } from "./output-text.js";
import { createOutputText, positionIn } from "./output-text.js";
import type { SharedRendering } from "./shared-rendering.js";

export interface OutputBuffers {
  readonly textFor: (rendering: SharedRendering, key: string) => OutputText;
  /** The chunk of `rendering` in its output; the first call appends it. */
  readonly chunkOf: (text: OutputText, rendering: SharedRendering, at: Millis) => Chunk;
  /** A record for one view alone. */
  readonly textOfOne: (rendering: SharedRendering, key: string) => OutputText;
  /** Drops a record that no view followed, and text that no view holds. Call it when all views have taken an entry. */
  readonly settle: (rendering: SharedRendering, key: string, lowestHeld: (key: string) => number | undefined) => void;
  readonly all: () => Iterable<OutputText>;
}

/** Text is dropped in steps of so many UTF-16 units, because finding its holders costs more than keeping a little. */
const FORGET_STEP_UNITS = 2048;

export function createOutputBuffers(
  segmenter: Segmenter,
  defaultLanguage: string,
  { openingOf }: CodeBlocks,
): OutputBuffers {
  const records = new Map<string, { readonly text: OutputText; forgotten: number }>();
  return {
    textFor: (rendering, key) => {
      const known = records.get(key);
      // A record has no holes. After missing chunks (R27) a new record begins.
      if (
        known !== undefined &&
        (known.text.newest()?.rendering === rendering || known.text.endPosition() === positionIn(rendering))
      )
        return known.text;
      const text = createOutputText(key, rendering, segmenter, defaultLanguage, openingOf(rendering.entry));
      records.set(key, { text, forgotten: 0 });
      return text;
    },
    chunkOf: (text, rendering, at) => {
      const newest = text.newest();
      return newest?.rendering === rendering ? newest : text.append(rendering, at);
    },
    textOfOne: (rendering, key) =>
      createOutputText(key, rendering, segmenter, defaultLanguage, openingOf(rendering.entry)),
    settle: (rendering, key, lowestHeld) => {
      const record = records.get(key);
      if (record === undefined) return;
      if (record.text.newest()?.rendering !== rendering || rendering.entry.event.complete === true) {
        records.delete(key);
        return;
      }
      const length = record.text.boundaries.length();
      if (length - record.forgotten < FORGET_STEP_UNITS) return;
      record.forgotten = length;
      record.text.forget(lowestHeld(key) ?? length);
    },
    all: function* all() {
      for (const record of records.values()) yield record.text;
    },
  };
}
