// The segmenter of a running daemon: sentences by sentencex, words and grapheme clusters by Intl.Segmenter (R10).
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Segmenter } from "../../contracts/segmenter.js";

/** Cuts a text into sentences whose concatenation may lack some white space of it. */
export type SentenceSplitter = (language: string, text: string) => readonly string[];

export interface SegmenterOptions {
  /**
   * Ways to come by a sentence splitter, in order of preference; one that throws is passed over. Default: sentencex as a native addon,
   * sentencex as WebAssembly, `Intl.Segmenter`. Tried at the first sentence, never before.
   */
  readonly splitters?: readonly (() => SentenceSplitter)[];
}

const require = createRequire(import.meta.url);

/** sentencex for this platform. Throws where no binary was published for it, or where it does not load (musl). */
export function loadNativeSplitter(): SentenceSplitter {
  const { segment } = require("sentencex") as { segment: SentenceSplitter };
  segment("en", "Does it run? Yes.");
  return segment;
}

/** sentencex for every platform, slower to load. Throws where it is not installed, or where Node cannot `require` a module. */
export function loadWasmSplitter(): SentenceSplitter {
  const wasm = require("sentencex-wasm") as {
    segment: SentenceSplitter;
    initSync: (options: { module: Uint8Array }) => unknown;
  };
  wasm.initSync({ module: readFileSync(require.resolve("sentencex-wasm/sentencex_wasm_bg.wasm")) });
  return wasm.segment;
}

/** Unicode's rules, which know no abbreviation: twice as many wrong cuts, but always there. */
export function loadIntlSplitter(): SentenceSplitter {
  const segmenters = cachedSegmenters("sentence");
  return (language, text) => Array.from(segmenters(language).segment(text), (piece) => piece.segment);
}

/** Builds a segmenter. Costs nothing until it is used; what it loads or builds is kept. */
export function createSegmenter(options: SegmenterOptions = {}): Segmenter {
  const loaders = options.splitters ?? [loadNativeSplitter, loadWasmSplitter, loadIntlSplitter];
  const words = cachedSegmenters("word");
  const clusters = cachedSegmenters("grapheme");
  let splitter: SentenceSplitter | undefined;
  return {
    sentenceEnds: (text, language) => {
      splitter ??= firstThatLoads(loaders);
      return text === "" ? [] : endsOfPieces(text, splitter(primarySubtag(language), text));
    },
    wordEnds: (text, language) =>
      Array.from(words(language).segment(text), (piece) => piece.index + piece.segment.length),
    clusterEnds: (text) => Array.from(clusters("und").segment(text), (piece) => piece.index + piece.segment.length),
  };
}

function firstThatLoads(loaders: readonly (() => SentenceSplitter)[]): SentenceSplitter {
  for (const load of loaders) {
    try {
      return load();
    } catch {
      // Not for this platform: the next one.
    }
  }
  return loadIntlSplitter();
}

/** sentencex knows languages by their first subtag, in lower case; what it does not know it treats as English. */
function primarySubtag(language: string): string {
  const subtag = language.split(/[-_]/, 1)[0]?.toLowerCase() ?? "";
  return subtag === "" || subtag === "und" ? "en" : subtag;
}

/**
 * Where each piece ends in `text`, white space included that follows it. sentencex leaves white space out around paragraphs and CR LF, and
 * counts in its own units, so pieces are looked for by what they say.
 */
function endsOfPieces(text: string, pieces: readonly string[]): readonly number[] {
  const ends: number[] = [];
  let end = 0;
  for (const piece of pieces) {
    const ink = piece.trim();
    if (ink === "") continue;
    const start = text.indexOf(ink, end);
    if (start < 0) continue;
    end = start + ink.length;
    const next = end + (/^\s*/.exec(text.slice(end))?.[0].length ?? 0);
    if (next < text.length) ends.push(next);
    end = next;
  }
  ends.push(text.length);
  return ends;
}

function cachedSegmenters(granularity: "sentence" | "word" | "grapheme"): (language: string) => Intl.Segmenter {
  // Building one costs a thousand times what using it costs. Agents choose the tags, so the number kept is bounded.
  const built = new Map<string, Intl.Segmenter>();
  return (language) => {
    const known = built.get(language);
    if (known !== undefined) return known;
    if (built.size >= 64) built.clear();
    const segmenter = new Intl.Segmenter(isKnownTag(language) ? language : "und", { granularity });
    built.set(language, segmenter);
    return segmenter;
  };
}

function isKnownTag(language: string): boolean {
  try {
    return Intl.getCanonicalLocales(language).length > 0;
  } catch {
    return false;
  }
}
