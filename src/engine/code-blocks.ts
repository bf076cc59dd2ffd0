// Whether a chunk begins inside a fenced code block, for those that begin to read an output in the middle (R10). Found in the journal when it is
// asked for, and remembered with the chunks that were looked at: each is read once, and nothing is done for chunks that nobody asks about.
import type { Journal } from "../contracts/journal.js";
import type { AgentEvent, JournaledEvent } from "./event.js";
import { closesFence, lineKindAt } from "./markdown-lines.js";

/** Most events looked at before a chunk, those of other outputs among them. Beyond, no block is known to be open. */
const SCANNED_EVENT_COUNT = 16_384;

/** Where the text of an output stands after some chunk. */
interface Standing {
  /** What opened the block that is not closed. */
  readonly mark: string | undefined;
  /** The beginning of a line whose kind is not known yet; undefined further on in a line. */
  readonly head: string | undefined;
}

const BEGINNING: Standing = { mark: undefined, head: "" };

export interface CodeBlocks {
  /**
   * A text that leads to where a chunk begins: the opening line of the code block it begins in, and a character where that is in mid-line. Empty
   * where it begins in no block.
   */
  readonly openingOf: (chunk: JournaledEvent) => string;
}

export function createCodeBlocks(journal: Pick<Journal, "at" | "oldest">): CodeBlocks {
  // Where the text stands before each chunk that was looked at; gone with the chunk itself.
  const known = new WeakMap<AgentEvent, Standing>();

  const before = (chunk: JournaledEvent): Standing => {
    const { session_id: session, output_id: output } = chunk.event;
    const later = [chunk];
    const oldest = Math.max(journal.oldest(), chunk.epoch - SCANNED_EVENT_COUNT);
    for (let epoch = chunk.epoch - 1; epoch >= oldest; epoch -= 1) {
      const first = later.at(-1)?.event;
      if (first === undefined || first.position === 0 || known.has(first)) break;
      const entry = journal.at(epoch);
      if (entry?.kind !== "output.streaming" || entry.event.session_id !== session) continue;
      if (entry.event.output_id === output) later.push(entry);
    }
    let standing = BEGINNING;
    for (const { event } of later.reverse()) {
      standing = known.get(event) ?? standing;
      known.set(event, standing);
      if (event !== chunk.event) standing = after(standing, event);
    }
    return standing;
  };

  return {
    openingOf: (chunk) => {
      if (chunk.event.position === 0 || !isMarkdown(chunk.event)) return "";
      const { mark, head } = before(chunk);
      if (mark === undefined) return "";
      return `${mark}\n${head === "" ? "" : "."}`;
    },
  };
}

/** Whether the lines of a chunk have kinds. */
export function isMarkdown({ content_type: contentType }: AgentEvent): boolean {
  return contentType !== "text/html";
}

function after(standing: Standing, event: AgentEvent): Standing {
  const text = event.chunk;
  if (typeof text !== "string" || !isMarkdown(event)) return standing;
  let { mark, head } = standing;
  for (let at = 0; at < text.length; ) {
    const feed = text.indexOf("\n", at);
    const end = feed < 0 ? text.length : feed + 1;
    if (head !== undefined) {
      head += text.slice(at, end);
      if (mark === undefined) {
        const line = lineKindAt(head, 0, true, false);
        if (line.kind === "fence") mark = line.mark;
        if (line.kind !== "unknown") head = undefined;
      } else {
        const closes = closesFence(head, 0, mark, false);
        if (closes === true) mark = undefined;
        if (closes !== undefined) head = undefined;
      }
    }
    if (feed >= 0) head = "";
    at = end;
  }
  return { mark, head };
}
