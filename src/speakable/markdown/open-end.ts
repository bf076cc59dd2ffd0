// The blocks that stand open at the end of a part, as Markdown that leads to the same place: a list's marker, a fence's first line, a table's head.
import type { OpenText } from "../segment.js";
import { SAID } from "./block-tokens.js";
import type { BlockReader, LastBlock } from "./blocks.js";
import { isClosed } from "./fence-words.js";
import { plainPrefix } from "./technical-blocks.js";

/** A longer prefix would cost more than it tells, so that the next part begins as a text of its own. */
const LONGEST_PREFIX = 2_000;

/** `position` counts the code points up to the end. */
export function openEnd(reader: BlockReader, position: number): OpenText {
  const { last, nextId } = reader;
  if (last === undefined) return { position, nextId, prefix: "", blocks: [] };
  const marked = last.frames.filter(({ block }) => block.kind === "quote" || block.kind === "item");
  const lines = [...new Set(marked.map(({ line }) => line))];
  const around = lines.filter((line) => line !== last.firstLine).map((line) => saidBlock(marksOf(reader, line)));
  const { own, isOpen } = ownPrefix(reader, last);
  const prefix = around.join("") + own;
  if (prefix.length > LONGEST_PREFIX) return { position, nextId, prefix: "", blocks: [] };
  const { frames } = last;
  const blocks = frames.filter(({ block }) => isOpen || block.kind !== "table");
  return { position, nextId, prefix, blocks: blocks.map(({ block, count }) => ({ ...block, count })) };
}

/** The marks of the blocks that begin or go on in a line. */
function marksOf({ lines, contentStarts, source }: BlockReader, line: number): string {
  return source.text.slice(lines.start(line), contentStarts.get(line) ?? lines.end(line));
}

/** A line that may still become the beginning of a block, or that has only the marks of the blocks around it. */
const BEGUN = /^[\s>]*(?:[`~#=*_-]{1,6}|\+|\d{1,9}[.)]?)? ?$/;

/** A block that was said, and the line that ends it in the blocks around it. */
function saidBlock(marks: string): string {
  return `${marks}${SAID}\n${marks.replace(/[^>]/g, " ").trimEnd()}\n`;
}

/** The prefix of the last block itself, and whether text may go on in it. */
function ownPrefix(reader: BlockReader, last: LastBlock): { readonly own: string; readonly isOpen: boolean } {
  const { lines, source } = reader;
  const { text } = source;
  const marks = marksOf(reader, last.firstLine);
  const isWithin = !text.endsWith("\n") && reader.isAtEnd(last.endLine);
  const start = text.lastIndexOf("\n") + 1;
  const line = text.slice(start);
  if (last.type === "fence" && !isClosed(last.token)) {
    const head = `${marks}${last.token.markup}${last.token.info}`;
    if (start <= lines.start(last.firstLine)) return { own: head, isOpen: true };
    // A line that goes on stands in the blocks of the fence by its own marks, and may close it.
    const rest = BEGUN.test(line) ? line : `${/^[\s>]*/.exec(line)?.[0]}${SAID}`;
    return { own: `${head}\n${rest}`, isOpen: true };
  }
  if (line !== "" && BEGUN.test(line) && (last.type === "paragraph" || !reader.isAtEnd(last.endLine))) {
    const isOwn = start <= lines.start(last.firstLine);
    const isParagraph = last.type === "paragraph";
    return { own: isOwn ? line : (isParagraph ? `${marks}${SAID}\n` : saidBlock(marks)) + line, isOpen: isParagraph };
  }
  // Nothing but blocks around it keeps a text that goes on from being one of its own.
  const closed = { own: last.frames.length === 0 ? "" : saidBlock(marks), isOpen: false };
  if (!reader.isAtEnd(last.endLine)) return closed;
  switch (last.type) {
    case "blockquote_open":
    case "list_item_open":
      return { own: marks + (isWithin ? "" : "\n"), isOpen: true };
    case "tr_open": {
      const first = last.frames.at(-1)?.line ?? last.firstLine;
      return { own: `${text.slice(lines.start(first), lines.end(first + 1))}\n`, isOpen: true };
    }
    case "plain":
      return { own: plainPrefix(last.token.meta, isWithin), isOpen: true };
    case "paragraph": {
      const ended = lines.text(last.endLine - 1);
      // The next line may make this one the head of a table.
      if (ended.includes("|"))
        return { own: `${headMarks(reader, last)}${ended}${isWithin ? "" : "\n"}`, isOpen: true };
      return { own: `${marks}${SAID}${isWithin ? (/\s$/.test(text) ? " " : "") : "\n"}`, isOpen: true };
    }
    default:
      return isWithin && last.type === "heading_open" ? { own: marks + SAID, isOpen: true } : closed;
  }
}

/** The last line of a paragraph has its own marks, unless it is lazy. */
function headMarks(reader: BlockReader, last: LastBlock): string {
  return last.endLine - last.firstLine === 1 ? "" : `${marksOf(reader, last.firstLine)}${SAID}\n`;
}
