// The parameters of a new subscription.
import type { Outlet } from "./subscriptions/subscription-spec.js";
import type { Terms } from "./terms/terms.js";

export interface SubscribeSpec {
  readonly subscriberId: string;
  readonly terms: Terms;
  /** The subscription's connection, if agents may open on it too: the same object as in `openAgent` (R5). Default: none. */
  readonly connection?: object | undefined;
  /** The process of the subscriber, then its parents. Default: not known (R5d). */
  readonly lineage?: readonly number[] | undefined;
  /** The cursor that the subscriber names; undefined for a new subscriber (R17). */
  readonly resumeAfter: string | undefined;
  /**
   * Whether the subscription replaces one that its holder closes directly afterwards. It then does not count against the limit (R33). Default false.
   */
  readonly isReplacing?: boolean | undefined;
  /** Called with a reply of the subscription that did not count, if its terms ask for that: at most once a second (R19). Default: ignored. */
  readonly replyNotTaken?: ((token: string) => void) | undefined;
  readonly outlet: Outlet;
}
