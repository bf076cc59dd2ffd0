// The text that a view holds of one output, and the data of its chunks that decide how it may leave (R10). held-texts.ts decides when it is released,
// and at which boundaries.
import type { Millis } from "../../contracts/clock.js";
import type { AgentEvent, Epoch } from "../event/event.js";
import { type Boundary, boundaryOf } from "../terms/terms.js";
import type { Chunk, OutputText } from "./output-texts.js";
import { MAX_TEXT_BYTES, roomForText } from "./text-room.js";
import { agreeForMerging } from "./unit.js";

/** How far a view has come. */
export interface ViewPlace {
  /** Epoch of the last event taken. */
  epoch: Epoch;
  /** Timestamps of the last units of open sessions, or of later events that were sent otherwise to subscriptions of the view (R30). */
  readonly timestamps: Map<string, string>;
}

/** Text of one output that was published and not released. */
export interface HeldText {
  readonly output: string;
  readonly session: string;
  readonly firstEpoch: Epoch;
  /** Start and end of the text in its output, in code points. */
  readonly position: number;
  readonly endPosition: number;
}

/** Text from `start` to the end of the newest chunk. Offsets are those of the output's record; `position` counts code points. */
export interface Hold {
  readonly text: OutputText;
  readonly agent: string;
  start: number;
  position: number;
  firstAt: Millis;
  newest: Chunk;
  cancel: (() => void) | undefined;
  /** Chunks that may not be merged with the text before them; only if nothing but completion releases. */
  readonly seams: Chunk[];
  /** Index of the first seam that is still ahead. */
  seamIndex: number;
  /** The seam at which the text now begins. */
  opening: Chunk | undefined;
  /** Bytes for text beside the fields of the chunk that the held text begins with; computed once for each chunk. */
  room: number;
  roomFor: Chunk | undefined;
}

export function createHold(text: OutputText, chunk: Chunk, start: number, position: number): Hold {
  return {
    text,
    agent: chunk.rendered.entry.event.producer.agent_id,
    start,
    position,
    firstAt: chunk.at,
    newest: chunk,
    cancel: undefined,
    seams: [],
    seamIndex: 0,
    opening: undefined,
    room: MAX_TEXT_BYTES,
    roomFor: undefined,
  };
}

/** The same text, to be cut without a change of the original. */
export function copyOf(hold: Hold): Hold {
  return { ...hold, seams: [...hold.seams] };
}

export function isEmpty({ start, newest }: Hold): boolean {
  return start === newest.end;
}

/** Epoch of the oldest text in a hold; undefined if it is empty. */
export function firstEpochOf(hold: Hold): Epoch | undefined {
  return isEmpty(hold) ? undefined : hold.text.chunkAt(hold.start)?.rendered.entry.epoch;
}

/** The agent's own hint on the end of its chunk. "completion" counts only on the last chunk of an output (R10). */
export function ownHint(event: AgentEvent): Boundary | undefined {
  const own = boundaryOf(event.coalesce_hint);
  return own === "completion" && event.complete !== true ? undefined : own;
}

/** Whether two chunks agree in the members that have to be equal for a merge (R10). */
export function agree(one: Chunk, other: Chunk): boolean {
  return agreeForMerging(one.rendered.entry.event, other.rendered.entry.event);
}

/** Bytes for text beside the fields of the chunk that the held text begins with. */
export function roomIn(hold: Hold): number {
  const first = hold.text.chunkAt(hold.start);
  if (first === undefined) return MAX_TEXT_BYTES;
  if (hold.roomFor !== first) {
    hold.roomFor = first;
    hold.room = roomForText(first.rendered.entry.event);
  }
  return hold.room;
}
