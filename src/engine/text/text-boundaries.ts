// The places at which the text of one output may be cut (R10), for all subscriptions to it, whatever their terms. There is one object for each output
// of a session. Chunks are added at the end, and text that no view needs is forgotten at the beginning. All offsets are UTF-16 units from the start
// of the output. Text is well-formed at every chunk's end (R25).
import type { Segmenter } from "../../contracts/segmenter.js";
import { extendsCluster, isSpace, isUnspacedScript } from "./characters.js";
import { CLUSTER_LOOK_AHEAD, CLUSTER_LOOK_BACK, clusterEndBefore } from "./cluster-ends.js";
import { OffsetList } from "./offset-list.js";
import { RetainedText } from "./retained-text.js";
import { SentenceScanner } from "./sentence-scanner.js";
import { TextSizes } from "./text-sizes.js";
import { unspacedWordEnds, WordScanner } from "./word-scanner.js";

/** The boundary at an offset; strength ascends from "none". */
type Boundary = "none" | "word" | "sentence" | "paragraph" | "completion";
export type CutLevel = "word" | "sentence" | "paragraph";

const WORD_LOOK_BACK = 256;

/** Text of one language and one kind of lines, up to `end`. */
interface Stretch {
  readonly end: number;
  readonly language: string;
  readonly markdown: boolean;
}

export class TextBoundaries {
  private readonly segmenter: Segmenter;
  private readonly scanner: SentenceScanner;
  private readonly text = new RetainedText();
  private readonly sizes = new TextSizes(this.text);
  private readonly words = new OffsetList();
  private wordScanner: WordScanner | undefined;
  // Stretches that were appended and not scanned to their end, in order.
  private unscanned: readonly Stretch[] = [];
  private scannedTo = 0;
  private ends = false;
  private isComplete = false;
  private isMarkdown = false;
  private language = "";

  /** `opening` is the opening line of the code block in which the text begins, if it begins in one (code-blocks.ts). Offsets do not count it. */
  constructor(segmenter: Segmenter, opening = "") {
    this.segmenter = segmenter;
    this.scanner = new SentenceScanner(segmenter, -opening.length);
    if (opening !== "") this.scanner.append(opening, "", true);
  }

  /** The same text up to here, to go on otherwise: neither object changes the other. Costs as much as the text that is kept. */
  copy(): TextBoundaries {
    const [text, words, scanner] = [this.text.copy(), this.words.copy(), this.scanner.copy()];
    const sizes = this.sizes.copy(text);
    const wordScanner = this.wordScanner?.copy((offset) => words.push(offset));
    return Object.assign(new TextBoundaries(this.segmenter), this, { text, sizes, words, scanner, wordScanner });
  }

  /** Length of the text so far, scanned or not. */
  get length(): number {
    return this.text.length;
  }

  /** Offset up to which the text is scanned. */
  get scanned(): number {
    return this.scannedTo;
  }

  /**
   * Adds a chunk; `scanTo` reads it. `language` is its RFC 5646 tag; with `markdown` its lines have kinds. If either changes, open decisions are made
   * as if the text ended there, because such chunks are not merged (R10).
   */
  append(chunk: string, language: string, { markdown }: { readonly markdown: boolean }): void {
    this.text.append(chunk);
    const last = this.unscanned.at(-1);
    const isSame = last?.language === language && last.markdown === markdown;
    const before = isSame ? this.unscanned.slice(0, -1) : this.unscanned;
    this.unscanned = [...before, { end: this.text.length, language, markdown }];
  }

  /** Ends the text. When all of it is scanned, its end counts as a boundary of every level. */
  complete(): void {
    this.ends = true;
  }

  /**
   * Reads the text up to `offset` (one unit less if that is inside a surrogate pair), so that a long chunk can be read over several turns (R34). Text
   * is read once, so each view that needs the text up to an offset may ask for it. Steps of any size find the same boundaries; a step of two units or
   * more makes progress. For the functions below the text ends at the scanned offset, except for `slice`. With the level "word", words are searched
   * up to the offset too, even in text that was scanned before.
   */
  scanTo(offset: number, level?: CutLevel): void {
    const limit = this.wholeCharacter(offset);
    this.scanText(limit);
    if (level === "word") this.scanWords(limit);
  }

  /**
   * The first confirmed boundary of at least `level` after `from`; undefined if there is none yet. A boundary is never revoked. It is confirmed by
   * the next word, by the closing of brackets or a quotation around it (within 300 characters), or by its line's end. Words are searched from the
   * first request on: as far as that `scanTo` goes, or else in all scanned text.
   */
  next(from: number, level: CutLevel): number | undefined {
    const { sentences, paragraphs } = this.scanner;
    if (level === "paragraph") return paragraphs.firstAfter(from);
    const sentence = sentences.firstAfter(from);
    if (level === "sentence") return sentence;
    this.wantWords();
    const word = this.words.firstAfter(from);
    return word === undefined || (sentence !== undefined && sentence < word) ? sentence : word;
  }

  /** The last confirmed boundary of at least `level` that is at most `before`, even in forgotten text; 0 if there is none. */
  last(before: number, level: CutLevel): number {
    const { sentences, paragraphs } = this.scanner;
    if (level === "paragraph") return paragraphs.lastUpTo(before) ?? 0;
    const sentence = sentences.lastUpTo(before) ?? 0;
    if (level === "sentence") return sentence;
    this.wantWords();
    return Math.max(sentence, this.words.lastUpTo(before) ?? 0);
  }

  /**
   * The strongest boundary at `offset`: a confirmed one, or the one that there would be if the text ended there. "none" inside a word. May call the
   * segmenter at the text's end.
   */
  levelAt(offset: number): Boundary {
    const { scanner, scannedTo } = this;
    if (this.isComplete && offset === scannedTo) return "completion";
    if (scanner.paragraphs.has(offset)) return "paragraph";
    if (scanner.sentences.has(offset)) return "sentence";
    if (offset === scannedTo && offset > this.text.start && scanner.endsHere()) return "sentence";
    return this.isWordEnd(offset) ? "word" : "none";
  }

  /**
   * The offset at which to cut [from, to), so that the piece has at most `maxCodePoints` code points and at most `maxBytes` UTF-8 bytes as a JSON
   * string with its quotation marks. This is the strongest boundary in the second half, else a word, else a grapheme cluster; in a fenced code block
   * the last line end, or a cluster if a line is too long. The result is `to` if all fits. Only a cluster that is itself larger than the limits is
   * cut inside, between code points; the limits have room for one. `isHurried`: only spaces count as ends of words, and nothing as a cluster, because
   * the search for those takes long (R34).
   */
  cutWithin(from: number, to: number, maxCodePoints: number, maxBytes: number, isHurried = false): number {
    const limit = this.sizes.fittingEnd(from, to, maxCodePoints, maxBytes);
    if (limit === to) return to;
    const middle = from + ((limit - from) >> 1);
    const cluster = (): number => (isHurried ? limit : this.clusterEndBefore(limit, from, to));
    const code = this.codeAround(limit);
    if (code !== undefined) {
      const begin = Math.max(from, code.start);
      const line = this.lineEndBefore(begin, limit);
      return line > from ? line : cluster();
    }
    for (const list of [this.scanner.paragraphs, this.scanner.sentences]) {
      const best = list.lastUpTo(limit);
      if (best !== undefined && best > middle) return best;
    }
    const word = this.wordEndBefore(middle, limit, isHurried);
    return word > middle ? word : cluster();
  }

  /**
   * The last end of a word (in code: of a line) after `from` and up to `to`, for a release that an event of another agent requires; else `from`.
   */
  lastWord(from: number, to = this.scannedTo): number {
    // A line that may yet open or close a code block is left out.
    const known = Math.min(to, this.isMarkdown ? Math.min(this.scannedTo, this.classified()) : this.scannedTo);
    const code = this.codeAround(Math.max(0, known - 1));
    if (code !== undefined && code.end >= known)
      return this.lineEndBefore(Math.max(from, Math.min(code.start, known)), known);
    if (known <= from) return from;
    if (this.isWordEnd(known)) return known;
    return this.wordEndBefore(Math.max(from, code?.end ?? from), known);
  }

  /** The text between two offsets that are not forgotten. */
  slice(from: number, to: number): string {
    return this.text.slice(from, to);
  }

  /** Forgets the text before `offset`. */
  forget(offset: number): void {
    if (this.wordScanner !== undefined) this.scanWords();
    const least = Math.min(offset, this.scannedTo, this.wordScanner?.offset ?? this.scannedTo);
    this.text.forget(this.sizes.forget(least));
    const { sentences, paragraphs, fences } = this.scanner;
    for (const list of [sentences, paragraphs, this.words, fences]) list.forget(offset);
  }

  private classified(): number {
    return Math.max(0, this.scanner.classified());
  }

  /** The code block around `offset`: its beginning, and its end as far as it is known. */
  private codeAround(offset: number): { readonly start: number; readonly end: number } | undefined {
    const { fences } = this.scanner;
    const index = fences.countUpTo(offset);
    if (index % 2 === 0) return undefined;
    return { start: fences.at(index - 1) ?? 0, end: fences.at(index) ?? this.scannedTo };
  }

  private wantWords(): void {
    if (this.wordScanner === undefined) this.scanWords();
  }

  /** Searches words up to `to`, as far as the text is known to be no code. */
  private scanWords(to = this.scannedTo): void {
    this.wordScanner ??= this.newWordScanner();
    const { wordScanner } = this;
    const limit = Math.min(to, this.isComplete ? this.scannedTo : this.classified());
    for (let { offset } = wordScanner; offset < limit; { offset } = wordScanner) {
      const code = this.codeAround(offset);
      if (code !== undefined) {
        // After code, a word begins where the sentence begins.
        wordScanner.moveTo(Math.min(code.end, limit));
        continue;
      }
      const { fences } = this.scanner;
      const nextFence = fences.at(fences.countUpTo(offset)) ?? limit;
      wordScanner.append(this.text.slice(offset, Math.min(limit, nextFence)), this.language);
    }
  }

  private newWordScanner(): WordScanner {
    const created = new WordScanner(this.segmenter, (offset) => this.words.push(offset));
    created.moveTo(this.text.start);
    return created;
  }

  private scanText(limit: number): void {
    let done = 0;
    for (const stretch of this.unscanned) {
      const to = Math.max(this.scannedTo, Math.min(stretch.end, limit));
      if (to > this.scannedTo || to === stretch.end) this.scanStretch(stretch, to);
      if (to < stretch.end) break;
      done += 1;
    }
    if (done > 0) this.unscanned = this.unscanned.slice(done);
    if (!this.ends || this.isComplete || this.unscanned.length > 0) return;
    this.scanner.settle(true);
    this.isComplete = true;
    if (this.wordScanner !== undefined) this.scanWords();
    this.scanner.sentences.push(this.scannedTo);
    this.scanner.paragraphs.push(this.scannedTo);
  }

  private scanStretch(stretch: Stretch, to: number): void {
    const { scanner, scannedTo } = this;
    if (scannedTo > 0 && (stretch.language !== this.language || stretch.markdown !== this.isMarkdown)) {
      scanner.settle(false);
      if (this.wordScanner !== undefined) this.scanWords();
    }
    ({ language: this.language, markdown: this.isMarkdown } = stretch);
    const piece = this.text.slice(scannedTo, to);
    this.scannedTo = to;
    scanner.append(piece, this.language, this.isMarkdown);
    if (this.wordScanner !== undefined) this.scanWords();
  }

  /** `offset`, or the beginning of the character that it is inside of. */
  private wholeCharacter(offset: number): number {
    const isInside =
      offset < this.text.length && (this.text.slice(offset, offset + 1).charCodeAt(0) & 0xfc00) === 0xdc00;
    return isInside ? offset - 1 : offset;
  }

  private isWordEnd(offset: number): boolean {
    const { text, scannedTo } = this;
    if (offset <= text.start || offset > scannedTo) return false;
    const around = text.slice(Math.max(text.start, offset - 2), Math.min(scannedTo, offset + 2));
    const middle = Math.min(2, offset - text.start);
    if (extendsCluster(around, middle)) return false;
    if (isSpace(around.charCodeAt(middle - 1))) return true;
    if (middle < around.length) return isSpace(around.charCodeAt(middle)) || this.words.has(offset);
    return /[!?;:)\]}\p{Pf}\p{Pe}…。、，！？；：]$/u.test(around) || this.scanner.endsHere();
  }

  /** The last word end in [from, to], by the text alone; `from` if there is none after it. */
  private wordEndBefore(from: number, to: number, isHurried = false): number {
    const begin = Math.max(from, to - WORD_LOOK_BACK);
    // One more character decides whether the end itself is a word's end.
    const around = this.text.slice(begin, Math.min(this.scannedTo, to + 1));
    const size = to - begin;
    let index = size;
    while (index > 0) {
      const isHere =
        isSpace(around.charCodeAt(index - 1)) && !isSpace(around.charCodeAt(index)) && !extendsCluster(around, index);
      if (isHere) break;
      index -= 1;
    }
    const tail = around.slice(index);
    if (!isHurried && hasUnspacedScript(tail)) {
      const end = unspacedWordEnds(this.segmenter, tail, this.language).findLast((wordEnd) => index + wordEnd <= size);
      if (end !== undefined) index += end;
    }
    return begin + index > from && index > 0 ? begin + index : from;
  }

  /** The last end of a grapheme cluster of [from, to) up to `limit`; `limit` if the first one is longer. */
  private clusterEndBefore(limit: number, from: number, to: number): number {
    // With one character more than is looked back, no cluster seems to begin where this text does.
    const begin = Math.max(from, limit - CLUSTER_LOOK_BACK - 2);
    const around = this.text.slice(begin, Math.min(to, limit + CLUSTER_LOOK_AHEAD));
    const end = clusterEndBefore(this.segmenter, around, limit - begin);
    return end > 0 ? begin + end : limit;
  }

  private lineEndBefore(from: number, to: number): number {
    const feed = this.text.slice(from, to).lastIndexOf("\n");
    return feed < 0 ? from : from + feed + 1;
  }
}

function hasUnspacedScript(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) if (isUnspacedScript(text.charCodeAt(index))) return true;
  return false;
}
