// Decides whether a place in a text lies in brackets or a quotation, without reading back. Opening and closing marks are read once, and remembered
// for as long as a question may reach back to them (R10).
import { type Characters, isSpace } from "./characters.js";

/** After this many characters, an open bracket or quotation no longer holds its sentences together, because nobody waits that long. */
export const LONGEST_ENCLOSURE = 300;

const ENCLOSURES = new Map([
  ["(", ")"],
  ["[", "]"],
  ["{", "}"],
  ["“", "”"],
  ["‘", "’"],
  ["„", "“”"],
  ["‚", "‘’"],
  ["«", "»"],
  ["»", "«"],
  ["‹", "›"],
  ["「", "」"],
  ["『", "』"],
  ["（", "）"],
  ["［", "］"],
  ["【", "】"],
  ["《", "》"],
  ["〈", "〉"],
  ['"', '"'],
  ["`", "`"],
]);
/** Marks that open only at the beginning of a word. Elsewhere such a mark closes, is an inch mark, or belongs to another language's quotation. */
const OPENS_AT_WORD = new Set(['"', "»", "‘"]);
/** Longest blank line that is recognized, with its line feed. */
const LONGEST_BLANK = 9;

/** Most readings at a time. If a mark can both open and close, the result depends on where the reading began. */
const MOST_READINGS = 4;

/** Entries that are no longer needed are removed in batches of this size. */
const MOST_FORGOTTEN = 512;

/** The methods of a text that are needed here. */
export type EnclosedCharacters = Pick<Characters, "length" | "charAt">;

export interface Enclosures {
  /**
   * Whether offset `at` lies in brackets or a quotation that began at `from` or later and is closed soon. Undefined: the text so far does not decide
   * it. With `ended` no text follows, and the result is then false. `base` is the offset of the first character of `text`, at most `from`. Neither
   * `from` nor `at` may be smaller than in the call before.
   */
  readonly isEnclosed: (
    text: EnclosedCharacters,
    base: number,
    from: number,
    at: number,
    ended: boolean,
  ) => boolean | undefined;
}

interface Pair {
  readonly open: number;
  readonly closing: string;
  /** Infinity while the pair is open. */
  close: number;
}

export function createEnclosures(): Enclosures {
  let readings: readonly Reading[] = [];

  const readingOf = (text: EnclosedCharacters, base: number, from: number, at: number): Reading => {
    for (const reading of readings) if (reading.serves(text, base, from, at)) return reading;
    const reading = createReading(from);
    reading.serves(text, base, from, at);
    readings = [reading, ...readings.slice(0, MOST_READINGS - 1)];
    return reading;
  };

  return {
    isEnclosed: (text, base, from, at, ended) => readingOf(text, base, from, at).isEnclosed(text, base, at, ended),
  };
}

interface Reading {
  /** Reads up to `at`. Returns whether this reading then equals one that began at `from`. */
  readonly serves: (text: EnclosedCharacters, base: number, from: number, at: number) => boolean;
  readonly isEnclosed: (text: EnclosedCharacters, base: number, at: number, ended: boolean) => boolean | undefined;
}

function createReading(origin: number): Reading {
  let read = origin;
  /** In the order of opening. Pairs before `first` are no longer needed. */
  let pairs: Pair[] = [];
  let first = 0;
  let open: Pair[] = [];
  let outermost = 0;
  // Pairs closed by a mark that would otherwise have opened another pair. A reading that begins inside such a pair continues differently.
  let forks: Pair[] = [];
  let firstFork = 0;
  /** Line feeds that a blank line may follow. */
  let feeds: number[] = [];
  let firstFeed = 0;

  const step = (text: EnclosedCharacters, base: number): void => {
    const character = text.charAt(read - base);
    const innermost = open.length > outermost ? open.at(-1) : undefined;
    const closing = ENCLOSURES.get(character);
    if (innermost?.closing.includes(character)) {
      open.pop();
      innermost.close = read;
      if (closing !== undefined && opensAt(text, read - base)) addFork(innermost);
    } else if (closing !== undefined && opensAt(text, read - base)) {
      const pair = { open: read, closing, close: Number.POSITIVE_INFINITY };
      open.push(pair);
      pairs.push(pair);
    } else if (character === "\n") feeds.push(read);
    read += 1;
  };

  const addFork = (pair: Pair): void => {
    while (forks.length > firstFork && (forks.at(-1)?.open ?? 0) > pair.open) forks.pop();
    forks.push(pair);
  };

  /** Undefined: the text ends before this is decided. */
  const isBlankAfter = (text: EnclosedCharacters, index: number): boolean | undefined => {
    for (let offset = 1; offset <= LONGEST_BLANK; offset += 1) {
      const character = text.charAt(index + offset);
      if (character === "") return undefined;
      if (character === "\n") return true;
      if (character !== " " && character !== "\t" && character !== "\r") return false;
    }
    return false;
  };

  /** Whether there is certainly a blank line between the last place asked about and `limit`. */
  const hasBlankLine = (text: EnclosedCharacters, base: number, limit: number): boolean => {
    for (let feed = feeds[firstFeed]; feed !== undefined && feed < limit; feed = feeds[firstFeed]) {
      const isBlank = isBlankAfter(text, feed - base);
      if (isBlank !== false) return isBlank === true;
      firstFeed += 1;
    }
    return false;
  };

  const forget = (): void => {
    if (first > MOST_FORGOTTEN) [pairs, first] = [pairs.slice(first), 0];
    if (outermost > MOST_FORGOTTEN) [open, outermost] = [open.slice(outermost), 0];
    if (firstFork > MOST_FORGOTTEN) [forks, firstFork] = [forks.slice(firstFork), 0];
    if (firstFeed > MOST_FORGOTTEN) [feeds, firstFeed] = [feeds.slice(firstFeed), 0];
  };

  return {
    serves: (text, base, from, at) => {
      if (read < base) return false;
      while (read < at) step(text, base);
      while ((forks[firstFork]?.close ?? from) < from) firstFork += 1;
      if ((forks[firstFork]?.open ?? from) < from) return false;
      for (let pair = pairs[first]; pair !== undefined && (pair.open < from || pair.close < at); pair = pairs[first])
        first += 1;
      // A reading that begins at `from` would not have seen these pairs.
      while ((open[outermost]?.open ?? from) < from) outermost += 1;
      while ((feeds[firstFeed] ?? at) < at) firstFeed += 1;
      forget();
      return true;
    },
    isEnclosed: (text, base, at, ended) => {
      const pair = pairs[first];
      if (pair === undefined || pair.open >= at) return false;
      const limit = pair.open + LONGEST_ENCLOSURE;
      if (at >= limit) return false;
      const end = base + text.length;
      while (read < end && read < limit && pair.close > read) step(text, base);
      const until = Math.min(pair.close, limit);
      if (hasBlankLine(text, base, until)) return false;
      if (pair.close < limit) return true;
      return ended || end >= limit ? false : undefined;
    },
  };
}

/** Whether the mark at `index` opens a pair, given that it closes none. */
function opensAt(text: EnclosedCharacters, index: number): boolean {
  if (!OPENS_AT_WORD.has(text.charAt(index))) return true;
  const before = text.charAt(index - 1);
  return before === "" || isSpace(before.charCodeAt(0)) || /[\p{Ps}\p{Pi}*_\u2014\u00a0-]/u.test(before);
}
