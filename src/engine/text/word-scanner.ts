// Where words begin in running text as it grows: after white space, and inside runs of scripts that have none. Runs only where somebody asked
// for words. Marks of punctuation stay with the word before them, opening ones with the word behind.
import type { Segmenter } from "../../contracts/segmenter.js";
import { extendsCluster, isIdeograph, isInk, isSpace, isUnspacedScript } from "./characters.js";

/** A run without spaces is cut by windows of this size, counted from the last word found in it, so that chunks make no difference. */
const WINDOW = 16;
const LARGEST_WINDOW = 64;

/** Marks that stay with the word before them. */
const STAYS_BEHIND = /^[\p{Pc}\p{Pd}\p{Pe}\p{Pf}\p{Po}\p{S}\p{M}]/u;
/** Marks that belong to the word behind them. */
const OPENS = /[\p{Ps}\p{Pi}]/u;

export interface WordScanner {
  /** Takes the text that follows what was taken before. */
  readonly append: (text: string, language: string) => void;
  /** Goes on at `offset`, which is no part of what came before: a new word begins there at the earliest. */
  readonly moveTo: (offset: number) => void;
  readonly offset: () => number;
}

export function createWordScanner(segmenter: Segmenter, found: (offset: number) => void): WordScanner {
  let end = 0;
  // What the text ends with, from the first character of such a script after a space, or from the last word found in it.
  let run = "";
  /** As much of the run is shown next; what was shown before had no word's end in it, and is not shown again with each token. */
  let window = WINDOW;
  let isUnspaced = false;
  let afterSpace = false;
  // Marks alone are no word: they stay with the word behind them.
  let hasInk = false;

  /** Takes words off the run, which ends at `end`, as far as it settles them. */
  const cutRun = (isComplete: boolean, language: string): void => {
    while (run !== "" && (isComplete || run.length > window)) {
      const isWhole = run.length <= window;
      // The last ends of a window may be there only because it ends.
      const certain = isWhole ? run.length : window - WINDOW / 2;
      const words = unspacedWordEnds(segmenter, run.slice(0, window), language).filter((word) => word <= certain);
      for (const word of words) found(end - run.length + word);
      const read = isWhole ? run.length : (words.at(-1) ?? (window < LARGEST_WINDOW ? 0 : LARGEST_WINDOW / 2));
      run = run.slice(read);
      window = read === 0 ? 2 * window : WINDOW;
    }
  };

  const endRun = (): void => {
    run = "";
    window = WINDOW;
    isUnspaced = false;
  };

  return {
    append: (text, language) => {
      const start = end;
      // Where in this text that part of the run begins which is not in `run` yet.
      let runFrom = 0;
      for (let index = 0; index < text.length; index += 1) {
        const code = text.charCodeAt(index);
        end = start + index;
        if (isSpace(code)) {
          if (isUnspaced) {
            run += text.slice(runFrom, index);
            cutRun(true, language);
            endRun();
          }
          afterSpace = true;
          continue;
        }
        if (afterSpace) {
          afterSpace = false;
          if (hasInk && !extendsCluster(text, index)) {
            found(end);
            hasInk = false;
          }
        }
        hasInk ||= isInk(text, index);
        if (!isUnspaced && isUnspacedScript(code)) {
          isUnspaced = true;
          runFrom = index;
        }
      }
      end = start + text.length;
      if (!isUnspaced) return;
      run += text.slice(runFrom);
      cutRun(false, language);
    },
    moveTo: (offset) => {
      end = offset;
      endRun();
      afterSpace = false;
      hasInk = false;
    },
    offset: () => end,
  };
}

/** Ends of words inside a run without spaces, where a script without spaces stands on one side at least. Never the run's own end. */
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
