// A place where a sentence may end: found after a terminator, and decided by the text before it and the next word (R10). Every decision reads a
// stretch that the text itself delimits, and never depends on how much has arrived. The result is therefore the same for every division into chunks,
// and is never revoked.
import type { Segmenter } from "../../contracts/segmenter.js";
import {
  type Characters,
  emojiLength,
  extendsCluster,
  isSpace,
  isUnspacedScript,
  terminatorLength,
} from "./characters.js";
import { ruledEnd } from "./sentence-rules.js";

/** Most characters of a next word that are read. */
const LONGEST_NEXT_WORD = 24;
/** Most characters that any decision reads back. */
const LONGEST_LOOK_BACK = 700;
/** Longest sequence of terminators, closers and spaces that can end a sentence. */
const LONGEST_CANDIDATE = 256;
/** Characters in which the words before a candidate are searched. */
const CONTEXT_LENGTH = 80;
/** Number of words shown to the segmenter. It reads one, but judges every full stop that it is shown. */
const SHOWN_WORDS = 3;

const CLOSERS = new Set("\"'”’»›“‘)]}」』）】》〉〕］｝*_~`");
/** Removed for the segmenter: emphasis, quotation marks and brackets hide the word that it judges. */
const DECORATION = /[*_~`"“”„‚«»‹›‘()[\]{}「」『』（）［］【】《》〈〉]/g;
const FOOTNOTE = /^\[\d{1,3}\]/;
const FOOTNOTES = /\[\d{1,3}\]/g;
const BEGUN_FOOTNOTE = /^\[\d{0,3}$/;
const OPENING = new Map([
  [")", "("],
  ["）", "（"],
  ["]", "["],
  ["］", "［"],
  ["】", "【"],
  ["}", "{"],
]);
/** Blanks between words, and marks that open before one. */
const GAPS = /[\s\u00a0\u202f\p{Ps}\p{Pi}"'*_`-]+/u;
const ONE_WORD = /^[ \t>]*[^\s>]+$/;
/** Marks that have no other use than to end a sentence. */
const SURE_MARKS = /[^.．…\p{ASCII}]/u;

export interface Candidate {
  /** Index of the first terminator. */
  readonly start: number;
  /** Index after the last terminator. */
  readonly stop: number;
  /** Index after the closing quotes, brackets, emphasis and emoji that follow directly. */
  readonly closed: number;
}

export type Found =
  | { readonly kind: "wait" }
  /** Not a candidate; continue at `resume`. */
  | { readonly kind: "none"; readonly resume: number }
  /** The line ends here; the kind of the next line decides. */
  | { readonly kind: "line-end"; readonly candidate: Candidate; readonly resume: number }
  /** The text ends here. */
  | { readonly kind: "text-end"; readonly candidate: Candidate }
  /** A sentence may begin at `next`. */
  | { readonly kind: "inside"; readonly candidate: Candidate; readonly next: number };

const WAIT: Found = { kind: "wait" };

/** The progress of reading a candidate that needed more text. The next token continues there, and not at the candidate's start. */
export interface CandidateReading {
  /** Lengths, UTF-16 units. */
  terminators: number;
  closers: number;
  /** Whether a terminator of a script other than Latin is among them. */
  isWide: boolean;
  /** Whether an emoji behind a blank belongs to the sentence that ends. Where emojis open the sentences, it opens the next one. */
  readonly takesEmoji: boolean;
}

export function createCandidateReading(takesEmoji: boolean): CandidateReading {
  return { terminators: 0, closers: 0, isWide: false, takesEmoji };
}

/** Reads the candidate whose first terminator is at `start`. `reading` is the one of the last call if that was the same candidate, else a new one. */
export function candidateAt(
  text: Characters,
  start: number,
  language: string,
  ended: boolean,
  reading: CandidateReading,
): Found {
  // A candidate that is too long is read no further. Otherwise a text of marks alone would be read again from each mark.
  const longest = Math.min(text.length, start + LONGEST_CANDIDATE + 1);
  let stop = start + reading.terminators;
  for (let length = 1; reading.closers === 0 && length > 0 && stop < longest; ) {
    length = terminatorLength(text, stop, language);
    if (length > 0 && text.charCodeAt(stop) > 0x7f && text.charAt(stop) !== "…") reading.isWide = true;
    stop += length;
  }
  reading.terminators = stop - start;
  let closed = stop + reading.closers;
  while (closed < longest) {
    const length = closerLength(text, closed, reading.takesEmoji);
    reading.closers = closed - stop;
    if (length === undefined && !ended) return WAIT;
    if (length === undefined || length === 0) break;
    closed += length;
  }
  reading.closers = closed - stop;
  const candidate: Candidate = { start, stop, closed };
  let next = closed;
  while (next < longest && isSpace(text.charCodeAt(next)) && text.charCodeAt(next) !== 0x0a) next += 1;
  if (next - start > LONGEST_CANDIDATE) return { kind: "none", resume: start + LONGEST_CANDIDATE };
  if (next === text.length) return ended ? { kind: "text-end", candidate } : WAIT;
  const code = text.charCodeAt(next);
  if (code === 0x0a) return { kind: "line-end", candidate, resume: next };
  if (next === closed && !reading.isWide && !(text.charAt(start) !== "." && isUnspacedScript(code)))
    return { kind: "none", resume: stop };
  return { kind: "inside", candidate, next };
}

/** Undefined if later text decides whether it is a closer. */
function closerLength(text: Characters, index: number, takesEmoji: boolean): number | undefined {
  const character = text.charAt(index);
  if (CLOSERS.has(character)) return 1;
  if (character === "[") {
    if (BEGUN_FOOTNOTE.test(text.slice(index, index + 5))) return undefined;
    return FOOTNOTE.exec(text.slice(index, index + 5))?.[0].length ?? 0;
  }
  if (character === " " || character === "\u00a0" || character === "\u202f") {
    // French has a space before its closing quotation mark, and an emoji often has one too.
    if (text.charAt(index + 1) === "»") return 2;
    return takesEmoji && emojiLength(text, index + 1) > 0 ? 1 : 0;
  }
  return emojiLength(text, index);
}

/**
 * Whether a sentence ends at the candidate and the next one begins at `next` (`text.length`: no text follows). Undefined: more text is needed.
 * `sentenceStart` is the start of the sentence, as far as it is known. `isEnclosed` returns whether `at` is inside brackets or a quotation that began
 * at `from` or later. Calls the segmenter at most once.
 */
export function endsSentence(
  segmenter: Pick<Segmenter, "sentenceEnds">,
  isEnclosed: (from: number, at: number, ended: boolean) => boolean | undefined,
  text: string,
  sentenceStart: number,
  candidate: Candidate,
  next: number,
  language: string,
  ended: boolean,
): boolean | undefined {
  if (extendsCluster(text, next)) return false;
  const from = Math.max(sentenceStart, candidate.start - LONGEST_LOOK_BACK);
  // At the end of the text, no bracket counts as open.
  const enclosed = ended && next === text.length ? false : isEnclosed(from, candidate.closed, ended);
  if (enclosed !== false) return enclosed === undefined ? undefined : false;
  const following = nextWord(text, next, ended);
  if (following === undefined) return undefined;

  const marks = text.slice(candidate.start, candidate.stop);
  const head = text.slice(Math.max(from, candidate.start - CONTEXT_LENGTH), candidate.start);
  const [wordBefore = "", word = ""] = ["", ...head.split(GAPS)].slice(-2);
  const closers = text.slice(candidate.stop, candidate.closed);
  const isLineHead = head.includes("\n") || from === 0 || text.charAt(from - 1) === "\n";
  const beginsLine = isLineHead && ONE_WORD.test(head.slice(head.lastIndexOf("\n") + 1));
  const endsLine = text.slice(candidate.closed, next).includes("\n");
  const ruled = ruledEnd({ marks, closers, word, wordBefore, beginsLine, endsLine, next: following }, language);
  if (ruled !== undefined) return ruled;
  if (isInserted(text, from, candidate)) return false;
  if (SURE_MARKS.test(marks)) return true;

  const body = undecorated(lastWords(head)) + marks;
  const ends = segmenter.sentenceEnds(`${body} ${undecorated(following) || "Xx"}`, language);
  return ends.includes(body.length + 1) || ends.includes(body.length);
}

/** Whether the candidate's closing bracket belongs to an insertion inside the sentence, which then continues. */
function isInserted(text: string, from: number, candidate: Candidate): boolean {
  const closers = text.slice(candidate.stop, candidate.closed).replace(FOOTNOTES, "");
  const bracket = Array.from(closers).findLast((closer) => OPENING.has(closer));
  if (bracket === undefined) return false;
  // Not before `from`, since a long text would otherwise be searched again for each of its brackets.
  const sentence = text.slice(from, candidate.start);
  const opening = sentence.lastIndexOf(OPENING.get(bracket) ?? "");
  return opening > 0 && /[\p{L}\p{N}]/u.test(sentence.slice(0, opening));
}

function lastWords(text: string): string {
  let index = text.length;
  for (let words = 0; words < SHOWN_WORDS; words += 1) {
    while (index > 0 && isSpace(text.charCodeAt(index - 1))) index -= 1;
    while (index > 0 && !isSpace(text.charCodeAt(index - 1))) index -= 1;
  }
  return text.slice(index);
}

function undecorated(text: string): string {
  return text.replace(DECORATION, "").replace(/\s/g, " ").trimStart();
}

/** The part of the word at `start` that matters; undefined until the character after it has arrived. */
function nextWord(text: string, start: number, ended: boolean): string | undefined {
  let index = start;
  while (index < text.length && index - start < LONGEST_NEXT_WORD) {
    const code = text.charCodeAt(index);
    if (isSpace(code)) return text.slice(start, index);
    index += 1;
    if (isUnspacedScript(code) && index - start >= 3) return text.slice(start, index);
  }
  return index - start < LONGEST_NEXT_WORD && !ended ? undefined : text.slice(start, index);
}
