// Decides whether a chunk begins inside a fenced code block, for views that begin to read an output in the middle (R10). The answer is found in the
// journal on demand, and remembered for the chunks that were read. Each chunk is read once, and chunks that no view asks about cost nothing.
import { keepNewest } from "../../base/keep-newest.js";
import type { Journal } from "../../contracts/journal.js";
import type { AgentEvent, Epoch, JournaledEvent, NewEvent } from "../event/event.js";
import { type EpochSteps, ONE_BOOT } from "../journal/epoch-boots.js";
import { closesFence, lineKindAt } from "../text/markdown-lines.js";

/** Most events passed over on the way back, and most chunks remembered. */
const MOST_PASSED_COUNT = 16_384;

/** The state of an output's text after some chunk. */
interface FenceState {
  /** The mark of the open code block; undefined if none is open. */
  readonly mark: string | undefined;
  /** The beginning of a line whose kind is not known yet; undefined later in a line. */
  readonly head: string | undefined;
}

const BEGINNING: FenceState = { mark: undefined, head: "" };

/** Reads each chunk of `journal` once, and no more than 16,384 events before a chunk. Beyond that, no block counts as open. */
export class CodeBlocks {
  private readonly journal: Pick<Journal, "at" | "oldest" | "head">;
  private readonly steps: EpochSteps;
  // The state before each chunk that was read. Epochs are unique across outputs, so they serve as keys.
  private readonly known = new Map<Epoch, FenceState>();

  constructor(journal: Pick<Journal, "at" | "oldest" | "head">, steps: EpochSteps = ONE_BOOT) {
    this.journal = journal;
    this.steps = steps;
  }

  /**
   * A text that leads to the beginning of a chunk: the opening line of its code block, and a character if the chunk begins inside a line. Empty if
   * the chunk begins in no block. A chunk without an epoch comes next.
   */
  openingOf(chunk: NewEvent | JournaledEvent): string {
    if (chunk.event.position === 0 || !isMarkdown(chunk.event)) return "";
    const { mark, head } = "epoch" in chunk ? this.before(chunk) : this.beforeNext(chunk);
    if (mark === undefined) return "";
    return `${mark}\n${head === "" ? "" : "."}`;
  }

  private before(chunk: JournaledEvent): FenceState {
    const { known } = this;
    const isDecided = ({ event, epoch }: JournaledEvent): boolean => event.position === 0 || known.has(epoch);
    // Backwards, to the beginning of the output or a chunk that was read.
    const later = [chunk];
    const from = this.steps.previous(chunk.epoch);
    for (const entry of isDecided(chunk) ? [] : chunksBackFrom(from, chunk.event, this.journal, this.steps)) {
      later.push(entry);
      if (isDecided(entry)) break;
    }
    let fenceState = BEGINNING;
    for (const { event, epoch } of later.reverse()) {
      fenceState = known.get(epoch) ?? fenceState;
      known.set(epoch, fenceState);
      if (epoch !== chunk.epoch) fenceState = after(fenceState, event);
    }
    keepNewest(known, MOST_PASSED_COUNT);
    return fenceState;
  }

  private beforeNext(chunk: NewEvent): FenceState {
    const epoch = this.journal.head() + 1;
    const fenceState = this.before({ ...chunk, epoch });
    // Another event may get this epoch.
    this.known.delete(epoch);
    return fenceState;
  }
}

/** The chunks of an event's output from an epoch backwards. At most 16,384 events are passed over, of whatever session and output. */
export function* chunksBackFrom(
  from: Epoch,
  { session_id: sessionId, output_id: output }: AgentEvent,
  journal: Pick<Journal, "at" | "oldest">,
  steps: EpochSteps,
): Iterable<JournaledEvent> {
  const only = { sessionId, kind: "output.streaming", outputId: typeof output === "string" ? output : "" } as const;
  const oldest = journal.oldest();
  for (let epoch = from, passed = 0; epoch >= oldest && passed < MOST_PASSED_COUNT; passed += 1) {
    const entry = journal.at(epoch, only);
    if (entry !== undefined) yield entry;
    epoch = steps.previous(epoch);
  }
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
  // Most chunks change nothing. They share one state.
  return mark === fenceState.mark && head === fenceState.head ? fenceState : { mark, head };
}
