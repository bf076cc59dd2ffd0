// The line of a braille display: what was told, one row of cells at a time. A row stays until the person moves on.
import type { Part, Speech } from "../speak/speech.js";

/** `left` and `right` by rows, also over the ends of texts. `before` and `next` by texts. `new`: the first unread text, else the last. */
export type Move = "left" | "right" | "before" | "next" | "first" | "last" | "new";

/** In the first cell: words of the daemon's own. Agents' text never stands there. */
export const OWN_MARK = "⡇";
/** At the end: a blank, then two digits, or "!" and one. */
const COUNT_CELLS = 3;
const MOST_COUNTED = 99;
const MOST_COUNTED_CRITICAL = 9;
/** Texts that are kept, and their characters together. */
const MOST_TEXTS = 1000;
const MOST_CHARACTERS = 4_000_000;

interface Entry {
  readonly speech: Speech;
  /** Its first row was shown, and its last. */
  isRead: boolean;
  isWhole: boolean;
}

interface Row {
  readonly text: string;
  readonly isOwn: boolean;
  /** Its place in the text of the entry, code points. */
  readonly from: number;
}

export class BrailleLine {
  readonly #entries: Entry[] = [note("aaepd begins here.", true)];
  #at = 0;
  /** The rows of the entry that is shown, and the one that is. */
  #rows: readonly Row[] = [];
  #row = 0;
  #cells = 0;
  #characters = 0;
  /** Unread texts that were too many to keep, and how many of them the beginning tells. */
  #leftOut = 0;
  #toldLeftOut = 0;

  constructor(cells: number) {
    this.resize(cells);
  }

  /** Puts a text at the end. The row that is shown stays. */
  add(speech: Speech): void {
    if (wordsOf(speech).every(({ text }) => text.trim() === "")) return;
    this.#entries.push({ speech, isRead: false, isWhole: false });
    this.#characters += lengthOf(speech);
    while (this.#entries.length > MOST_TEXTS || (this.#characters > MOST_CHARACTERS && this.#entries.length > 3))
      this.#leaveOut(this.#at === 1 ? 2 : 1);
  }

  /** Puts a text at the end and goes there: the answer to a key. */
  answer(speech: Speech): void {
    this.add(speech);
    this.move("last");
  }

  move(move: Move): void {
    const last = this.#entries.length - 1;
    if (move === "right" && this.#row + 1 < this.#rows.length) this.#row += 1;
    else if (move === "left" && this.#row > 0) this.#row -= 1;
    else if (move === "left" && this.#at > 0) {
      this.#goTo(this.#at - 1);
      this.#row = this.#rows.length - 1;
    } else if (move === "before" && this.#at > 0) this.#goTo(this.#at - 1);
    else if ((move === "right" || move === "next") && this.#at < last) this.#goTo(this.#at + 1);
    else if (move === "first") this.#goTo(0);
    else if (move === "last") this.#goTo(last);
    else if (move === "new") {
      const unread = this.#entries.findIndex(({ isRead }) => !isRead);
      this.#goTo(unread < 0 ? last : unread);
    }
  }

  /** The place in the text stays. */
  resize(cells: number): void {
    const from = this.#rows[this.#row]?.from ?? 0;
    this.#cells = cells;
    this.#goTo(this.#at);
    this.#row = Math.max(
      0,
      this.#rows.findLastIndex((row) => row.from <= from),
    );
  }

  /** The cells, one code point each, for a person who reads them now: what they show counts as read. */
  show(): string {
    const entry = this.#entries[this.#at];
    const { text, isOwn } = this.#rows[this.#row] ?? { text: "", isOwn: true };
    if (entry !== undefined) {
      if (!entry.isRead) entry.speech.onBegun?.();
      entry.isRead = true;
      if (!entry.isWhole && this.#row === this.#rows.length - 1) {
        entry.isWhole = true;
        entry.speech.onSaid?.();
      }
    }
    const unread = this.#entries.filter(({ isRead }) => !isRead);
    const hasCritical = unread.some(({ speech }) => speech.rank === "critical");
    const amount = hasCritical
      ? `!${Math.min(unread.length, MOST_COUNTED_CRITICAL)}`
      : `${Math.min(unread.length, MOST_COUNTED)}`;
    const count = unread.length === 0 ? "" : amount.padStart(COUNT_CELLS);
    const blanks = " ".repeat(this.#textCells - [...text].length);
    const all = `${isOwn ? OWN_MARK : " "}${text}${blanks}${count.padEnd(COUNT_CELLS)}`;
    return [...all].slice(0, this.#cells).join("");
  }

  get #textCells(): number {
    return Math.max(1, this.#cells - 1 - COUNT_CELLS);
  }

  #goTo(at: number): void {
    this.#at = at;
    this.#row = 0;
    this.#rows = rowsOf(this.#entries[at]?.speech, this.#textCells);
    this.#tellLeftOut();
  }

  #leaveOut(at: number): void {
    const [entry] = this.#entries.splice(at, 1);
    if (entry === undefined) return;
    this.#characters -= lengthOf(entry.speech);
    if (at < this.#at) this.#at -= 1;
    if (!entry.isRead) this.#leftOut += 1;
    this.#tellLeftOut();
  }

  /** At the beginning, which is not changed while it is read. */
  #tellLeftOut(): void {
    if (this.#at === 0 || this.#leftOut === this.#toldLeftOut) return;
    this.#toldLeftOut = this.#leftOut;
    this.#entries[0] = note(`Unread texts that were left out here: ${this.#leftOut}.`, false);
  }
}

function note(text: string, isRead: boolean): Entry {
  const speech = { source: "aaepd", rank: "text", parts: [{ text, language: "en", isOwn: true }] } as const;
  return { speech, isRead, isWhole: isRead };
}

function wordsOf({ opening, parts }: Speech): readonly Part[] {
  return opening === undefined ? parts : [opening, ...parts];
}

function lengthOf(speech: Speech): number {
  return wordsOf(speech).reduce((sum, { text, braille = text }) => sum + braille.length, 0);
}

/** The rows of a text: each has words of the daemon's own or of an agent, never of both. Blanks alone are left out. */
function rowsOf(speech: Speech | undefined, cells: number): readonly Row[] {
  const rows: Row[] = [];
  let from = 0;
  let stretch: { isOwn: boolean; text: string } | undefined;
  const end = (): void => {
    for (const line of stretch?.text.split(/\r\n|[\r\n\u2028\u2029]/) ?? []) {
      const points = [...line.replaceAll(/\p{Cc}/gu, " ")];
      for (const [first, last] of cutsOf(points, cells))
        rows.push({ text: points.slice(first, last).join(""), isOwn: stretch?.isOwn ?? true, from: from + first });
      from += points.length + 1;
    }
  };
  for (const { text, braille = text, isOwn } of speech === undefined ? [] : wordsOf(speech)) {
    if (stretch?.isOwn === isOwn) stretch.text += ` ${braille}`;
    else {
      end();
      stretch = { isOwn, text: braille };
    }
  }
  end();
  return rows;
}

/** Where a line is cut: at a blank, or within a word that is longer than a row. */
function* cutsOf(points: readonly string[], cells: number): Generator<readonly [first: number, last: number]> {
  for (let at = 0; at < points.length; ) {
    if (points[at] === " ") {
      at += 1;
      continue;
    }
    let last = Math.min(at + cells, points.length);
    if (last < points.length && points[last] !== " ") {
      const blank = points.lastIndexOf(" ", last - 1);
      if (blank > at) last = blank;
    }
    yield [at, last];
    at = last;
  }
}
