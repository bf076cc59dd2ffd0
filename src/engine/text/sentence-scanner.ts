// Reads the text of one output as it grows, and reports the ends of sentences and paragraphs, and fenced code. It first finds the kind of a line, and
// then the candidates in it. It holds only the unfinished sentence, and stops where a decision needs more text.
import type { Segmenter } from "../../contracts/segmenter.js";
import { isInk, isSpace, terminatorLength } from "./characters.js";
import { createEnclosures } from "./enclosures.js";
import { closesFence, type LineKind, lineKindAt } from "./markdown-lines.js";
import { type Candidate, candidateAt, createCandidateReading, endsSentence } from "./sentence-candidates.js";

/** Longest sentence without end that is held; more than any decision reads. */
const LONGEST_MEMORY = 2_048;
const KEPT_MEMORY = 1_024;
/** Length of the needless text that is dropped at a time. Small in running text, because each token joins the whole held text again. */
const TRIM_TEXT_UNITS = 64;
const TRIM_LINE_UNITS = 512;

/** Offsets are UTF-16 units from the start of the output; each function gets them in ascending order. */
export interface BoundarySink {
  readonly sentence: (offset: number) => void;
  readonly paragraph: (offset: number) => void;
  readonly codeBegins: (offset: number) => void;
  readonly codeEnds: (offset: number) => void;
}

export interface SentenceScanner {
  readonly append: (text: string, language: string, markdown: boolean) => void;
  /** Decides all that is open as if the text ended here; with `final`, it does. */
  readonly settle: (final: boolean) => void;
  /** Text before this offset is known to be running text or code. Later text may still become either. */
  readonly classified: () => number;
  /** Whether a sentence would end if the text ended here. */
  readonly endsHere: () => boolean;
}

type Line = Exclude<LineKind["kind"], "unknown" | "blank" | "fence"> | "head" | "code-head" | "code" | "code-end";

export function createSentenceScanner(given: Segmenter, sink: BoundarySink): SentenceScanner {
  const segmenter = rememberingLast(given);
  // The indexes below are into `tail`, which begins at offset `base` of the output.
  let tail = "";
  let base = 0;
  let at = 0;
  let lineStart = 0;
  let sentenceStart = 0;
  let line: Line = "head";
  let waiting: Candidate | undefined;
  let fence = "";
  let isTable = false;
  let isMarkdown = false;
  let language = "";
  // Whether there is more than white space behind the last boundary. White space alone is no sentence.
  let hasText = false;
  let hasTextInParagraph = false;
  // Whether there is a letter or a similar character, searched up to `inkless`. After marks alone, a full stop ends nothing.
  let hasInk = false;
  let inkless = 0;
  // The progress of the candidate that needs more text, and its offset in the output.
  let reading = createCandidateReading();
  let readingOf = -1;

  const enclosures = createEnclosures();
  const isEnclosed = (from: number, until: number, ended: boolean): boolean | undefined =>
    enclosures.isEnclosed(tail, base, base + from, base + until, ended);

  const hasInkBefore = (index: number): boolean => {
    for (; !hasInk && inkless < index; inkless += 1) hasInk = isInk(tail, inkless);
    return hasInk;
  };
  const endSentence = (index: number): void => {
    if (hasText) sink.sentence(base + index);
    hasText = false;
    sentenceStart = index;
    waiting = undefined;
    hasInk = false;
    inkless = index;
  };
  const endParagraph = (index: number): void => {
    endSentence(index);
    if (hasTextInParagraph) sink.paragraph(base + index);
    hasTextInParagraph = false;
    isTable = false;
  };
  const beginLine = (index: number, kind: "head" | "code-head"): void => {
    line = kind;
    at = index;
    lineStart = index;
  };

  /** Ends a line that is a block of its own. It needs one more character, because a blank line behind it makes its end a paragraph's end. */
  const endBlockLine = (feed: number, ended: boolean): boolean => {
    const next = feed + 1;
    const follows = tail.charAt(next) === "\r" ? tail.charAt(next + 1) : tail.charAt(next);
    if (follows === "" && !ended) return false;
    if (line === "rule" && tail.slice(lineStart, feed).includes("|")) isTable = true;
    if (follows !== "\n") endSentence(next);
    beginLine(next, "head");
    return true;
  };

  const readHead = (ended: boolean): boolean => {
    const kind = lineKindAt(tail, lineStart, isMarkdown, ended);
    switch (kind.kind) {
      case "unknown":
        return false;
      case "blank":
        endParagraph(kind.end);
        beginLine(kind.end, "head");
        return true;
      case "fence":
        endSentence(lineStart);
        sink.codeBegins(base + lineStart);
        fence = kind.mark;
        line = "code";
        break;
      case "prose":
        if (isTable) {
          endSentence(lineStart);
          line = "row";
          break;
        }
        if (waiting !== undefined) {
          const isEnd = endsSentence(
            segmenter,
            isEnclosed,
            tail,
            sentenceStart,
            waiting,
            kind.content,
            language,
            ended,
          );
          if (isEnd === undefined) return false;
          waiting = undefined;
          if (isEnd) endSentence(kind.content);
        }
        line = "prose";
        at = kind.content;
        break;
      case "item":
        endSentence(lineStart);
        line = "item";
        at = kind.content;
        sentenceStart = at;
        break;
      case "row":
        endSentence(lineStart);
        line = "row";
        break;
      case "rule":
        line = "rule";
        break;
    }
    hasText = true;
    hasTextInParagraph = true;
    return true;
  };

  const readText = (ended: boolean): boolean => {
    if (!hasText) {
      // A sentence ended here because the language changed, and its line continues.
      const ink = nextAfterSpace(tail, at);
      if (ink === tail.length) {
        at = ink;
        return false;
      }
      hasText = tail.charCodeAt(ink) !== 0x0a;
      hasTextInParagraph ||= hasText;
    }
    for (; at < tail.length; at += 1) {
      const code = tail.charCodeAt(at);
      if (code === 0x0a) {
        if (line === "item") return endBlockLine(at, ended);
        beginLine(at + 1, "head");
        return true;
      }
      if (code > 0x3f && code < 0x37e) continue;
      if (terminatorLength(tail, at, language) === 0) continue;
      if (readingOf !== base + at) [readingOf, reading] = [base + at, createCandidateReading()];
      const found = candidateAt(tail, at, language, ended, reading);
      if ("candidate" in found && !hasInkBefore(at)) {
        at = found.candidate.stop - 1;
        continue;
      }
      switch (found.kind) {
        case "wait":
          return false;
        case "none":
          at = found.resume - 1;
          break;
        case "line-end":
          waiting = found.candidate;
          at = found.resume - 1;
          break;
        case "text-end":
          if (endsSentence(segmenter, isEnclosed, tail, sentenceStart, found.candidate, tail.length, language, true))
            endSentence(tail.length);
          at = tail.length - 1;
          break;
        case "inside": {
          const isEnd = endsSentence(
            segmenter,
            isEnclosed,
            tail,
            sentenceStart,
            found.candidate,
            found.next,
            language,
            ended,
          );
          if (isEnd === undefined) return false;
          if (isEnd) {
            endSentence(found.next);
            hasText = true;
            hasTextInParagraph = true;
          }
          at = (isEnd ? found.next : found.candidate.stop) - 1;
          break;
        }
      }
    }
    return false;
  };

  const readWholeLine = (ended: boolean): boolean => {
    const feed = tail.indexOf("\n", at);
    if (feed < 0) {
      at = tail.length;
      return false;
    }
    if (line !== "code") {
      at = feed;
      return endBlockLine(feed, ended);
    }
    beginLine(feed + 1, "code-head");
    return true;
  };

  const readCodeHead = (ended: boolean): boolean => {
    const closes = closesFence(tail, lineStart, fence, ended);
    if (closes === undefined) return false;
    line = closes ? "code-end" : "code";
    return true;
  };

  /** Does one step; returns false if it can go no further. */
  const step = (ended: boolean): boolean => {
    switch (line) {
      case "head":
        return readHead(ended);
      case "code-head":
        return readCodeHead(ended);
      case "prose":
      case "item":
        return readText(ended);
      case "row":
      case "rule":
      case "code":
        return readWholeLine(ended);
      case "code-end": {
        const feed = tail.indexOf("\n", at);
        if (feed < 0 && !ended) return false;
        const end = feed < 0 ? tail.length : feed + 1;
        if (feed < 0) {
          sink.codeEnds(base + end);
          at = end;
          line = "rule";
          return false;
        }
        if (!endBlockLine(feed, ended)) return false;
        sink.codeEnds(base + end);
        return true;
      }
    }
  };

  const advance = (ended: boolean): void => {
    while (at < tail.length && step(ended)) {
      // Each step changes `at` or the state.
    }
  };

  /** Drops the text that no decision will read again. */
  const trim = (): void => {
    if (line === "code" || line === "row" || line === "rule") sentenceStart = at;
    else if (at - sentenceStart > LONGEST_MEMORY) sentenceStart = at - KEPT_MEMORY;
    // The beginning of a line is read again only while its kind is open.
    const needed = line === "head" || line === "code-head" || line === "code-end" ? lineStart : at;
    // A mark that begins a sentence is judged by the character before it.
    const cut = Math.min(sentenceStart, needed) - 1;
    hasInkBefore(cut);
    if (cut < (line === "prose" || line === "item" ? TRIM_TEXT_UNITS : TRIM_LINE_UNITS)) return;
    tail = tail.slice(cut);
    base += cut;
    at -= cut;
    lineStart = Math.max(0, lineStart - cut);
    sentenceStart -= cut;
    inkless = Math.max(0, inkless - cut);
    if (waiting !== undefined) {
      waiting = { start: waiting.start - cut, stop: waiting.stop - cut, closed: waiting.closed - cut };
    }
  };

  return {
    append: (text, chunkLanguage, markdown) => {
      language = chunkLanguage;
      isMarkdown = markdown;
      tail += text;
      advance(false);
      trim();
    },
    settle: (final) => {
      advance(true);
      if (final && (line === "code" || line === "code-head")) sink.codeEnds(base + tail.length);
    },
    classified: () => {
      if (line === "head" || line === "code-head") return base + lineStart;
      const feed = tail.indexOf("\n", at);
      return base + (feed < 0 ? tail.length : feed + 1);
    },
    endsHere: () => {
      if (line === "code" || line === "code-head") return false;
      // The block's line is complete. Only the question whether a blank line follows is open.
      if (line !== "head" && line !== "prose" && tail.charAt(at) === "\n") return true;
      let start = tail.length - 1;
      const oldest = Math.max(sentenceStart, tail.length - 64);
      while (start >= oldest && terminatorLength(tail, start, language) === 0) start -= 1;
      if (start < oldest) return false;
      while (start > oldest && terminatorLength(tail, start - 1, language) > 0) start -= 1;
      const found = candidateAt(tail, start, language, true, createCandidateReading());
      const isLast = found.kind === "text-end" || (found.kind === "line-end" && tail.slice(found.resume).trim() === "");
      if (!isLast || !hasInkBefore(start)) return false;
      return (
        endsSentence(segmenter, isEnclosed, tail, sentenceStart, found.candidate, tail.length, language, true) === true
      );
    },
  };
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
