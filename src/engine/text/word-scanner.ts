// Finds the beginnings of words in running text as it grows: after white space, and inside runs of scripts that have none. It runs only if a view
// asked for words. Punctuation stays with the word before it, opening marks with the word behind.
import type { Segmenter } from "../../contracts/segmenter.js";
import { extendsCluster, isIdeograph, isInk, isSpace, isUnspacedScript } from "./characters.js";

/** Characters of a window. A run without spaces is cut in windows, counted from the last word found in it, so that chunks make no difference. */
const WINDOW = 16;
const LARGEST_WINDOW = 64;

/** Marks that stay with the word before them. */
const STAYS_BEHIND = /^[\p{Pc}\p{Pd}\p{Pe}\p{Pf}\p{Po}\p{S}\p{M}]/u;
/** Marks that belong to the word behind them. */
const OPENS = /[\p{Ps}\p{Pi}]/u;

/** Each word's beginning is handed to `found`. */
export class WordScanner {
  /** The end of the text that was taken. */
  offset = 0;
  private readonly segmenter: Segmenter;
  private readonly found: (offset: number) => void;
  // The end of the text, from the first character of an unspaced script after a space, or from the last word found in it.
  private run = "";
  /** Characters of the run that are shown next. Text shown before had no word's end in it, and is not shown again with each token. */
  private window = WINDOW;
  private isUnspaced = false;
  private afterSpace = false;
  // Marks alone are no word. They stay with the word behind them.
  private hasInk = false;

  constructor(segmenter: Segmenter, found: (offset: number) => void) {
    this.segmenter = segmenter;
    this.found = found;
  }

  /** The same place in the same text, for a text that goes on otherwise. */
  copy(found: (offset: number) => void): WordScanner {
    return Object.assign(new WordScanner(this.segmenter, found), this, { found });
  }

  /** Takes the text that follows the text before. */
  append(text: string, language: string): void {
    const start = this.offset;
    // Index in this text at which the part of the run begins that is not in `run` yet.
    let runFrom = 0;
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      this.offset = start + index;
      if (isSpace(code)) {
        if (this.isUnspaced) {
          this.run += text.slice(runFrom, index);
          this.cutRun(true, language);
          this.endRun();
        }
        this.afterSpace = true;
        continue;
      }
      if (this.afterSpace) {
        this.afterSpace = false;
        if (this.hasInk && !extendsCluster(text, index)) {
          this.found(this.offset);
          this.hasInk = false;
        }
      }
      this.hasInk ||= isInk(text, index);
      if (!this.isUnspaced && isUnspacedScript(code)) {
        this.isUnspaced = true;
        runFrom = index;
      }
    }
    this.offset = start + text.length;
    if (!this.isUnspaced) return;
    this.run += text.slice(runFrom);
    this.cutRun(false, language);
  }

  /** Continues at `offset`, which does not belong to the text before: the next word begins there or later. */
  moveTo(offset: number): void {
    this.offset = offset;
    this.endRun();
    this.afterSpace = false;
    this.hasInk = false;
  }

  /** Cuts words off the run, which ends at `offset`, as far as they are certain. */
  private cutRun(isComplete: boolean, language: string): void {
    while (this.run !== "" && (isComplete || this.run.length > this.window)) {
      const { run, window } = this;
      const isWhole = run.length <= window;
      // The last ends in a window may exist only because the window ends there.
      const certain = isWhole ? run.length : window - WINDOW / 2;
      const words = unspacedWordEnds(this.segmenter, run.slice(0, window), language).filter((word) => word <= certain);
      for (const word of words) this.found(this.offset - run.length + word);
      const read = isWhole ? run.length : (words.at(-1) ?? (window < LARGEST_WINDOW ? 0 : LARGEST_WINDOW / 2));
      this.run = run.slice(read);
      this.window = read === 0 ? 2 * window : WINDOW;
    }
  }

  private endRun(): void {
    this.run = "";
    this.window = WINDOW;
    this.isUnspaced = false;
  }
}

/** Ends of words inside a run without spaces, if at least one side is in an unspaced script. The end of the run is not among them. */
export function unspacedWordEnds(segmenter: Segmenter, run: string, language: string): readonly number[] {
  return segmenter.wordEnds(run, language).filter((end) => end < run.length && isUnspacedWordEnd(run, end));
}

function isUnspacedWordEnd(run: string, end: number): boolean {
  if (!isUnspacedScript(run.charCodeAt(end)) && !isUnspacedScript(run.charCodeAt(end - 1))) return false;
  if (isIdeograph(run.charCodeAt(end)) && isIdeograph(run.charCodeAt(end - 1))) return true;
  if (STAYS_BEHIND.test(String.fromCodePoint(run.codePointAt(end) ?? 0)) || OPENS.test(run.charAt(end - 1)))
    return false;
  return !extendsCluster(run, end);
}
