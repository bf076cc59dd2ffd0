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

export interface WordScanner {
  /** Takes the text that follows the text before. */
  readonly append: (text: string, language: string) => void;
  /** Continues at `offset`, which does not belong to the text before: the next word begins there or later. */
  readonly moveTo: (offset: number) => void;
  readonly offset: () => number;
}

export function createWordScanner(segmenter: Segmenter, found: (offset: number) => void): WordScanner {
  let end = 0;
  // The end of the text, from the first character of an unspaced script after a space, or from the last word found in it.
  let run = "";
  /** Characters of the run that are shown next. Text shown before had no word's end in it, and is not shown again with each token. */
  let window = WINDOW;
  let isUnspaced = false;
  let afterSpace = false;
  // Marks alone are no word. They stay with the word behind them.
  let hasInk = false;

  /** Cuts words off the run, which ends at `end`, as far as they are certain. */
  const cutRun = (isComplete: boolean, language: string): void => {
    while (run !== "" && (isComplete || run.length > window)) {
      const isWhole = run.length <= window;
      // The last ends in a window may exist only because the window ends there.
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
      // Index in this text at which the part of the run begins that is not in `run` yet.
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
