// The states of a subscriber, as seen from outside. Types only.
import type { SubscriptionAccepted, SubscriptionClose, SubscriptionRejected } from "#gen/aaep/types.js";
import type { Fault } from "../base/errors.js";

/** Why a subscription was interrupted. */
export type Interruption =
  /**
   * The producer closed it: "producer_shutdown", "recording_ended", "producer_error" (an internal error there), "lagging" (this side was too slow,
   * R18) …
   */
  | { readonly kind: "closed"; readonly close: SubscriptionClose }
  | { readonly kind: "rejected"; readonly rejected: SubscriptionRejected }
  /** The connection failed, or broke. */
  | { readonly kind: "fault"; readonly fault: Fault };

export type SubscriberState =
  /** `attempt` counts from 1, and restarts after a subscription that lasted. */
  | { readonly kind: "connecting"; readonly attempt: number }
  /** Events flow, at first on these terms. `isResumed`: the subscription resumed at a place, and `accepted` says how the place was met (R17). */
  | { readonly kind: "active"; readonly accepted: SubscriptionAccepted; readonly isResumed: boolean }
  | { readonly kind: "waiting"; readonly retryInMs: number; readonly because: Interruption }
  /** The last state: after `close`, or because another attempt is of no use or not requested. */
  | { readonly kind: "ended"; readonly because: Interruption | { readonly kind: "asked" } };

export type SubscriberEnd = Extract<SubscriberState, { kind: "ended" }>;
