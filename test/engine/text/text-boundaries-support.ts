// What the tests of text boundaries share: feeding a text in chunks, reading all cuts, counting the segmenter's calls.
import type { Segmenter } from "../../../src/contracts/segmenter.js";
import { createSegmenter } from "../../../src/daemon/platform/segmenter.js";
import { type CutLevel, TextBoundaries } from "../../../src/engine/text/text-boundaries.js";

export const segmenter = createSegmenter();

export function feed(
  chunks: readonly string[],
  language: string,
  markdown: boolean,
  by: Segmenter = segmenter,
): TextBoundaries {
  const boundaries = new TextBoundaries(by);
  for (const chunk of chunks) append(boundaries, chunk, language, { markdown });
  return boundaries;
}

/** Appends a chunk and scans it at once. */
export function append(
  boundaries: TextBoundaries,
  chunk: string,
  language: string,
  options: { readonly markdown: boolean },
): void {
  boundaries.append(chunk, language, options);
  boundaries.scanTo(boundaries.length);
}

/** Ends a text, all of which is scanned. */
export function complete(boundaries: TextBoundaries): void {
  boundaries.complete();
  boundaries.scanTo(boundaries.length);
}

/** Every boundary of the level from `from` on. */
export function cutsOf(boundaries: TextBoundaries, level: CutLevel, from = 0): readonly number[] {
  const cuts: number[] = [];
  for (let cut = boundaries.next(from, level); cut !== undefined; cut = boundaries.next(cut, level)) cuts.push(cut);
  return cuts;
}

export function piecesOf(text: string, cuts: readonly number[]): readonly string[] {
  return cuts.map((cut, index) => text.slice(cuts[index - 1] ?? 0, cut));
}

/** Cuts a text at code points, by sizes taken in turn. */
export function chunksOf(text: string, sizes: readonly number[]): readonly string[] {
  const characters = Array.from(text);
  const chunks: string[] = [];
  for (let from = 0, turn = 0; from < characters.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    chunks.push(characters.slice(from, from + size).join(""));
    from += size;
  }
  return chunks;
}

export interface CountingSegmenter extends Segmenter {
  readonly callCount: () => number;
}

export function countingSegmenter(): CountingSegmenter {
  let calls = 0;
  const counted =
    <Arguments extends readonly unknown[], Result>(method: (...values: Arguments) => Result) =>
    (...values: Arguments): Result => {
      calls += 1;
      return method(...values);
    };
  return {
    sentenceEnds: counted(segmenter.sentenceEnds),
    wordEnds: counted(segmenter.wordEnds),
    clusterEnds: counted(segmenter.clusterEnds),
    callCount: () => calls,
  };
}
