// A voice is Speech Dispatcher, or a program of the person's choice.
import type { Fault } from "../base/errors.js";

/** One piece of speech. */
export interface Utterance {
  /** At most 500 UTF-16 units, whole sentences where they are short enough. */
  readonly text: string;
  /** The language tag of the text. */
  readonly language: string;
  /** Whether the daemon says it: it is spoken at a pitch of its own, which no text of an agent has. */
  readonly isOwn: boolean;
  /**
   * `important` is said at once, and a screen reader waits for it. `text` gives way to others. `notification` is said into silence, or
   * not at all.
   */
  readonly priority: "important" | "text" | "notification";
}

export type Outcome =
  | { readonly kind: "done" }
  /** Somebody has ended it before its end: this side, a person, or another program that speaks. */
  | { readonly kind: "cancelled" }
  /** It was not spoken: the voice refuses, or is gone. */
  | { readonly kind: "failed"; readonly fault: Fault };

export interface Voice {
  /** Connects before the first words. Rejects with a Fault where nothing can be spoken. Undefined where that shows with the first words only. */
  readonly open?: () => Promise<void>;
  /**
   * Speaks. An utterance that is being spoken meanwhile ends as cancelled. `onBegun` is called when its words begin: until then it may wait for
   * others who speak. Never rejects.
   */
  readonly speak: (utterance: Utterance, onBegun?: () => void) => Promise<Outcome>;
  /** Silence: ends the utterance that is being spoken. */
  readonly cancel: () => void;
  /** Gives up the present connection or program. The next utterance begins with another one. */
  readonly reset: () => void;
  /** Ends for good. */
  readonly close: () => void;
}
