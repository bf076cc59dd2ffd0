// One output of an agent as it is said: sentence by sentence while it comes, or at its end by its first sentence and what follows that.
import { piecesOf } from "../../speak/pieces.js";
import type { Part } from "../../speak/speech.js";
import { type Leaf, type SpeakableOptions, SpeakableStream, speakable } from "../../speakable/index.js";
import { counted } from "../terminal/amounts.js";
import type { HeardText } from "../terminal/heard-texts.js";
import { theirs } from "./spoken-parts.js";

export type SpokenOptions = SpeakableOptions & { readonly language: string };

/** The words of a text of an agent. */
export function wordsOf(text: string, options: SpokenOptions): Part {
  return joined(speakable(text, options), options);
}

export interface SpokenOutput {
  /** Takes the next chunk. Returns the words that no later chunk changes. */
  readonly push: (chunk: string, isLast: boolean) => Part;
  /** Returns the words that wait, although more may follow. */
  readonly flush: () => Part;
}

export function createSpokenOutput(options: SpokenOptions): SpokenOutput {
  const stream = new SpeakableStream(options);
  return {
    push: (chunk, isLast) => joined([...stream.push(chunk), ...(isLast ? stream.end() : [])], options),
    flush: () => joined(stream.flush(), options),
  };
}

export interface Gist {
  /** The first sentence, in the words and the language of the agent. */
  readonly first: string;
  /** The rest in our words, as in "and 14 sentences, one table"; "" if nothing does. */
  readonly rest: string;
}

/** Characters of an output that are read for its gist, UTF-16 units. */
const LONGEST_READ = 32_768;

/** Sums a whole output up. */
export function gistOf({ text, leftOut, language }: HeardText, given: SpeakableOptions): Gist {
  const options = { ...given, language };
  const leaves = speakable(text.slice(0, LONGEST_READ), { ...options, code: "skip" });
  const blocks = new Map<number, "table" | "code" | "list">();
  for (const { kind, id } of leaves.flatMap((leaf) => leaf.in))
    if (kind === "table" || kind === "code" || kind === "list") blocks.set(id, kind);
  const prose = leaves.filter((leaf) => !leaf.in.some(({ kind }) => kind === "table" || kind === "code"));
  const [first = "", ...others] = piecesOf(joined(prose, options).text);
  const count = (kind: string): number => [...blocks.values()].filter((one) => one === kind).length;
  const parts = [
    [others.length, "sentence"],
    [count("list"), "list"],
    [count("table"), "table"],
    [count("code"), "block", "of code"],
  ] as const;
  const rest = parts.flatMap(([amount, name, of]) =>
    amount === 0 ? [] : [[counted(amount, name), ...(of === undefined ? [] : [of])].join(" ")],
  );
  const least = leftOut > 0 || text.length > LONGEST_READ ? "more than " : "";
  return { first, rest: rest.length === 0 ? "" : `and ${least}${rest.join(", ")}.` };
}

function joined(leaves: readonly Leaf[], { language }: SpokenOptions): Part {
  const words = (of: "speech" | "braille"): string => leaves.map(({ [of]: one }) => one).join("");
  return theirs(words("speech"), language, words("braille"));
}
