// The wishes that a subscriber tells the engine when it subscribes.
import type { TerminationReason } from "./subscriptions/subscription-spec.js";
import type { Terms } from "./terms/terms.js";

export interface SubscribeSpec {
  readonly subscriberId: string;
  readonly terms: Terms;
  /** Where agents may speak over its connection too: what they name in `openAgent` (R5). Default: none does. */
  readonly connection?: object | undefined;
  /** The cursor that it names; undefined for a newcomer (R17). */
  readonly resumeAfter: string | undefined;
  /**
   * Whether it takes the place of one that its holder closes as soon as there is this one: then it is not counted against the limit (R33). Default
   * false.
   */
  readonly isReplacing?: boolean | undefined;
  /** Told of a reply of its own that did not count, where its terms ask for that: at most once a second (R19). Default: nobody is. */
  readonly replyNotTaken?: ((token: string) => void) | undefined;
  readonly wake: () => void;
  readonly ended: (reason: TerminationReason | "recording_ended") => void;
}
