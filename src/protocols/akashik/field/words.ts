// The words of a text by which relevance compares: stems of English words, other words as they are, and pairs of characters where a script puts no
// space between words.
import { stemmer } from "stemmer";
import type { Subject } from "./field-types.js";

/** The part of a text that is read, UTF-16 units, and most different words of it. */
const LONGEST_READ = 4096;
const MOST_WORDS = 256;
const LONGEST_WORD = 64;

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const ASCII = /^[a-z]+$/;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}]/u;

/** Words that stand in texts of every topic. */
const TOPICLESS = new Set(
  "a i of in to is it on at as by or if so do no we he me my us up am be an the and for are was were with that this these those from have has had not but its his her their our your you they will would can could".split(
    " ",
  ),
);

/** The stems of the words of a text, at most 256, from its first 4,096 characters. Pure, and linear in what is read. */
export function wordsOf(...texts: readonly string[]): ReadonlySet<string> {
  const words = new Set<string>();
  for (const text of texts) {
    for (const [word] of text.slice(0, LONGEST_READ).normalize("NFKC").toLowerCase().matchAll(WORD)) {
      for (const part of UNSPACED.test(word) ? pairsOf(word) : [word]) {
        const stem = stemOf(part.slice(0, LONGEST_WORD));
        if (stem !== undefined) words.add(stem);
        if (words.size === MOST_WORDS) return words;
      }
    }
  }
  return words;
}

/** A subject whose words are made when they are first asked for, and once. */
export function subjectOf(kind: Subject["kind"], make: () => Subject["words"]): Subject {
  let words: Subject["words"] | undefined;
  return {
    kind,
    get words() {
      words ??= make();
      return words;
    },
  };
}

function stemOf(word: string): string | undefined {
  if (!ASCII.test(word)) return word;
  return TOPICLESS.has(word) ? undefined : stemmer(word);
}

/** Overlapping pairs of characters; the character itself if it stands alone. */
function pairsOf(word: string): readonly string[] {
  const characters = [...word];
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}
