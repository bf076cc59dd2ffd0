// The makings of a view: its terms, and the services that it works with; how it works is in view.ts.
import type { Millis } from "../../contracts/clock.js";
import type { AgentEvent } from "../event/event.js";
import type { WakeUps } from "../time/wake-ups.js";
import type { Chunk, OutputText } from "./output-text.js";
import type { InternedShape, SharedRendering } from "./shared-rendering.js";
import type { TextUnit } from "./unit.js";

/** The part of the terms that decides what the stream is, and not how fast it comes. */
export interface ViewTerms {
  /** Equal keys, equal streams. */
  readonly key: string;
  readonly shape: InternedShape;
  /** Whether an event is delivered at all (R6, R15, R31, R32). */
  readonly wants: (rendering: SharedRendering) => boolean;
  readonly passThrough: boolean;
  /** The weakest boundary asked for beside completion; undefined where only completion releases. */
  readonly level: "word" | "sentence" | "paragraph" | undefined;
  readonly maxChars: number;
  /** Whether the event carries extensions that this stream's subscribers implement. */
  readonly carriesExtensions: (event: AgentEvent) => boolean;
}

export interface ViewServices {
  /** The shared text of an output, or undefined where nobody follows it yet: the view then asks for it. */
  readonly outputText: (rendering: SharedRendering, key: string) => OutputText;
  readonly chunkOf: (text: OutputText, rendering: SharedRendering, at: Millis) => Chunk;
  /** A record of one chunk alone, for a chunk that is too long to pass through whole. */
  readonly textOfOne: (rendering: SharedRendering, key: string) => OutputText;
  readonly wakeUps: WakeUps;
  /** Whether events that were published wait for the view. */
  readonly isBehind: () => boolean;
  readonly maxHoldMs: Millis;
  /** Makes the event of a stretch of text (R12, R30). */
  readonly renderText: (unit: TextUnit, terms: ViewTerms) => AgentEvent;
}
