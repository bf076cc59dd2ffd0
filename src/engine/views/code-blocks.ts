// Whether a chunk begins inside a fenced code block, for those that begin to read an output in the middle (R10). Found in the journal when it is
// asked for, and remembered for the chunks that were looked at: each is read once, and nothing is done for chunks that nobody asks about.
import type { Journal } from "../../contracts/journal.js";
import type { AgentEvent, Epoch, JournaledEvent } from "../event/event.js";
import { type EpochSteps, ONE_BOOT } from "../journal/epoch-boots.js";
import { lookBack } from "../journal/look-back.js";
import { closesFence, lineKindAt } from "../text/markdown-lines.js";

/** So much is remembered before it is looked at what of it has left the journal. */
const FIRST_SWEEP_COUNT = 1024;

/** Where the text of an output stands after some chunk. */
interface FenceState {
  /** What opened the block that is not closed. */
  readonly mark: string | undefined;
  /** The beginning of a line whose kind is not known yet; undefined further on in a line. */
  readonly head: string | undefined;
}

const BEGINNING: FenceState = { mark: undefined, head: "" };

export interface CodeBlocks {
  /**
   * A text that leads to where a chunk begins: the opening line of the code block it begins in, and a character where that is in mid-line. Empty
   * where it begins in no block.
   */
  readonly openingOf: (chunk: JournaledEvent) => string;
  /** Chunks that something is remembered of: of those that left the journal no more than of those that it holds, or 1,024. */
  readonly rememberedCount: () => number;
}

/** Reads each chunk of `journal` once at most, and looks no further back than 16,384 events before a chunk: beyond, no block is known to be open. */
export function createCodeBlocks(journal: Pick<Journal, "at" | "oldest">, steps: EpochSteps = ONE_BOOT): CodeBlocks {
  // Where the text stands before each chunk that was looked at. Epochs are those of all outputs, so no two chunks have the same.
  const known = new Map<Epoch, FenceState>();
  let sweepAtCount = FIRST_SWEEP_COUNT;

  /** As many are left as the journal has, at most; each sweep pays for as many as were added since the one before. */
  const forgetEvicted = (): void => {
    if (known.size < sweepAtCount) return;
    const oldest = journal.oldest();
    for (const epoch of known.keys()) if (epoch < oldest) known.delete(epoch);
    sweepAtCount = Math.max(FIRST_SWEEP_COUNT, 2 * known.size);
  };

  const before = (chunk: JournaledEvent): FenceState => {
    const later: JournaledEvent[] = [];
    for (const entry of lookBack(journal, chunk, Number.POSITIVE_INFINITY, steps)) {
      later.push(entry);
      if (entry.event.position === 0 || known.has(entry.epoch)) break;
    }
    let fenceState = BEGINNING;
    for (const { event, epoch } of later.reverse()) {
      fenceState = known.get(epoch) ?? fenceState;
      known.set(epoch, fenceState);
      if (epoch !== chunk.epoch) fenceState = after(fenceState, event);
    }
    forgetEvicted();
    return fenceState;
  };

  return {
    openingOf: (chunk) => {
      if (chunk.event.position === 0 || !isMarkdown(chunk.event)) return "";
      const { mark, head } = before(chunk);
      if (mark === undefined) return "";
      return `${mark}\n${head === "" ? "" : "."}`;
    },
    rememberedCount: () => known.size,
  };
}

/** Whether the lines of a chunk have kinds. */
export function isMarkdown({ content_type: contentType }: AgentEvent): boolean {
  return contentType !== "text/html";
}

function after(fenceState: FenceState, event: AgentEvent): FenceState {
  const text = event.chunk;
  if (typeof text !== "string" || !isMarkdown(event)) return fenceState;
  let { mark, head } = fenceState;
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
  // Most chunks change nothing: one standing is then kept for all of them.
  return mark === fenceState.mark && head === fenceState.head ? fenceState : { mark, head };
}
