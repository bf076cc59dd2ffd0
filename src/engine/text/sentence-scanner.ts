// Reads the text of one output as it grows, and finds the ends of sentences and paragraphs, and fenced code. It first finds the kind of a line, and
// then the candidates in it. It holds only the unfinished sentence, and stops where a decision needs more text.
import type { Segmenter } from "../../contracts/segmenter.js";
import { emojiLength, isInk, isSpace, terminatorLength } from "./characters.js";
import { Enclosures } from "./enclosures.js";
import { closesFence, type LineKind, lineKindAt } from "./markdown-lines.js";
import { OffsetList } from "./offset-list.js";
import { type Candidate, candidateAt, createCandidateReading, endsSentence } from "./sentence-candidates.js";

/** Longest sentence without end that is held; more than any decision reads. */
const LONGEST_MEMORY = 2_048;
const KEPT_MEMORY = 1_024;
/** Length of the needless text that is dropped at a time. Small in running text, because each token joins the whole held text again. */
const TRIM_TEXT_UNITS = 64;
const TRIM_LINE_UNITS = 512;

type Line = Exclude<LineKind["kind"], "unknown" | "blank" | "fence"> | "head" | "code-head" | "code" | "code-end";

/** All offsets are UTF-16 units from the start of the output. */
export class SentenceScanner {
  readonly sentences = new OffsetList();
  readonly paragraphs = new OffsetList();
  /** Beginnings and ends of fenced code blocks, alternating. A block may begin where another ends. */
  readonly fences = new OffsetList(true);
  private readonly segmenter: Pick<Segmenter, "sentenceEnds">;
  private readonly enclosures = new Enclosures();
  // The indexes below are into `tail`, which begins at offset `base` of the output.
  private tail = "";
  private base: number;
  private at = 0;
  private lineStart = 0;
  private sentenceStart = 0;
  private line: Line = "head";
  private waiting: Candidate | undefined;
  private fence = "";
  private isTable = false;
  private isMarkdown = false;
  private language = "";
  // Whether there is more than white space behind the last boundary. White space alone is no sentence.
  private hasText = false;
  private hasTextInParagraph = false;
  // Whether there is a letter or a similar character, searched up to `inkless`. After marks alone, a full stop ends nothing.
  private hasInk = false;
  private inkless = 0;
  // Whether the sentence begins with an emoji; undefined until somebody asks.
  private hasEmojiFirst: boolean | undefined;
  // The progress of the candidate that needs more text, and its offset in the output.
  private reading = createCandidateReading(true);
  private readingOf = Number.NEGATIVE_INFINITY;

  /** `start`: the offset of the first text; negative if text is read before the output's. */
  constructor(segmenter: Pick<Segmenter, "sentenceEnds">, start: number) {
    this.segmenter = rememberingLast(segmenter);
    this.base = start;
  }

  /** The same place in the same text, for a text that goes on otherwise. Enclosures are read again from the text. */
  copy(): SentenceScanner {
    const [sentences, paragraphs, fences] = [this.sentences.copy(), this.paragraphs.copy(), this.fences.copy()];
    const own = { sentences, paragraphs, fences, enclosures: new Enclosures(), reading: { ...this.reading } };
    return Object.assign(new SentenceScanner(this.segmenter, 0), this, own);
  }

  append(text: string, language: string, markdown: boolean): void {
    this.language = language;
    this.isMarkdown = markdown;
    this.tail += text;
    this.advance(false);
    this.trim();
  }

  /** Decides all that is open as if the text ended here; with `final`, it does. */
  settle(final: boolean): void {
    this.advance(true);
    if (final && (this.line === "code" || this.line === "code-head")) this.fences.push(this.base + this.tail.length);
  }

  /** Text before this offset is known to be running text or code. Later text may still become either. */
  classified(): number {
    const { tail, base } = this;
    if (this.line === "head" || this.line === "code-head") return base + this.lineStart;
    const feed = tail.indexOf("\n", this.at);
    return base + (feed < 0 ? tail.length : feed + 1);
  }

  /** Whether a sentence would end if the text ended here. */
  endsHere(): boolean {
    const { tail, line, language } = this;
    if (line === "code" || line === "code-head") return false;
    // The block's line is complete. Only the question whether a blank line follows is open.
    if (line !== "head" && line !== "prose" && tail.charAt(this.at) === "\n") return true;
    let start = tail.length - 1;
    const oldest = Math.max(this.sentenceStart, tail.length - 64);
    while (start >= oldest && terminatorLength(tail, start, language) === 0) start -= 1;
    if (start < oldest) return false;
    while (start > oldest && terminatorLength(tail, start - 1, language) > 0) start -= 1;
    const found = candidateAt(tail, start, language, true, createCandidateReading(!this.beginsWithEmoji()));
    const isLast = found.kind === "text-end" || (found.kind === "line-end" && tail.slice(found.resume).trim() === "");
    return isLast && this.hasInkBefore(start) && this.endsAt(found.candidate, tail.length, true) === true;
  }

  /** Whether a sentence ends at the candidate and the next one begins at `next`; undefined: more text is needed. */
  private endsAt(candidate: Candidate, next: number, ended: boolean): boolean | undefined {
    const { tail, base, enclosures } = this;
    return endsSentence(
      this.segmenter,
      (from, until, isLast) => enclosures.isEnclosed(tail, base, base + from, base + until, isLast),
      tail,
      this.sentenceStart,
      candidate,
      next,
      this.language,
      ended,
    );
  }

  private hasInkBefore(index: number): boolean {
    for (; !this.hasInk && this.inkless < index; this.inkless += 1) this.hasInk = isInk(this.tail, this.inkless);
    return this.hasInk;
  }

  private beginsWithEmoji(): boolean {
    const { tail, sentenceStart } = this;
    this.hasEmojiFirst ??= emojiLength(tail, nextAfterSpace(tail, sentenceStart)) > 0;
    return this.hasEmojiFirst;
  }

  private endSentence(index: number): void {
    if (this.hasText) this.sentences.push(this.base + index);
    this.hasText = false;
    this.sentenceStart = index;
    this.waiting = undefined;
    this.hasInk = false;
    this.inkless = index;
    this.hasEmojiFirst = undefined;
  }

  private endParagraph(index: number): void {
    this.endSentence(index);
    if (this.hasTextInParagraph) this.paragraphs.push(this.base + index);
    this.hasTextInParagraph = false;
    this.isTable = false;
  }

  private beginLine(index: number, kind: "head" | "code-head"): void {
    this.line = kind;
    this.at = index;
    this.lineStart = index;
  }

  private advance(ended: boolean): void {
    while (this.at < this.tail.length && this.step(ended)) {
      // Each step changes `at` or the state.
    }
  }

  /** Does one step; returns false if it can go no further. */
  private step(ended: boolean): boolean {
    switch (this.line) {
      case "head":
        return this.readHead(ended);
      case "code-head": {
        const closes = closesFence(this.tail, this.lineStart, this.fence, ended);
        if (closes === undefined) return false;
        this.line = closes ? "code-end" : "code";
        return true;
      }
      case "prose":
      case "item":
        return this.readText(ended);
      case "row":
      case "rule":
      case "code":
        return this.readWholeLine(ended);
      case "code-end":
        return this.readCodeEnd(ended);
    }
  }

  private readHead(ended: boolean): boolean {
    const { lineStart } = this;
    const kind = lineKindAt(this.tail, lineStart, this.isMarkdown, ended);
    switch (kind.kind) {
      case "unknown":
        return false;
      case "blank":
        this.endParagraph(kind.end);
        this.beginLine(kind.end, "head");
        return true;
      case "fence":
        this.endSentence(lineStart);
        this.fences.push(Math.max(0, this.base + lineStart));
        this.fence = kind.mark;
        this.line = "code";
        break;
      case "prose":
        if (this.isTable) {
          this.endSentence(lineStart);
          this.line = "row";
          break;
        }
        if (this.waiting !== undefined) {
          const isEnd = this.endsAt(this.waiting, kind.content, ended);
          if (isEnd === undefined) return false;
          this.waiting = undefined;
          if (isEnd) this.endSentence(kind.content);
        }
        this.line = "prose";
        this.at = kind.content;
        break;
      case "item":
        this.endSentence(lineStart);
        this.line = "item";
        this.at = kind.content;
        this.sentenceStart = this.at;
        break;
      case "row":
        this.endSentence(lineStart);
        this.line = "row";
        break;
      case "rule":
        this.line = "rule";
        break;
    }
    this.hasText = true;
    this.hasTextInParagraph = true;
    return true;
  }

  private readText(ended: boolean): boolean {
    const { tail, language } = this;
    if (!this.hasText) {
      // A sentence ended here because the language changed, and its line continues.
      const ink = nextAfterSpace(tail, this.at);
      if (ink === tail.length) {
        this.at = ink;
        return false;
      }
      this.hasText = tail.charCodeAt(ink) !== 0x0a;
      this.hasTextInParagraph ||= this.hasText;
    }
    for (; this.at < tail.length; this.at += 1) {
      const code = tail.charCodeAt(this.at);
      if (code === 0x0a) {
        if (this.line === "item") return this.endBlockLine(this.at, ended);
        this.beginLine(this.at + 1, "head");
        return true;
      }
      if (code > 0x3f && code < 0x37e) continue;
      if (terminatorLength(tail, this.at, language) > 0 && !this.readCandidate(ended)) return false;
    }
    return false;
  }

  /** Reads the candidate at the present place, and stops at its last character. Returns false if it needs more text. */
  private readCandidate(ended: boolean): boolean {
    const { tail, base, at } = this;
    if (this.readingOf !== base + at)
      [this.readingOf, this.reading] = [base + at, createCandidateReading(!this.beginsWithEmoji())];
    const found = candidateAt(tail, at, this.language, ended, this.reading);
    if ("candidate" in found && !this.hasInkBefore(at)) {
      this.at = found.candidate.stop - 1;
      return true;
    }
    switch (found.kind) {
      case "wait":
        return false;
      case "none":
        this.at = found.resume - 1;
        return true;
      case "line-end":
        this.waiting = found.candidate;
        this.at = found.resume - 1;
        return true;
      case "text-end":
        if (this.endsAt(found.candidate, tail.length, true)) this.endSentence(tail.length);
        this.at = tail.length - 1;
        return true;
      case "inside": {
        const isEnd = this.endsAt(found.candidate, found.next, ended);
        if (isEnd === undefined) return false;
        if (isEnd) {
          this.endSentence(found.next);
          this.hasText = true;
          this.hasTextInParagraph = true;
        }
        this.at = (isEnd ? found.next : found.candidate.stop) - 1;
        return true;
      }
    }
  }

  private readWholeLine(ended: boolean): boolean {
    const feed = this.tail.indexOf("\n", this.at);
    if (feed < 0) {
      this.at = this.tail.length;
      return false;
    }
    if (this.line !== "code") {
      this.at = feed;
      return this.endBlockLine(feed, ended);
    }
    this.beginLine(feed + 1, "code-head");
    return true;
  }

  private readCodeEnd(ended: boolean): boolean {
    const feed = this.tail.indexOf("\n", this.at);
    if (feed < 0 && !ended) return false;
    const end = feed < 0 ? this.tail.length : feed + 1;
    if (feed < 0) {
      this.fences.push(this.base + end);
      this.at = end;
      this.line = "rule";
      return false;
    }
    if (!this.endBlockLine(feed, ended)) return false;
    this.fences.push(this.base + end);
    return true;
  }

  /** Ends a line that is a block of its own. It needs one more character, because a blank line behind it makes its end a paragraph's end. */
  private endBlockLine(feed: number, ended: boolean): boolean {
    const { tail } = this;
    const next = feed + 1;
    const follows = tail.charAt(next) === "\r" ? tail.charAt(next + 1) : tail.charAt(next);
    if (follows === "" && !ended) return false;
    if (this.line === "rule" && tail.slice(this.lineStart, feed).includes("|")) this.isTable = true;
    if (follows !== "\n") this.endSentence(next);
    this.beginLine(next, "head");
    return true;
  }

  /** Drops the text that no decision will read again. */
  private trim(): void {
    const { line, at } = this;
    if (line === "code" || line === "row" || line === "rule") this.sentenceStart = at;
    else if (at - this.sentenceStart > LONGEST_MEMORY) {
      this.beginsWithEmoji();
      this.sentenceStart = at - KEPT_MEMORY;
    }
    // The beginning of a line is read again only while its kind is open.
    const needed = line === "head" || line === "code-head" || line === "code-end" ? this.lineStart : at;
    // A mark that begins a sentence is judged by the character before it.
    const cut = Math.min(this.sentenceStart, needed) - 1;
    this.hasInkBefore(cut);
    if (cut < (line === "prose" || line === "item" ? TRIM_TEXT_UNITS : TRIM_LINE_UNITS)) return;
    this.tail = this.tail.slice(cut);
    this.base += cut;
    this.at -= cut;
    this.lineStart = Math.max(0, this.lineStart - cut);
    this.sentenceStart -= cut;
    this.inkless = Math.max(0, this.inkless - cut);
    if (this.waiting === undefined) return;
    const { start, stop, closed } = this.waiting;
    this.waiting = { start: start - cut, stop: stop - cut, closed: closed - cut };
  }
}

/** Index of the next character that is no white space, or of the line's end. */
function nextAfterSpace(text: string, start: number): number {
  let index = start;
  for (; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x0a || !(isSpace(code) || code === 0xa0)) break;
  }
  return index;
}

/** Remembers the last result. Repetitive text, and an end that was checked before it was certain, ask for the same text again. */
function rememberingLast(segmenter: Pick<Segmenter, "sentenceEnds">): Pick<Segmenter, "sentenceEnds"> {
  let last = { text: "", language: "", ends: [] as readonly number[] };
  return {
    sentenceEnds: (text, language) => {
      if (text !== last.text || language !== last.language)
        last = { text, language, ends: segmenter.sentenceEnds(text, language) };
      return last.ends;
    },
  };
}
