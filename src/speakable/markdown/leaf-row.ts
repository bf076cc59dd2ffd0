// The leaves of a text in its order: what stands between two of them becomes part of the one before, or marks.
import type { Block, Leaf, LeafKind } from "../segment.js";
import type { Words } from "./links.js";

/** Text between leaves that says nothing: blanks, and the marks of quotes, tables and headings. */
const SILENT = /^[\s>|:=\-+*#\\]*$/;

/** Words for marks in front of the next leaf, and the beginning of their line. */
interface Marker extends Words {
  readonly at: number;
  readonly in: readonly Block[];
}

export class LeafRow {
  readonly leaves: Leaf[] = [];
  private readonly text: string;
  private readonly base: number;
  private readonly sayRest: (text: string) => Words;
  private markers: Marker[] = [];
  private cursor: number;

  /** Nothing before `base` gets a leaf. `sayRest` has the words for a text that no block took. */
  constructor(text: string, base: number, sayRest: (text: string) => Words) {
    this.text = text;
    this.base = base;
    this.cursor = base;
    this.sayRest = sayRest;
  }

  /** Says something in front of the next leaf. */
  mark(marker: Marker): void {
    if (marker.at >= this.base) this.markers.push(marker);
  }

  add(kind: LeafKind, from: number, to: number, words: Words, blocks: readonly Block[]): void {
    if (to <= this.cursor) return;
    this.fill(from);
    this.leaves.push({ kind, from: this.cursor, to, speech: words.speech, braille: words.braille, in: blocks });
    this.cursor = to;
  }

  /** Covers the text up to a place. */
  fill(to: number): void {
    const [first] = this.markers;
    if (first !== undefined && to > this.cursor) {
      this.attach(Math.max(this.cursor, Math.min(first.at, to)));
      const { in: blocks } = this.markers.at(-1) ?? first;
      const joined = (words: readonly string[]) => `${words.join(" ")} `;
      const speech = joined(this.markers.map((one) => one.speech));
      const braille = joined(this.markers.map((one) => one.braille));
      const feeds = this.text.slice(this.cursor, to).includes("\n") ? "\n" : "";
      const words = { speech: speech + feeds, braille: braille + feeds };
      if (to > this.cursor) this.push("marks", to, words, blocks);
      this.markers = [];
    }
    this.attach(to);
  }

  /** Blanks belong to the leaf before. */
  private attach(to: number): void {
    if (to <= this.cursor) return;
    const text = this.text.slice(this.cursor, to);
    const previous = this.leaves.at(-1);
    if (!SILENT.test(text)) this.push("prose", to, this.sayRest(text), previous?.in ?? []);
    else {
      const blank = text.includes("\n") ? "\n" : " ";
      if (previous === undefined) this.push("marks", to, { speech: blank, braille: blank }, []);
      else {
        const { speech, braille } = previous;
        const feed = (words: string) => (words.endsWith("\n") ? words : words + blank);
        this.leaves[this.leaves.length - 1] = { ...previous, to, speech: feed(speech), braille: feed(braille) };
        this.cursor = to;
      }
    }
  }

  private push(kind: LeafKind, to: number, { speech, braille }: Words, blocks: readonly Block[]): void {
    this.leaves.push({ kind, from: this.cursor, to, speech, braille, in: blocks });
    this.cursor = to;
  }
}
