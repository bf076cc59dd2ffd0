// A text that comes in chunks, spoken block by block and sentence by sentence.
import type { Leaf, OpenText, SpeakableOptions } from "./segment.js";
import { finalText, lastPart, speakablePart } from "./speakable.js";

/** A shorter text that waits is read again at each possible end of a sentence. A longer one must have grown by a quarter since it was read. */
const SHORT = 256;
const GROWTH = 1.25;
/** A possible end of a sentence or a line. */
const POSSIBLE_END = /[\p{STerm}…]["'”’»)\]*_]{0,4}\s|[。！？｡]|\n/u;

/** All that a stream remembers: plain JSON, which may be stored. */
export interface SpeakableStreamState {
  readonly open?: OpenText;
  /** Text whose leaves have not been given yet. */
  readonly waiting: string;
}

/**
 * Gives each leaf as soon as no later text can change it: a block when the next one begins, and within a paragraph a sentence when the next one
 * begins. However the text is cut into chunks, the leaves cover it.
 */
export class SpeakableStream {
  private readonly options: SpeakableOptions;
  private open: OpenText | undefined;
  private waiting: string;
  /** The length of what waited when it was last read. */
  private readLength = 0;
  /** The length that was searched for a possible end. */
  private searched = 0;
  private mayEnd = false;
  private fence: string | undefined;

  /** `state` is that of an earlier stream, which this one continues. */
  constructor(options: SpeakableOptions = {}, state: SpeakableStreamState = { waiting: "" }) {
    this.options = options;
    this.open = state.open;
    this.waiting = state.waiting;
  }

  get state(): SpeakableStreamState {
    return { ...(this.open === undefined ? {} : { open: this.open }), waiting: this.waiting };
  }

  /** Takes a chunk of the text. Returns the leaves that have become final. */
  push(chunk: string): readonly Leaf[] {
    this.waiting += chunk;
    if (!this.isDue()) return [];
    const { length, fence } = finalText(this.waiting, this.options, this.open);
    this.mayEnd = false;
    this.fence = fence;
    this.readLength = this.waiting.length - length;
    this.searched = this.readLength;
    if (length === 0) return [];
    const { leaves, open } = speakablePart(this.waiting.slice(0, length), this.options, this.open);
    this.open = open;
    this.waiting = this.waiting.slice(length);
    return leaves;
  }

  /** Returns the leaves of all text that waits, now that no more follows. */
  end(): readonly Leaf[] {
    const leaves = lastPart(this.waiting, this.options, this.open);
    this.waiting = "";
    return leaves;
  }

  private isDue(): boolean {
    const { length } = this.waiting;
    if (length >= 2 * Math.max(this.readLength, SHORT)) return true;
    this.mayEnd ||= this.fence === undefined ? this.hasPossibleEnd() : this.hasFence(this.fence);
    this.searched = length;
    return this.mayEnd && (length <= SHORT || this.fence !== undefined || length >= GROWTH * this.readLength);
  }

  private hasPossibleEnd(): boolean {
    return POSSIBLE_END.test(this.waiting.slice(Math.max(0, this.searched - 8)));
  }

  /** Whether a new line closes the block of code that waits. */
  private hasFence(fence: string): boolean {
    const from = this.waiting.lastIndexOf("\n", Math.max(0, this.searched - 1)) + 1;
    const lines = this.waiting.slice(from).split("\n").slice(0, -1);
    return lines.some((line) => {
      const marks = line.replace(/^[\s>]+/, "").trimEnd();
      return marks.length >= fence.length && marks === fence.charAt(0).repeat(marks.length);
    });
  }
}
