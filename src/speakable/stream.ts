// A text that comes in chunks, spoken block by block and sentence by sentence.
import type { Leaf, OpenText, SpeakableOptions } from "./segment.js";
import { finalText, lastPart, speakablePart } from "./speakable.js";

/** A shorter text that waits is read again at each possible end of a sentence. A longer one must have grown by a quarter since it was read. */
const SHORT = 256;
const GROWTH = 1.25;
/** Text that has come since then waits until it is this part of what is read in front of it, such as the head of a wide table. */
const PREFIX_PART = 0.25;
/** Of longer text all that waits is given, as of a block of code that nothing closes, if less than half of it is final. */
const LONGEST_WAIT = 65_536;
/** Characters of a possible end, and of a line that closes a block of code. */
const LONGEST_END = 8;
const LONGEST_FENCE = 1_000;
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
  /** Chunks behind `waiting`. They are joined when they are read, because to join each costs all that waits. */
  private chunks: string[] = [];
  private length: number;
  /** The length of what waited when it was last read. */
  private readLength = 0;
  /** The last characters that were searched for a possible end, and the beginning of the last line. */
  private searched = "";
  private line = "";
  private mayEnd = false;
  private fence: string | undefined;

  /** `state` is that of an earlier stream, which this one continues. */
  constructor(options: SpeakableOptions = {}, state: SpeakableStreamState = { waiting: "" }) {
    this.options = options;
    this.open = state.open;
    this.waiting = state.waiting;
    this.length = state.waiting.length;
  }

  get state(): SpeakableStreamState {
    return { ...(this.open === undefined ? {} : { open: this.open }), waiting: this.joined() };
  }

  /** Takes a chunk of the text. Returns the leaves that have become final. */
  push(chunk: string): readonly Leaf[] {
    this.chunks.push(chunk);
    this.length += chunk.length;
    if (!this.isDue(chunk)) return [];
    const text = this.joined();
    const { length, fence } = finalText(text, this.options, this.open);
    this.fence = fence;
    return this.take(text, text.length > LONGEST_WAIT && length < text.length / 2 ? text.length : length);
  }

  /** Returns the leaves of all text that waits, although more may follow: what happens next is not said before it. */
  flush(): readonly Leaf[] {
    const text = this.joined();
    this.fence = undefined;
    return this.take(text, text.length);
  }

  /** Returns the leaves of all text that waits, now that no more follows. */
  end(): readonly Leaf[] {
    const leaves = lastPart(this.joined(), this.options, this.open);
    this.waiting = "";
    this.length = 0;
    return leaves;
  }

  /** Gives the leaves of the first characters of what waits. */
  private take(text: string, length: number): readonly Leaf[] {
    this.waiting = text.slice(length);
    this.length = this.waiting.length;
    this.readLength = this.length;
    this.searched = this.waiting.slice(-LONGEST_END);
    this.line = this.waiting.slice(this.waiting.lastIndexOf("\n") + 1).slice(0, LONGEST_FENCE);
    this.mayEnd = false;
    if (length === 0) return [];
    const { leaves, open } = speakablePart(text.slice(0, length), this.options, this.open);
    this.open = open;
    return leaves;
  }

  /** All text that waits. */
  private joined(): string {
    this.waiting += this.chunks.join("");
    this.chunks = [];
    return this.waiting;
  }

  private isDue(chunk: string): boolean {
    const { length } = this;
    if (length >= 2 * Math.max(this.readLength, SHORT) || length > LONGEST_WAIT) return true;
    const isShort = length - this.readLength < PREFIX_PART * (this.open?.prefix.length ?? 0);
    this.mayEnd ||= this.fence === undefined ? this.hasPossibleEnd(chunk) : this.hasFence(this.fence, chunk);
    return (
      this.mayEnd && !isShort && (length <= SHORT || this.fence !== undefined || length >= GROWTH * this.readLength)
    );
  }

  private hasPossibleEnd(chunk: string): boolean {
    const text = this.searched + chunk;
    this.searched = text.slice(-LONGEST_END);
    return POSSIBLE_END.test(text);
  }

  /** Whether a new line closes the block of code that waits. */
  private hasFence(fence: string, chunk: string): boolean {
    const lines = (this.line + chunk).split("\n");
    this.line = (lines.pop() ?? "").slice(0, LONGEST_FENCE);
    return lines.some((line) => {
      const marks = line.replace(/^[\s>]+/, "").trimEnd();
      return marks.length >= fence.length && marks === fence.charAt(0).repeat(marks.length);
    });
  }
}
