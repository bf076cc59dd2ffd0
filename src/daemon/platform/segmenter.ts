// The segmenter of a running daemon: sentences by sentencex, words and grapheme clusters by Intl.Segmenter (R10).

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { installCommand } from "../../../transports/optional-packages.js";
import { primarySubtag } from "../../base/primary-subtag.js";
import type { Segmenter } from "../../contracts/segmenter.js";
import { advice, type Finding, fact } from "./finding.js";

/** Cuts a text into sentences. The concatenated sentences may lack some of its white space. */
export type SentenceSplitter = (language: string, text: string) => readonly string[];

const require = createRequire(import.meta.url);

/** Loads sentencex for this platform. Throws if no binary was published for it, or if it does not load (musl). */
export function loadNativeSplitter(): SentenceSplitter {
  const { segment } = require("sentencex") as { segment: SentenceSplitter };
  segment("en", "Does it run? Yes.");
  return segment;
}

/** Loads sentencex as WebAssembly, for every platform; slower to load. Throws if it is not installed, or if Node cannot `require` a module. */
export function loadWasmSplitter(): SentenceSplitter {
  const wasm = require("sentencex-wasm") as {
    segment: SentenceSplitter;
    initSync: (options: { module: Uint8Array }) => unknown;
  };
  wasm.initSync({ module: readFileSync(require.resolve("sentencex-wasm/sentencex_wasm_bg.wasm")) });
  return wasm.segment;
}

/** Tries the native library, without keeping it. Returns how sentences are found here, and where others would be found better what helps. */
export function sentenceFinding(): Finding {
  const why = failureOf(loadNativeSplitter);
  if (why === undefined) return fact("sentences", "The package sentencex finds where sentences end.");
  const native = `The native package sentencex does not load here (${why})`;
  if (failureOf(loadWasmSplitter) === undefined)
    return fact("sentences", `${native}. The package sentencex-wasm finds where sentences end, as well as it would.`);
  const message = `${native}. Intl.Segmenter of Node finds where sentences end instead, and cuts after abbreviations such as "Dr." too.`;
  return advice("sentencex_missing", message, `Run: ${installCommand(["sentences"])}`);
}

function failureOf(load: () => unknown): string | undefined {
  try {
    load();
    return undefined;
  } catch (caught) {
    const [line = ""] = (caught instanceof Error ? caught.message : String(caught)).split("\n");
    return line.replace(/\.$/, "");
  }
}

/** Unicode's rules, without knowledge of abbreviations: twice as many wrong cuts, but always available. */
export function loadIntlSplitter(): SentenceSplitter {
  const segmenters = cachedSegmenters("sentence");
  return (language, text) => Array.from(segmenters(language).segment(text), (piece) => piece.segment);
}

/**
 * Builds a segmenter. Costs nothing until the first use; loaded parts stay loaded. `loaders` of a sentence splitter stand in order of preference; one
 * that throws is passed over.
 */
export function createSegmenter(
  loaders: readonly (() => SentenceSplitter)[] = [loadNativeSplitter, loadWasmSplitter, loadIntlSplitter],
): Segmenter {
  const words = cachedSegmenters("word");
  const clusters = cachedSegmenters("grapheme");
  let splitter: SentenceSplitter | undefined;
  return {
    sentenceEnds: (text, language) => {
      splitter ??= firstThatLoads(loaders);
      return text === "" ? [] : endsOfPieces(text, splitter(knownLanguage(language), text));
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
      // Not available on this platform: try the next one.
    }
  }
  return loadIntlSplitter();
}

/** The form in which sentencex knows languages; it treats unknown ones as English. */
function knownLanguage(language: string): string {
  const subtag = primarySubtag(language);
  return subtag === "" || subtag === "und" ? "en" : subtag;
}

/**
 * Returns the ends of the pieces in `text`, each with the white space behind it. sentencex omits white space around paragraphs and CR LF, and counts
 * in units of its own, so the pieces are found by their characters.
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
  // Building a segmenter costs a thousand times as much as using it. Agents choose the tags, so the number of cached segmenters is bounded.
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
