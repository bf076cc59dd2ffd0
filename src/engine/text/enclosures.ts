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

interface Pair {
  readonly open: number;
  readonly closing: string;
  /** Infinity while the pair is open. */
  close: number;
}

export class Enclosures {
  private readings: readonly Reading[] = [];

  /**
   * Whether offset `at` lies in brackets or a quotation that began at `from` or later and is closed soon. Undefined: the text so far does not decide
   * it. With `ended` no text follows, and the result is then false. `base` is the offset of the first character of `text`, at most `from`. Neither
   * `from` nor `at` may be smaller than in the call before.
   */
  isEnclosed(text: EnclosedCharacters, base: number, from: number, at: number, ended: boolean): boolean | undefined {
    return this.readingOf(text, base, from, at).isEnclosed(text, base, at, ended);
  }

  private readingOf(text: EnclosedCharacters, base: number, from: number, at: number): Reading {
    for (const reading of this.readings) if (reading.serves(text, base, from, at)) return reading;
    const reading = new Reading(from);
    reading.serves(text, base, from, at);
    this.readings = [reading, ...this.readings.slice(0, MOST_READINGS - 1)];
    return reading;
  }
}

class Reading {
  private read: number;
  /** In the order of opening. Pairs before `first` are no longer needed. */
  private pairs: Pair[] = [];
  private first = 0;
  private open: Pair[] = [];
  private outermost = 0;
  // Pairs closed by a mark that would otherwise have opened another pair. A reading that begins inside such a pair continues differently.
  private forks: Pair[] = [];
  private firstFork = 0;
  /** Line feeds that a blank line may follow. */
  private feeds: number[] = [];
  private firstFeed = 0;

  constructor(origin: number) {
    this.read = origin;
  }

  /** Reads up to `at`. Returns whether this reading then equals one that began at `from`. */
  serves(text: EnclosedCharacters, base: number, from: number, at: number): boolean {
    if (this.read < base) return false;
    while (this.read < at) this.step(text, base);
    const { forks, pairs, open, feeds } = this;
    while ((forks[this.firstFork]?.close ?? from) < from) this.firstFork += 1;
    if ((forks[this.firstFork]?.open ?? from) < from) return false;
    for (let pair = pairs[this.first]; pair !== undefined; pair = pairs[this.first]) {
      if (pair.open >= from && pair.close >= at) break;
      this.first += 1;
    }
    // A reading that begins at `from` would not have seen these pairs.
    while ((open[this.outermost]?.open ?? from) < from) this.outermost += 1;
    while ((feeds[this.firstFeed] ?? at) < at) this.firstFeed += 1;
    this.forget();
    return true;
  }

  isEnclosed(text: EnclosedCharacters, base: number, at: number, ended: boolean): boolean | undefined {
    const pair = this.pairs[this.first];
    if (pair === undefined || pair.open >= at) return false;
    const limit = pair.open + LONGEST_ENCLOSURE;
    if (at >= limit) return false;
    const end = base + text.length;
    while (this.read < end && this.read < limit && pair.close > this.read) this.step(text, base);
    if (this.hasBlankLine(text, base, Math.min(pair.close, limit))) return false;
    if (pair.close < limit) return true;
    return ended || end >= limit ? false : undefined;
  }

  private step(text: EnclosedCharacters, base: number): void {
    const { read, open } = this;
    const character = text.charAt(read - base);
    const innermost = open.length > this.outermost ? open.at(-1) : undefined;
    const closing = ENCLOSURES.get(character);
    if (innermost?.closing.includes(character)) {
      open.pop();
      innermost.close = read;
      if (closing !== undefined && opensAt(text, read - base)) this.addFork(innermost);
    } else if (closing !== undefined && opensAt(text, read - base)) {
      const pair = { open: read, closing, close: Number.POSITIVE_INFINITY };
      open.push(pair);
      this.pairs.push(pair);
    } else if (character === "\n") this.feeds.push(read);
    this.read += 1;
  }

  private addFork(pair: Pair): void {
    const { forks } = this;
    while (forks.length > this.firstFork && (forks.at(-1)?.open ?? 0) > pair.open) forks.pop();
    forks.push(pair);
  }

  /** Whether there is certainly a blank line between the last place asked about and `limit`. */
  private hasBlankLine(text: EnclosedCharacters, base: number, limit: number): boolean {
    const { feeds } = this;
    for (let feed = feeds[this.firstFeed]; feed !== undefined && feed < limit; feed = feeds[this.firstFeed]) {
      const isBlank = isBlankAfter(text, feed - base);
      if (isBlank !== false) return isBlank === true;
      this.firstFeed += 1;
    }
    return false;
  }

  private forget(): void {
    if (this.first > MOST_FORGOTTEN) [this.pairs, this.first] = [this.pairs.slice(this.first), 0];
    if (this.outermost > MOST_FORGOTTEN) [this.open, this.outermost] = [this.open.slice(this.outermost), 0];
    if (this.firstFork > MOST_FORGOTTEN) [this.forks, this.firstFork] = [this.forks.slice(this.firstFork), 0];
    if (this.firstFeed > MOST_FORGOTTEN) [this.feeds, this.firstFeed] = [this.feeds.slice(this.firstFeed), 0];
  }
}

/** Whether only white space stands between the line feed at `index` and the next one. Undefined: the text ends before this is decided. */
function isBlankAfter(text: EnclosedCharacters, index: number): boolean | undefined {
  for (let offset = 1; offset <= LONGEST_BLANK; offset += 1) {
    const character = text.charAt(index + offset);
    if (character === "") return undefined;
    if (character === "\n") return true;
    if (character !== " " && character !== "\t" && character !== "\r") return false;
  }
  return false;
}

/** Whether the mark at `index` opens a pair, given that it closes none. */
function opensAt(text: EnclosedCharacters, index: number): boolean {
  if (!OPENS_AT_WORD.has(text.charAt(index))) return true;
  const before = text.charAt(index - 1);
  return before === "" || isSpace(before.charCodeAt(0)) || /[\p{Ps}\p{Pi}*_\u2014\u00a0-]/u.test(before);
}
