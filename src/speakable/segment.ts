// The parts of a text that can be said (R37): leaves that cover it, and the blocks in which they stand.

/** The languages with words of their own. A text in another language is described in English. */
export const SPEAKABLE_LANGUAGES = ["en", "es", "fr", "de", "ja", "ar"] as const;
export type SpeakableLanguage = (typeof SPEAKABLE_LANGUAGES)[number];

/** How a text is made speakable (R37). */
export interface SpeakableOptions {
  /** The language of the words that are added. A tag such as `de-AT` counts as its language. Default `en`. */
  readonly language?: string;
  /** Blocks of code: named with their lines, read, or passed over. Code within a sentence is always read. Default `announce`. */
  readonly code?: "announce" | "read" | "skip";
  /** Links: their text alone, with the host, or with the whole address. Default `host`. */
  readonly links?: "text" | "host" | "full";
  /** Emoji: by their names, or not at all. Default `name`. */
  readonly emoji?: "name" | "drop";
}

/** The kind of a leaf. `unknown`: its surroundings are lost, as after a resume that could not be read back. */
export type LeafKind =
  | "prose"
  | "heading"
  | "code"
  | "inline-code"
  | "link"
  | "image"
  | "cell"
  | "emoji"
  | "ansi"
  | "marks"
  | "unknown";

/** A block around leaves. All leaves of one block have the same `id`, also where they come with different chunks. */
export interface Block {
  readonly kind: "quote" | "list" | "item" | "table" | "row" | "code" | "heading";
  /** Counts the blocks of a text from 1. */
  readonly id: number;
  /** The place of an item in its list, or of a row in its table, the head included, from 1. */
  readonly index?: number;
  /** How many items or rows there are; absent for a text that goes on. */
  readonly of?: number;
  /** The depth of a list or quote among its like, or the level of a heading, from 1. */
  readonly level?: number;
}

/**
 * A stretch of the text with the words for it. The leaves of a text stand in its order, without a hole or an overlap. Their `speech`, joined with
 * nothing between, is what to say, and their `braille` what to show; both may be empty.
 */
export interface Leaf {
  readonly kind: LeafKind;
  /** In code points. */
  readonly from: number;
  readonly to: number;
  readonly speech: string;
  readonly braille: string;
  /** The blocks around the leaf, from the outermost. */
  readonly in: readonly Block[];
}

/** The open end of a text that goes on: plain JSON, which may be stored. Only this module reads its members. */
export interface OpenText {
  /** Code points before the end. */
  readonly position: number;
  readonly nextId: number;
  /** Markdown that leads to the same place. */
  readonly prefix: string;
  /** The open blocks, with how many items or rows each has had. */
  readonly blocks: readonly (Block & { readonly count?: number })[];
}
