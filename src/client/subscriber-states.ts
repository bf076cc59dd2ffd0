// What can be said of a subscriber from outside. Types only.
import type { SubscriptionAccepted, SubscriptionClose, SubscriptionRejected } from "#gen/aaep/types.js";
import type { Fault } from "../base/errors.js";

/** Why a subscription was interrupted. */
export type Interruption =
  /** The producer closed it: "producer_shutdown", "recording_ended", "producer_error" (its accident), "lagging" (this side was too slow, R18) … */
  | { readonly kind: "closed"; readonly close: SubscriptionClose }
  | { readonly kind: "rejected"; readonly rejected: SubscriptionRejected }
  /** There was no connection, or it broke. */
  | { readonly kind: "fault"; readonly fault: Fault };

export type SubscriberState =
  /** `attempt` counts from 1 and starts again once a subscription has lasted. */
  | { readonly kind: "connecting"; readonly attempt: number }
  /** Events flow on these terms. `isResumed`: it came back with a place, and `accepted` says how that was met (R17). */
  | { readonly kind: "active"; readonly accepted: SubscriptionAccepted; readonly isResumed: boolean }
  | { readonly kind: "waiting"; readonly retryInMs: number; readonly because: Interruption }
  /** The last state: by `close`, or because trying again is of no use or was not asked for. */
  | { readonly kind: "ended"; readonly because: Interruption | { readonly kind: "asked" } };

export type SubscriberEnd = Extract<SubscriberState, { kind: "ended" }>;
