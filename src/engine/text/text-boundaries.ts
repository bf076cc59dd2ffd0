// The places at which the text of one output may be cut (R10), for all subscriptions to it, whatever their terms. There is one object for each output
// of a session. Chunks are added at the end, and text that no view needs is forgotten at the beginning. All offsets are UTF-16 units from the start
// of the output. Text is well-formed at every chunk's end (R25).
import type { Segmenter } from "../../contracts/segmenter.js";
import { extendsCluster, isSpace, isUnspacedScript } from "./characters.js";
import { createOffsetList } from "./offset-list.js";
import { createRetainedText } from "./retained-text.js";
import { createSentenceScanner } from "./sentence-scanner.js";
import { CLUSTER_LOOK_AHEAD, clusterEndBefore, fittingLength } from "./text-limits.js";
import { createWordScanner, unspacedWordEnds, type WordScanner } from "./word-scanner.js";

/** The boundary at an offset; strength ascends from "none". */
type Boundary = "none" | "word" | "sentence" | "paragraph" | "completion";
export type CutLevel = "word" | "sentence" | "paragraph";

/** Most bytes of one UTF-16 unit in a JSON string. */
const MOST_BYTES_PER_UNIT = 6;
const WORD_LOOK_BACK = 256;

/** Text of one language and one kind of lines, up to `end`. */
interface Stretch {
  end: number;
  readonly language: string;
  readonly markdown: boolean;
}

export interface TextBoundaries {
  /** Length of the text so far, scanned or not. */
  readonly length: () => number;
  /**
   * Adds a chunk; `scanTo` reads it. `language` is its RFC 5646 tag; with `markdown` its lines have kinds. If either changes, open decisions are made
   * as if the text ended there, because such chunks are not merged (R10).
   */
  readonly append: (text: string, language: string, options: { readonly markdown: boolean }) => void;
  /** Ends the text. When all of it is scanned, its end counts as a boundary of every level. */
  readonly complete: () => void;
  /**
   * Reads the text up to `offset` (one unit less if that is inside a surrogate pair), so that a long chunk can be read over several turns (R34). Text
   * is read once, so each view that needs the text up to an offset may ask for it. Steps of any size find the same boundaries; a step of two units or
   * more makes progress. For the functions below the text ends at the scanned offset, except for `slice` and `codePointsAt`. With the level "word",
   * words are searched up to the offset too, even in text that was scanned before.
   */
  readonly scanTo: (offset: number, level?: CutLevel) => void;
  /** Offset up to which the text is scanned. */
  readonly scanned: () => number;
  /**
   * The first confirmed boundary of at least `level` after `from`; undefined if there is none yet. A boundary is never revoked. It is confirmed by
   * the next word, by the closing of brackets or a quotation around it (within 300 characters), or by its line's end. Words are searched from the
   * first request on: as far as that `scanTo` goes, or else in all scanned text.
   */
  readonly next: (from: number, level: CutLevel) => number | undefined;
  /** The last confirmed boundary of at least `level` that is at most `before`, even in forgotten text; 0 if there is none. */
  readonly last: (before: number, level: CutLevel) => number;
  /**
   * The strongest boundary at `offset`: a confirmed one, or the one that there would be if the text ended there. "none" inside a word. May call the
   * segmenter at the text's end.
   */
  readonly levelAt: (offset: number) => Boundary;
  /**
   * The offset at which to cut [from, to), so that the piece has at most `maxCodePoints` code points and at most `maxBytes` UTF-8 bytes as a JSON
   * string with its quotation marks. This is the strongest boundary in the second half, else a word, else a grapheme cluster; in a fenced code block
   * the last line end, or a cluster if a line is too long. The result is after `from`, by at least one code point, and is `to` if all fits. Only a
   * cluster that is itself larger than the limits is cut inside, between code points.
   */
  readonly cutWithin: (from: number, to: number, maxCodePoints: number, maxBytes: number) => number;
  /** The last end of a word (in code: of a line) after `from`, for a release that an event of another agent requires; else `from`. */
  readonly lastWord: (from: number) => number;
  /** The text between two offsets that are not forgotten. */
  readonly slice: (from: number, to: number) => string;
  /** Number of code points before `offset`, which must not be forgotten and not inside a surrogate pair (R13). */
  readonly codePointsAt: (offset: number) => number;
  /** Forgets the text before `offset`. */
  readonly forget: (offset: number) => void;
}

/** `opening` is the opening line of the code block in which the text begins, if it begins in one (code-blocks.ts). Offsets do not count it. */
export function createTextBoundaries(segmenter: Segmenter, opening = ""): TextBoundaries {
  const text = createRetainedText();
  const sentences = createOffsetList();
  const paragraphs = createOffsetList();
  const words = createOffsetList();
  // Beginnings and ends of fenced code blocks, alternating. A block may begin where another ends.
  const fences = createOffsetList(true);
  // Stretches that were appended and not scanned to their end, in order.
  let unscanned: Stretch[] = [];
  let scanned = 0;
  let ends = false;
  let isComplete = false;
  let isMarkdown = false;
  let language = "";
  let wordScanner: WordScanner | undefined;

  const scanner = createSentenceScanner(segmenter, {
    sentence: (offset) => sentences.push(offset - opening.length),
    paragraph: (offset) => paragraphs.push(offset - opening.length),
    codeBegins: (offset) => fences.push(Math.max(0, offset - opening.length)),
    codeEnds: (offset) => fences.push(offset - opening.length),
  });
  if (opening !== "") scanner.append(opening, language, true);
  const classified = (): number => Math.max(0, scanner.classified() - opening.length);

  /** The code block around `offset`: its beginning, and its end as far as it is known. */
  const codeAround = (offset: number): { readonly start: number; readonly end: number } | undefined => {
    const index = fences.countUpTo(offset);
    if (index % 2 === 0) return undefined;
    return { start: fences.at(index - 1) ?? 0, end: fences.at(index) ?? scanned };
  };

  const scanWords = (to = scanned): void => {
    if (wordScanner === undefined) return;
    const limit = Math.min(to, isComplete ? scanned : classified());
    for (let offset = wordScanner.offset(); offset < limit; offset = wordScanner.offset()) {
      const code = codeAround(offset);
      if (code !== undefined) {
        // After code, a word begins where the sentence begins.
        wordScanner.moveTo(Math.min(code.end, limit));
        continue;
      }
      const nextFence = fences.at(fences.countUpTo(offset)) ?? limit;
      wordScanner.append(text.slice(offset, Math.min(limit, nextFence)), language);
    }
  };

  const scanStretch = (stretch: Stretch, to: number): void => {
    if (scanned > 0 && (stretch.language !== language || stretch.markdown !== isMarkdown)) {
      scanner.settle(false);
      scanWords();
    }
    ({ language, markdown: isMarkdown } = stretch);
    const piece = text.slice(scanned, to);
    scanned = to;
    scanner.append(piece, language, isMarkdown);
    scanWords();
  };

  const scanTo = (offset: number, level?: CutLevel): void => {
    const limit = wholeCharacter(offset);
    scanText(limit);
    if (level !== "word") return;
    wordScanner ??= newWordScanner();
    scanWords(limit);
  };

  const scanText = (limit: number): void => {
    let done = 0;
    for (const stretch of unscanned) {
      const to = Math.max(scanned, Math.min(stretch.end, limit));
      if (to > scanned || to === stretch.end) scanStretch(stretch, to);
      if (to < stretch.end) break;
      done += 1;
    }
    if (done > 0) unscanned = unscanned.slice(done);
    if (!ends || isComplete || unscanned.length > 0) return;
    scanner.settle(true);
    isComplete = true;
    scanWords();
    sentences.push(scanned);
    paragraphs.push(scanned);
  };

  /** `offset`, or the beginning of the character that it is inside of. */
  const wholeCharacter = (offset: number): number => {
    const isInside = offset < text.length() && (text.slice(offset, offset + 1).charCodeAt(0) & 0xfc00) === 0xdc00;
    return isInside ? offset - 1 : offset;
  };

  const newWordScanner = (): WordScanner => {
    const created = createWordScanner(segmenter, words.push);
    created.moveTo(text.start());
    return created;
  };

  const wantWords = (): void => {
    if (wordScanner !== undefined) return;
    wordScanner = newWordScanner();
    scanWords();
  };

  const isWordEnd = (offset: number): boolean => {
    if (offset <= text.start() || offset > scanned) return false;
    const around = text.slice(Math.max(text.start(), offset - 2), Math.min(scanned, offset + 2));
    const middle = Math.min(2, offset - text.start());
    if (extendsCluster(around, middle)) return false;
    if (isSpace(around.charCodeAt(middle - 1))) return true;
    if (middle < around.length) return isSpace(around.charCodeAt(middle)) || words.has(offset);
    return /[!?;:)\]}\p{Pf}\p{Pe}…。、，！？；：]$/u.test(around) || scanner.endsHere();
  };

  const levelAt = (offset: number): Boundary => {
    if (isComplete && offset === scanned) return "completion";
    if (paragraphs.has(offset)) return "paragraph";
    if (sentences.has(offset)) return "sentence";
    if (offset === scanned && offset > text.start() && scanner.endsHere()) return "sentence";
    return isWordEnd(offset) ? "word" : "none";
  };

  /** The last word end in [from, to], by the text alone; `from` if there is none after it. */
  const wordEndBefore = (from: number, to: number): number => {
    const begin = Math.max(from, to - WORD_LOOK_BACK);
    // One more character decides whether the end itself is a word's end.
    const around = text.slice(begin, Math.min(scanned, to + 1));
    const size = to - begin;
    let index = size;
    while (index > 0) {
      const isHere =
        isSpace(around.charCodeAt(index - 1)) && !isSpace(around.charCodeAt(index)) && !extendsCluster(around, index);
      if (isHere) break;
      index -= 1;
    }
    const tail = around.slice(index);
    if (hasUnspacedScript(tail)) {
      const end = unspacedWordEnds(segmenter, tail, language).findLast((wordEnd) => index + wordEnd <= size);
      if (end !== undefined) index += end;
    }
    return begin + index > from && index > 0 ? begin + index : from;
  };

  const lineEndBefore = (from: number, to: number): number => {
    const feed = text.slice(from, to).lastIndexOf("\n");
    return feed < 0 ? from : from + feed + 1;
  };

  const lastWord = (from: number): number => {
    // A line that may yet open or close a code block is left out.
    const known = isMarkdown ? Math.min(scanned, classified()) : scanned;
    const code = codeAround(Math.max(0, known - 1));
    if (code !== undefined && code.end >= known) {
      const line = lineEndBefore(Math.max(from, Math.min(code.start, known)), known);
      return line > from ? line : Math.max(from, Math.min(code.start, known));
    }
    if (known <= from) return from;
    if (isWordEnd(known)) return known;
    return wordEndBefore(Math.max(from, code?.end ?? from), known);
  };

  const cutWithin = (from: number, to: number, maxCodePoints: number, maxBytes: number): number => {
    const size = to - from;
    if (size <= maxCodePoints && size * MOST_BYTES_PER_UNIT + 2 <= maxBytes) return to;
    // Reads at most the text that can fit, and the look-ahead for the cluster at the cut.
    const most = Math.min(2 * maxCodePoints, maxBytes) + CLUSTER_LOOK_AHEAD + 2;
    const piece = text.slice(from, Math.min(to, from + most));
    const fitting = fittingLength(piece, maxCodePoints, maxBytes);
    if (fitting >= size) return to;
    const firstCharacter = (piece.codePointAt(0) ?? 0) > 0xffff ? 2 : 1;
    if (fitting === 0) return from + firstCharacter;
    const limit = from + fitting;
    const middle = from + (fitting >> 1);
    const cluster = (): number => {
      const end = clusterEndBefore(segmenter, piece, fitting);
      return end > 0 ? from + end : limit;
    };
    const code = codeAround(limit);
    if (code !== undefined && code.start < limit) {
      const line = lineEndBefore(Math.max(from, code.start), limit);
      if (line > from) return line;
      return cluster();
    }
    for (const list of [paragraphs, sentences]) {
      const best = list.lastUpTo(limit);
      if (best !== undefined && best > middle) return best;
    }
    const word = wordEndBefore(Math.max(middle, code?.start ?? middle), limit);
    if (word > middle) return word;
    return cluster();
  };

  return {
    length: text.length,
    append: (chunk, chunkLanguage, options) => {
      text.append(chunk);
      const last = unscanned.at(-1);
      if (last?.language === chunkLanguage && last.markdown === options.markdown) last.end = text.length();
      else unscanned.push({ end: text.length(), language: chunkLanguage, markdown: options.markdown });
    },
    complete: () => {
      ends = true;
    },
    scanTo,
    scanned: () => scanned,
    next: (from, level) => {
      if (level === "paragraph") return paragraphs.firstAfter(from);
      const sentence = sentences.firstAfter(from);
      if (level === "sentence") return sentence;
      wantWords();
      const word = words.firstAfter(from);
      return word === undefined || (sentence !== undefined && sentence < word) ? sentence : word;
    },
    last: (before, level) => {
      if (level === "paragraph") return paragraphs.lastUpTo(before) ?? 0;
      const sentence = sentences.lastUpTo(before) ?? 0;
      if (level === "sentence") return sentence;
      wantWords();
      return Math.max(sentence, words.lastUpTo(before) ?? 0);
    },
    levelAt,
    cutWithin,
    lastWord,
    slice: text.slice,
    codePointsAt: text.codePointsAt,
    forget: (offset) => {
      scanWords();
      text.forget(Math.min(offset, scanned, wordScanner?.offset() ?? scanned));
      for (const list of [sentences, paragraphs, words]) list.forget(offset);
      fences.forget(offset);
    },
  };
}

function hasUnspacedScript(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) if (isUnspacedScript(text.charCodeAt(index))) return true;
  return false;
}
