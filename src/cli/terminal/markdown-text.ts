// Streamed text in Markdown as a line that reads well aloud. A text may begin in the middle of a line or of a block of code, so the reader remembers
// where each output stands.
import type { Envelope } from "#gen/aaep/types.js";
import { closesFence, lineKindAt } from "../../engine/text/markdown-lines.js";
import { withoutMarks } from "./markdown-marks.js";

export interface MarkdownReader {
  /** Reads the next chunk of an output. Lines stay apart by a period or a space. */
  readonly read: (event: Envelope) => string;
}

/** The place at which an output stands. */
interface Place {
  /** The mark of the open block of code. */
  fence: string | undefined;
  isLineStart: boolean;
}

/** Most outputs that are remembered; the oldest are forgotten first. */
const MOST_OUTPUTS = 1000;

/** Whether the text of an event may be Markdown: agents seldom say so. */
export function mayBeMarkdown({ content_type: contentType }: Envelope): boolean {
  return contentType === undefined || contentType === "text/markdown";
}

export function createMarkdownReader(): MarkdownReader {
  const places = new Map<string, Place>();
  return {
    read: ({ session_id: session, output_id: output, chunk, position, complete }) => {
      if (typeof chunk !== "string") return "";
      const key = `${session} ${String(output ?? "")}`;
      const known = position === 0 ? undefined : places.get(key);
      const place = known ?? { fence: undefined, isLineStart: position === 0 };
      const text = readAloud(chunk, place);
      places.delete(key);
      if (complete !== true) places.set(key, place);
      for (const oldest of places.keys()) {
        if (places.size <= MOST_OUTPUTS) break;
        places.delete(oldest);
      }
      return text;
    },
  };
}

interface ReadLine {
  readonly text: string;
  /** Whether the line is a block of its own, such as an item of a list. */
  readonly isBlock: boolean;
}

function readAloud(chunk: string, place: Place): string {
  const read: ReadLine[] = [];
  for (const line of chunk.split(/(?<=\n)/)) {
    const isWhole = line.endsWith("\n");
    read.push(place.isLineStart ? lineFrom(line, place) : { text: continued(line, place), isBlock: false });
    place.isLineStart = isWhole;
  }
  const said = read.map(({ text, isBlock }) => ({ text: text.trim(), isBlock })).filter(({ text }) => text !== "");
  return said.map(({ text, isBlock }, index) => (isBlock && index < said.length - 1 ? ended(text) : text)).join(" ");
}

/** The rest of a line whose beginning came before. */
function continued(line: string, { fence }: Place): string {
  return fence === undefined ? withoutMarks(line) : line;
}

function lineFrom(line: string, place: Place): ReadLine {
  if (place.fence !== undefined) {
    if (closesFence(line, 0, place.fence, true) !== true) return { text: line, isBlock: false };
    place.fence = undefined;
    return { text: "[end of code]", isBlock: false };
  }
  const kind = lineKindAt(line, 0, true, true);
  switch (kind.kind) {
    case "unknown":
    case "blank":
    case "rule":
      return { text: "", isBlock: false };
    case "prose":
      return { text: withoutMarks(line.replace(/^\s*(?:>\s?)*/, "")), isBlock: false };
    case "item":
      return { text: itemFrom(line, kind.content), isBlock: true };
    case "row":
      return { text: rowFrom(line), isBlock: true };
    case "fence": {
      place.fence = kind.mark;
      const language = line.replace(/^[\s>`~]*/, "").trim();
      return { text: language === "" ? "[code]" : `[code, ${language}]`, isBlock: false };
    }
  }
}

/** An item without its bullet, with its number if it has one; a heading without its marks. */
function itemFrom(line: string, content: number): string {
  const token = line.slice(0, content).trim();
  const rest = withoutMarks(line.slice(content).trim());
  if (token.startsWith("#")) return rest.replace(/ #+$/, "");
  return /\d/.test(token) ? `${token.replace(/^[\s>]*/, "")} ${rest}` : rest;
}

/** The cells of a row of a table; nothing for the line below a table's head. */
function rowFrom(line: string): string {
  const cells = line.split("|").map((cell) => cell.trim());
  const inner = cells.slice(1, cells.at(-1) === "" ? -1 : undefined);
  if (inner.every((cell) => /^:?-+:?$/.test(cell))) return "";
  return inner
    .filter((cell) => cell !== "")
    .map(withoutMarks)
    .join(", ");
}

/** A line of its own is heard as one if it ends with a mark. */
function ended(text: string): string {
  return /[\p{P}]$/u.test(text) ? text : `${text}.`;
}
