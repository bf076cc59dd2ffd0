// Where words begin in running text as it grows: after white space, and inside runs of scripts that have none. Runs only where somebody asked
// for words. Marks of punctuation stay with the word before them, opening ones with the word behind.
import type { Segmenter } from "../contracts/segmenter.js";
import { extendsCluster, isSpace, isUnspacedScript } from "./characters.js";

/** A run without spaces is cut by windows of this size, counted from the last word found in it, so that chunks make no difference. */
const WINDOW = 16;
const LARGEST_WINDOW = 64;

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
  let isUnspaced = false;
  let afterSpace = false;

  const cutRun = (isComplete: boolean, language: string): void => {
    while (run.length > 0) {
      const ends = firstWordEnds(segmenter, run, language, isComplete);
      if (ends === undefined) return;
      for (const wordEnd of ends.words) found(end - run.length + wordEnd);
      run = run.slice(ends.read);
    }
  };

  return {
    append: (text, language) => {
      for (let index = 0; index < text.length; index += 1) {
        const code = text.charCodeAt(index);
        if (isSpace(code)) {
          cutRun(true, language);
          run = "";
          isUnspaced = false;
          afterSpace = true;
          end += 1;
          continue;
        }
        if (afterSpace) {
          afterSpace = false;
          if (!extendsCluster(text, index)) found(end);
        }
        end += 1;
        if (isUnspaced) run += text[index];
        else if (isUnspacedScript(code)) {
          isUnspaced = true;
          run = text.charAt(index);
        }
      }
      if (isUnspaced) cutRun(false, language);
    },
    moveTo: (offset) => {
      end = offset;
      run = "";
      isUnspaced = false;
      afterSpace = false;
    },
    offset: () => end,
  };
}

/** The first word ends of a run, and how much of it they settle. Undefined: more of the run is needed. */
function firstWordEnds(
  segmenter: Segmenter,
  run: string,
  language: string,
  isComplete: boolean,
): { readonly words: readonly number[]; readonly read: number } | undefined {
  for (let size = WINDOW; size <= LARGEST_WINDOW; size *= 2) {
    if (run.length <= size) {
      return isComplete ? { words: unspacedWordEnds(segmenter, run, language), read: run.length } : undefined;
    }
    // The last ends of a window may be there only because it ends.
    const words = unspacedWordEnds(segmenter, run.slice(0, size), language).filter(
      (wordEnd) => wordEnd <= size - WINDOW / 2,
    );
    const last = words.at(-1);
    if (last !== undefined) return { words, read: last };
  }
  return { words: [], read: LARGEST_WINDOW / 2 };
}

/** Ends of words inside a run without spaces, where a script without spaces stands on one side at least. Never the run's own end. */
export function unspacedWordEnds(segmenter: Segmenter, run: string, language: string): readonly number[] {
  return segmenter.wordEnds(run, language).filter((end) => end < run.length && isUnspacedWordEnd(run, end));
}

function isUnspacedWordEnd(run: string, end: number): boolean {
  if (!isUnspacedScript(run.charCodeAt(end)) && !isUnspacedScript(run.charCodeAt(end - 1))) return false;
  const next = String.fromCodePoint(run.codePointAt(end) ?? 0);
  if (/^[\p{P}\p{S}\p{M}]/u.test(next) && !/^[\p{Ps}\p{Pi}]/u.test(next)) return false;
  if (/[\p{Ps}\p{Pi}]$/u.test(run.slice(0, end))) return false;
  return !extendsCluster(run, end);
}
