// The texts that were heard or read, for the words `again` and `back`: in memory alone, the newest 200.

export interface HeardText {
  /** The speaker, as in "Claude". */
  readonly speaker: string;
  readonly language: string;
  /** As the agent wrote it. An output grows while its agent writes. */
  text: string;
}

const MOST_TEXTS = 200;
/** Of all texts together, and of one, UTF-16 units. */
const MOST_CHARACTERS = 4_000_000;
const LONGEST_TEXT = 1_000_000;

export interface HeardTexts {
  /** Adds a text, and makes it the one that `again` reads. */
  readonly add: (text: Omit<HeardText, "text">, words: string) => HeardText;
  /** Adds words to a text. Beyond the longest text they are left out. */
  readonly append: (text: HeardText, words: string) => void;
  /** The text that was read last, else the newest; undefined if there is none. */
  readonly again: () => HeardText | undefined;
  /** The text before that one; undefined if there is none. */
  readonly back: () => HeardText | undefined;
}

export function createHeardTexts(): HeardTexts {
  const texts: HeardText[] = [];
  let characters = 0;
  /** How many texts are newer than the one that was read last. */
  let behind = 0;

  function append(one: HeardText, words: string): void {
    const added = words.slice(0, LONGEST_TEXT - one.text.length);
    one.text += added;
    if (!texts.includes(one)) return;
    characters += added.length;
    while (texts.length > MOST_TEXTS || (characters > MOST_CHARACTERS && texts.length > 1))
      characters -= texts.shift()?.text.length ?? 0;
  }

  return {
    add: (given, words) => {
      const one = { ...given, text: "" };
      texts.push(one);
      behind = 0;
      append(one, words);
      return one;
    },
    append,
    again: () => texts.at(-1 - behind),
    back: () => {
      if (behind + 1 >= texts.length) return undefined;
      behind += 1;
      return texts.at(-1 - behind);
    },
  };
}
