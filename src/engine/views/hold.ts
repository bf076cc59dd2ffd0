// What a view holds of one output: a stretch of its text, and what of its chunks decides how that may leave (R10). Data, and what can be read of
// it; when text is released, and at which boundaries, is held-text.ts's.
import type { Millis } from "../../contracts/clock.js";
import type { AgentEvent } from "../event/event.js";
import { type Boundary, boundaryOf } from "../terms/terms.js";
import { codePointCount, offsetOfCodePoint } from "../text/code-points.js";
import { createFittingText, type FittingText } from "../text/fitting-text.js";
import type { Chunk, OutputText } from "./output-text.js";
import { MAX_TEXT_BYTES } from "./text-room.js";
import { agreeForMerging } from "./unit.js";

/** Text from `start` to the end of the newest chunk. Offsets are those of the output's text; `position` counts code points. */
export interface Hold {
  readonly text: OutputText;
  readonly agent: string;
  start: number;
  position: number;
  firstAt: Millis;
  newest: Chunk;
  cancel: (() => void) | undefined;
  /** Chunks that may not be merged with the text before them; only where completion alone releases. */
  readonly seams: Chunk[];
  /** The seam at which the text now begins. */
  opening: Chunk | undefined;
  readonly size: FittingText;
  /** Bytes that text may take beside the fields of the chunk that it begins with; counted once a chunk. */
  room: number;
  roomFor: Chunk | undefined;
}

export function createHold(text: OutputText, chunk: Chunk, start: number, position: number): Hold {
  return {
    text,
    agent: chunk.rendering.entry.event.producer.agent_id,
    start,
    position,
    firstAt: chunk.at,
    newest: chunk,
    cancel: undefined,
    seams: [],
    opening: undefined,
    size: createFittingText(text.boundaries.slice),
    room: MAX_TEXT_BYTES,
    roomFor: undefined,
  };
}

export function isEmpty({ start, newest }: Hold): boolean {
  return start === newest.end;
}

/** Lets go of what lies before a position: it is given elsewhere. */
export function passBy(hold: Hold, position: number): void {
  const rest = hold.text.boundaries.slice(hold.start, hold.newest.end);
  const count = Math.min(codePointCount(rest), Math.max(0, position - hold.position));
  hold.start += offsetOfCodePoint(rest, count);
  hold.position += count;
  for (let [seam] = hold.seams; seam !== undefined && seam.start <= hold.start; [seam] = hold.seams)
    hold.opening = hold.seams.shift();
}

/** An agent's word on the end of its chunk. Whatever it calls completion: an output is complete with its last chunk alone (R10). */
export function ownHint(event: AgentEvent): Boundary | undefined {
  const own = boundaryOf(event.coalesce_hint);
  return own === "completion" && event.complete !== true ? undefined : own;
}

/** Whether two chunks agree in what has to be equal where they are merged (R10). */
export function agree(one: Chunk, other: Chunk): boolean {
  return agreeForMerging(one.rendering.entry.event, other.rendering.entry.event);
}
