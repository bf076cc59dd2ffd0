// The results of a pull: a batch of deliveries, or the instant at which there may be one.
import type { Millis } from "../../contracts/clock.js";
import type { DeliveryBatch } from "../views/delivery.js";

export type Taken =
  /** A batch. With `isAll`, nothing else may leave now, and no further call is needed. */
  | { readonly kind: "batch"; readonly batch: DeliveryBatch; readonly isAll: boolean }
  /** Nothing may leave before `until`, except critical events. */
  | { readonly kind: "wait"; readonly until: Millis }
  | { readonly kind: "idle" };

/** A part of the pending deliveries at a subscription's end (R8a). */
export type Drained =
  | { readonly kind: "batch"; readonly batch: DeliveryBatch }
  /** There is more, but not in this turn of the event loop. */
  | { readonly kind: "later" }
  | { readonly kind: "done" };

/** The pending deliveries of a subscription that the daemon ends. */
export interface PendingDeliveries {
  /** The next part. Call it again when the peer has taken the part before. */
  readonly drain: () => Drained;
  /** Upper bound of the events left. */
  readonly leftCount: () => number;
}
