// The terms of a view and the services that it needs. view.ts implements a view.
import type { Millis } from "../../contracts/clock.js";
import type { AgentEvent } from "../event/event.js";
import type { WakeUps } from "../time/wake-ups.js";
import type { Chunk, OutputText } from "./output-text.js";
import type { InternedShape, SharedRendering } from "./shared-rendering.js";
import type { TextUnit } from "./unit.js";

/** The terms that decide the content of a stream, and not its speed. */
export interface ViewTerms {
  /** Equal keys mean equal streams. */
  readonly key: string;
  readonly shape: InternedShape;
  /** Whether an event is delivered at all (R6, R15, R31, R32). */
  readonly wants: (rendering: SharedRendering) => boolean;
  readonly passThrough: boolean;
  /** The weakest granted boundary beside completion; undefined if only completion releases. */
  readonly level: "word" | "sentence" | "paragraph" | undefined;
  readonly maxChars: number;
  /** Whether the event carries extensions that this stream's subscribers support. */
  readonly carriesExtensions: (event: AgentEvent) => boolean;
}

export interface ViewServices {
  /** The shared record of an output; the first call begins it. */
  readonly outputText: (rendering: SharedRendering, key: string) => OutputText;
  readonly chunkOf: (text: OutputText, rendering: SharedRendering, at: Millis) => Chunk;
  /** A record of one chunk alone, for a chunk that is too long to pass through whole. */
  readonly textOfOne: (rendering: SharedRendering, key: string) => OutputText;
  readonly wakeUps: WakeUps;
  /** Whether published events wait for the view. */
  readonly isBehind: () => boolean;
  readonly maxHoldMs: Millis;
  /** Makes the event of a stretch of text (R12, R30). */
  readonly renderText: (unit: TextUnit, terms: ViewTerms) => AgentEvent;
}
