// The texts that were heard or read, for the words `again` and `back`: in memory alone, the newest 200.
import { counted } from "./amounts.js";

export interface HeardText {
  /** The speaker, as in "Claude". */
  readonly speaker: string;
  readonly language: string;
  /** As the agent wrote it, or its beginning. An output grows while its agent writes. */
  text: string;
  /** How much of it is not kept, UTF-16 units: the text is too long, or others needed the room. */
  leftOut: number;
}

const MOST_TEXTS = 200;
/** Of all texts together, and of one, UTF-16 units. */
const MOST_CHARACTERS = 4_000_000;
const LONGEST_TEXT = 1_000_000;
/** Of a text that is no longer kept but is still written, for its first sentence. */
const LONGEST_BEGINNING = 1000;

export type HeardTexts = ReturnType<typeof createHeardTexts>;

/** Says how much of a text is not kept; "" for a whole one. */
export function leftOutOf({ leftOut }: HeardText): string {
  return leftOut === 0 ? "" : `The text goes on for ${counted(leftOut, "character")}, not kept.`;
}

export function createHeardTexts() {
  const texts: HeardText[] = [];
  let characters = 0;
  /** How many texts are newer than the one that was read last. */
  let behind = 0;
  let isAll = true;

  /** Adds words to a text, as far as there is room. */
  function append(one: HeardText, words: string): void {
    const isKept = texts.includes(one);
    const added = words.slice(0, Math.max(0, (isKept ? LONGEST_TEXT : LONGEST_BEGINNING) - one.text.length));
    one.text += added;
    one.leftOut += words.length - added.length;
    if (isKept) characters += added.length;
    while (texts.length > MOST_TEXTS || characters > MOST_CHARACTERS) dropOldest();
  }

  function dropOldest(): void {
    const [oldest] = texts.splice(0, 1);
    if (oldest === undefined) return;
    const { length } = oldest.text;
    // Joined, because a slice holds the text that it is of.
    oldest.text = Array.from(oldest.text.slice(0, LONGEST_BEGINNING)).join("");
    oldest.leftOut += length - oldest.text.length;
    characters -= length;
    behind = Math.min(behind, texts.length - 1);
    isAll = false;
  }

  return {
    /** Adds a text, and makes it the one that `again` reads. */
    add: (given: Pick<HeardText, "speaker" | "language">, words: string): HeardText => {
      const one = { ...given, text: "", leftOut: 0 };
      texts.push(one);
      behind = 0;
      append(one, words);
      return one;
    },
    append,
    /** The text that was read last, else the newest, or the sentence that there is none. */
    again: (): HeardText | string => texts.at(-1 - behind) ?? "There is no text yet.",
    /** The text before that one, or the sentence that there is none. */
    back: (): HeardText | string => {
      const before = texts.at(-2 - behind);
      if (before === undefined) return isAll ? "That was the first text." : "That was the oldest text that is kept.";
      behind += 1;
      return before;
    },
  };
}
