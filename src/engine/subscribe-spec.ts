// The wishes that a subscriber tells the engine when it subscribes.
import type { EngineSubscription } from "./engine-subscription.js";
import type { Expulsion } from "./hub/member-spec.js";
import type { ResumeAfter } from "./resume/resume-start.js";
import type { Terms } from "./terms/terms.js";

export interface SubscribeSpec {
  readonly subscriberId: string;
  /** Whether it is remembered where it was, for its return (R17). Default true. */
  readonly isRemembered?: boolean;
  readonly terms: Terms;
  /** Where agents may speak over its connection too: what they name in `openAgent` (R5). Default: none does. */
  readonly connection?: object | undefined;
  readonly resumeAfter: ResumeAfter | undefined;
  /** A subscription that its holder closes as soon as there is this one: it is not counted against the limit (R33). Default: none. */
  readonly replaces?: Pick<EngineSubscription, "noteGiven"> | undefined;
  /** Told of a reply of its own that did not count, where its terms ask for that: at most once a second (R19). Default: nobody is. */
  readonly replyNotTaken?: ((token: string) => void) | undefined;
  readonly wake: () => void;
  readonly ended: (reason: Expulsion | "recording_ended") => void;
}
