// Makes a text, or one part after the other, speakable.
import { codePointCount } from "../base/code-points.js";
import { BlockReader } from "./markdown/blocks.js";
import { isClosed } from "./markdown/fence-words.js";
import { openEnd } from "./markdown/open-end.js";
import type { Leaf, OpenText, SpeakableOptions } from "./segment.js";
import { BEGUN_SEQUENCE, sequencesIn } from "./terminal-sequences.js";
import { vocabularyOf } from "./words/vocabulary.js";

/**
 * The leaves of a whole text, for speech and braille (R37). Markdown is read where it is Markdown: logs, diffs, globs, powers and tables of a
 * terminal stay what they are. Takes time in proportion to the text.
 */
export function speakable(text: string, options: SpeakableOptions = {}): readonly Leaf[] {
  return lastPart(text, options, undefined);
}

/** A part of a text: its leaves, and what stands open behind it. */
export interface SpeakablePart {
  readonly leaves: readonly Leaf[];
  readonly open: OpenText;
}

/**
 * The leaves of the next part of a text that goes on. Their places are those in the whole text. `open` is that of the part before, and may have been
 * stored. Every character of the part gets its leaf at once. `SpeakableStream` waits for the ends of blocks and sentences instead.
 */
export function speakablePart(text: string, options: SpeakableOptions = {}, open?: OpenText): SpeakablePart {
  const plain = withoutSequences(text);
  const reader = readerOf(plain, options, open, true);
  const leaves = located(text, plain, reader, open);
  return { leaves, open: openEnd(reader, leaves.at(-1)?.to ?? open?.position ?? 0) };
}

/** The leaves of the part with which a text ends. */
export function lastPart(text: string, options: SpeakableOptions, open: OpenText | undefined): readonly Leaf[] {
  const plain = withoutSequences(text);
  return located(text, plain, readerOf(plain, options, open, false), open);
}

export interface FinalText {
  /** UTF-16 code units of the part that no later text can change: whole blocks and whole sentences. */
  readonly length: number;
  /** The marks that close the block of code behind it. */
  readonly fence: string | undefined;
}

/** How much of the next part is final. */
export function finalText(text: string, options: SpeakableOptions, open: OpenText | undefined): FinalText {
  const plain = withoutSequences(text);
  const reader = readerOf(plain, options, open, true);
  const { last, source } = reader;
  const begun = plain.text.search(BEGUN_SEQUENCE);
  const end = Math.min(finalEnd(reader) - source.base, begun < 0 ? plain.text.length : begun);
  const cut = plain.sequences.filter(({ at }) => at < end).reduce((sum, { length }) => sum + length, 0);
  const fence = last?.type === "fence" && !isClosed(last.token) ? last.token.markup : undefined;
  return { length: Math.max(0, end + cut), fence };
}

function finalEnd(reader: BlockReader): number {
  const { last, lines, sentenceEnd } = reader;
  const { text, base } = reader.source;
  if (last === undefined) return base;
  const isWhole = text.endsWith("\n") && ["heading_open", "hr", "plain"].includes(last.type);
  const isOver = isWhole || (last.type === "fence" && isClosed(last.token)) || !reader.isAtEnd(last.endLine);
  if (isOver || last.type === "plain") return Math.max(base, text.lastIndexOf("\n") + 1);
  return Math.max(base, lines.start(last.firstLine), last.type === "paragraph" ? sentenceEnd : 0);
}

interface PlainText {
  /** Without sequences for a terminal, and with one kind of line break. */
  readonly text: string;
  /** Where the sequences stood, as places in `text`. */
  readonly sequences: readonly { readonly at: number; readonly length: number }[];
}

function withoutSequences(text: string): PlainText {
  const sequences: { at: number; length: number }[] = [];
  let plain = "";
  let from = 0;
  for (const { 0: sequence, index } of sequencesIn(text)) {
    plain += text.slice(from, index);
    from = index + sequence.length;
    sequences.push({ at: plain.length, length: sequence.length });
  }
  plain += text.slice(from);
  // Each character keeps its place.
  plain = plain.replaceAll("\r\n", " \n").replaceAll("\r", "\n").replaceAll("\0", "\ufffd");
  return { text: plain, sequences };
}

function readerOf(
  plain: PlainText,
  options: SpeakableOptions,
  open: OpenText | undefined,
  goesOn: boolean,
): BlockReader {
  const { language, code = "announce", links = "host", emoji = "name" } = options;
  const prefix = open?.prefix ?? "";
  const base = prefix.length;
  const cuts = [base, ...plain.sequences.map(({ at }) => base + at)];
  const context = { vocabulary: vocabularyOf(language), code, links, emoji };
  return new BlockReader({ text: prefix + plain.text, base, cuts, open, goesOn }, context);
}

/** The leaves with their places in the text, sequences included, in code points. */
function located(
  text: string,
  { sequences }: PlainText,
  { row, source }: BlockReader,
  open: OpenText | undefined,
): readonly Leaf[] {
  const leaves: Leaf[] = [];
  let at = 0;
  let point = open?.position ?? 0;
  let next = 0;
  let skipped = 0;
  const add = (end: number, leaf: Omit<Leaf, "from" | "to">) => {
    const to = point + codePointCount(text.slice(at, end));
    leaves.push({ kind: leaf.kind, from: point, to, speech: leaf.speech, braille: leaf.braille, in: leaf.in });
    at = end;
    point = to;
  };
  const addSequences = (upTo: number) => {
    for (let one = sequences[next]; one !== undefined && one.at <= upTo; one = sequences[next]) {
      add(one.at + skipped + one.length, { kind: "ansi", speech: "", braille: "", in: [] });
      skipped += one.length;
      next += 1;
    }
  };
  for (const leaf of row.leaves) {
    addSequences(leaf.from - source.base);
    const to = leaf.to - source.base;
    // Sequences within a block of code, a link or marks belong to it.
    for (let one = sequences[next]; one !== undefined && one.at < to; one = sequences[next]) {
      skipped += one.length;
      next += 1;
    }
    add(to + skipped, leaf);
  }
  addSequences(Number.POSITIVE_INFINITY);
  return leaves;
}
