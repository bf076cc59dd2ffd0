// What a view asks of the text that it holds back, and what it answers to that; how it works is in held-text.ts.
import type { Millis } from "../../contracts/clock.js";
import type { Epoch } from "../event/event.js";
import type { Steps } from "../time/steps.js";
import type { OutputText } from "./output-text.js";
import type { SharedRendering } from "./shared-rendering.js";
import type { TextUnit } from "./unit.js";
import type { ViewServices, ViewTerms } from "./view-spec.js";

/** Text that has been published and not released. */
export interface HeldText {
  readonly output: string;
  readonly session: string;
  readonly firstEpoch: Epoch;
  /** Of the chunk with the last text before; 0 where that is not known. */
  readonly deliveredEpoch: Epoch;
  /** Of the newest chunk held. */
  readonly lastEpoch: Epoch;
  /** Code points from the start of the output, of the first and after the last character held. */
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
  /** The instant at which text stands that an event with this timestamp releases. */
  readonly standsAt: (session: string, timestamp: string) => string;
  readonly append: (unit: TextUnit) => void;
  /** Told that something with this timestamp was given elsewhere. */
  readonly passedBy: (session: string, timestamp: string) => void;
}

export interface HeldTexts {
  /** Takes the next chunk of an output and releases what it shows to be ready; step by step, the first at once (R34). */
  readonly push: (rendering: SharedRendering, key: string, at: Millis) => Steps | undefined;
  /** Releases what an event of its session ends (R30). */
  readonly releaseFor: (rendering: SharedRendering, at: Millis) => void;
  /** Text held of each output. With `most`, of so many outputs at most, found without a look at outputs of which none is held. */
  readonly held: (most?: number) => readonly HeldText[];
  /** What of a session is held and goes out before the next event. */
  readonly heldIn: (session: string) => readonly HeldText[];
  /** The epoch of the oldest text held, or `except` where that is lower. */
  readonly lowestEpoch: (except: Epoch) => Epoch;
  /** Releases held text of an output up to a position. */
  readonly release: (output: string, position: number, at: Millis) => void;
  readonly releaseAll: (at: Millis) => void;
  /** Of an output whose chunks are still to come, text below this position is given elsewhere: cuts are counted from here. */
  readonly beginAt: (output: string, position: number) => void;
  /** Goes on with an output in mid-text, from where the piece in progress begins. */
  readonly follow: (text: OutputText) => void;
  /** The lowest local offset of an output's text that is held here, or undefined. */
  readonly heldOffset: (output: string) => number | undefined;
  /** Cancels its timers and forgets. */
  readonly close: () => void;
}
