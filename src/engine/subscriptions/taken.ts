// The answers of a subscription that is pulled: a run of deliveries, or when there may be one.
import type { Millis } from "../../contracts/clock.js";
import type { DeliveryBatch } from "../views/delivery.js";

export type Taken =
  /** `isAll`: nothing else may leave now, and it need not be asked for. */
  | { readonly kind: "batch"; readonly batch: DeliveryBatch; readonly isAll: boolean }
  /** Nothing may leave before `until`, unless something critical comes. */
  | { readonly kind: "wait"; readonly until: Millis }
  | { readonly kind: "idle" };

/** A part of what is owed at the end (R8a). */
export type Drained =
  | { readonly kind: "batch"; readonly batch: DeliveryBatch }
  /** There is more, but not in this turn of the event loop. */
  | { readonly kind: "later" }
  | { readonly kind: "done" };

/** The rest that is owed to a subscription that is ended from this side. */
export interface PendingDeliveries {
  /** The next of it. To be asked for as the peer takes it. */
  readonly drain: () => Drained;
  /** At most how many events are left of it. */
  readonly leftCount: () => number;
}
