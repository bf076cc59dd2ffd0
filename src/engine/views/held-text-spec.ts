// The interface between a view and the text that it holds back. held-text.ts implements it.
import type { Millis } from "../../contracts/clock.js";
import type { Epoch } from "../event/event.js";
import type { Steps } from "../time/steps.js";
import type { OutputText } from "./output-text.js";
import type { SharedRendering } from "./shared-rendering.js";
import type { TextUnit } from "./unit.js";
import type { ViewServices, ViewTerms } from "./view-spec.js";

/** Text of one output that was published and not released. */
export interface HeldText {
  readonly output: string;
  readonly session: string;
  readonly firstEpoch: Epoch;
  /** Epoch of the chunk with the last text before it; 0 if unknown. */
  readonly deliveredEpoch: Epoch;
  /** Epoch of the newest chunk held. */
  readonly lastEpoch: Epoch;
  /** Start and end of the text in its output, in code points. */
  readonly position: number;
  readonly endPosition: number;
}

export interface HeldTextsOwner {
  readonly terms: ViewTerms;
  readonly services: ViewServices;
  /** The epoch of the last event that the view took. */
  readonly epoch: () => Epoch;
  /** The timestamp of the last unit of a session that the view handed on. */
  readonly lastTimestamp: (session: string) => string | undefined;
  /** The timestamp of text that an event with this timestamp releases. */
  readonly standsAt: (session: string, timestamp: string) => string;
  readonly append: (unit: TextUnit) => void;
  /** Called with the timestamp of text that was delivered elsewhere. */
  readonly passedBy: (session: string, timestamp: string) => void;
}

export interface HeldTexts {
  /** Takes the next chunk of an output, and releases the text that it shows to be ready. The first step is done at once (R34). */
  readonly push: (rendering: SharedRendering, key: string, at: Millis) => Steps | undefined;
  /** Releases the text that an event of its session ends (R30). */
  readonly releaseFor: (rendering: SharedRendering, at: Millis) => void;
  /** The held text of each output; with `most`, of at most so many outputs, without looking at outputs of which no text is held. */
  readonly held: (most?: number) => readonly HeldText[];
  /** The text of a session that is held and leaves before the next event. */
  readonly heldIn: (session: string) => readonly HeldText[];
  /** The epoch of the oldest held text, or `except` if that is lower. */
  readonly lowestEpoch: (except: Epoch) => Epoch;
  /** Releases the held text of an output up to a position. */
  readonly release: (output: string, position: number, at: Millis) => void;
  readonly releaseAll: (at: Millis) => void;
  /** Starts an output at a position: its earlier text is delivered elsewhere, and cuts count from here. Its chunks are still to come. */
  readonly beginAt: (output: string, position: number) => void;
  /** Continues an output in the middle, from the beginning of the piece in progress. */
  readonly follow: (text: OutputText) => void;
  /** The lowest offset of an output's held text in its record; undefined if none is held. */
  readonly heldOffset: (output: string) => number | undefined;
  /** Cancels the timers and drops all text. */
  readonly close: () => void;
}
