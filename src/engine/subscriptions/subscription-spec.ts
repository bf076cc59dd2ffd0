// A subscription as it is seen from outside: its parameters, what a pull returns, ends, limits, refused replies, counts and status.
import type { Millis } from "../../contracts/clock.js";
import type { AgentEvent, Epoch } from "../event/event.js";
import type { Terms } from "../terms/terms.js";
import type { DeliveryBatch } from "../views/delivery.js";

/** The parameters of a new subscription. */
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

/** The result of a pull. */
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

/** Open questions in the order in which they were asked, as many as fit 65,536 UTF-16 units of JSON, at least one. */
export interface QuestionPage {
  readonly events: readonly AgentEvent[];
  /** The place behind the page, if there are more. */
  readonly next: Epoch | undefined;
}

export interface LagLimits {
  /** Longest time for which the peer takes nothing, in ms. */
  readonly maxMs: Millis;
  /** Most events published meanwhile. */
  readonly maxEvents: number;
}

/** Limits of a subscription's lag and queue (R18), as subscribers receive them. */
export interface SlowLimits {
  readonly lag: LagLimits;
  /** Most units that wait for one subscription in memory; it reads the rest from the journal. Default 256. */
  readonly queueLimitCount: number;
}

export interface SubscriptionLimits extends SlowLimits {
  /** Events that may leave at once after a pause. */
  readonly burst: number;
  readonly maxHoldMs: Millis;
}

/** The time for which the peer has taken nothing, and the events published meanwhile (R18). */
export interface Lag {
  readonly ms: Millis;
  readonly eventCount: number;
}

/** The beginning or the end of an episode in which a slow subscription reads the journal (R18). */
export type PaceChange = "fell_behind" | "caught_up";

/** Why the engine ends a subscription: its peer takes too slowly (R18), or the engine failed. The subscriber can resume after either. */
export type TerminationReason = "lagging" | "producer_error";

/**
 * Why a subscription, or the connection before it became one, ended. "subscriber": the subscriber closed it, or its connection. The others are the
 * daemon's `reason_code`; "rejected" are new terms that could not be granted (R32).
 */
export type ClosureReason =
  | TerminationReason
  | "subscriber"
  | "rejected"
  | "producer_shutdown"
  | "recording_ended"
  | "handshake_timeout";

/** Why a reply did not count, for the audit log: it is malformed, names another subscription, or came over a connection that may not reply. */
export type RefusedFate = "malformed" | "wrong_subscription" | "not_entitled";

/** A reply that did not count, as the audit log has it. */
export interface RefusedReply {
  readonly fate: RefusedFate;
  readonly token: string;
  readonly raw: unknown;
  /** The member at fault; undefined if none is. */
  readonly pointer?: string | undefined;
}

/** Where the units of a subscription leave: the pump that pulls them. */
export interface Outlet {
  /** `take` may have a unit. Called often, so it has to be cheap, and it may not call `take` itself. */
  readonly wake: () => void;
  /**
   * The engine ends this subscription of the outlet. Called in the middle of a delivery, when other subscriptions are still to get the event, so the
   * subscription is closed in a later turn.
   */
  readonly ended: (reason: TerminationReason, subscription: NamedSubscription) => void;
}

export interface NamedSubscription {
  readonly id: string;
  readonly subscriberId: string;
}

/** Counts since the subscription began. */
export interface DeliveryCounts {
  /** Events handed to its transport. */
  readonly delivered: number;
  /** Units that left as part of another unit, or not at all, because they waited and merged (R10, R11). */
  readonly merged: number;
  /** Critical events that left before earlier events (R4). */
  readonly overtook: number;
  /** Number of episodes of falling behind to the journal (R18). An episode ends when the subscription has caught up. */
  readonly fellBehind: number;
  /** Gaps declared to the subscription, and the upper bound of the events that they name (R27). */
  readonly gaps: number;
  readonly gapEvents: number;
}

/** The counts in mutable form. */
export type RunningCounts = { -readonly [Name in keyof DeliveryCounts]: DeliveryCounts[Name] };

export function createDeliveryCounts(): RunningCounts {
  return { delivered: 0, merged: 0, overtook: 0, fellBehind: 0, gaps: 0, gapEvents: 0 };
}

export function addCounts(sum: RunningCounts, counts: DeliveryCounts): void {
  for (const name of Object.keys(sum) as (keyof DeliveryCounts)[]) sum[name] += counts[name];
}

export interface SubscriptionStatus {
  /** Units in the subscription's queue. */
  readonly waitingCount: number;
  /** Units that the reader released and the subscription has not taken; 0 without a reader. */
  readonly readAheadCount: number;
  /** Epochs, outputs and agents remembered because something went ahead or was skipped. */
  readonly rememberedCount: number;
  readonly behind: boolean;
  readonly blockedSince: Millis | undefined;
  /** Source of the next event: the view as it grows, units that wait for this subscription, or the journal. */
  readonly reads: "live" | "queue" | "journal";
  /** Published events that were not taken: units of the view, or events of the journal for a reader (an upper bound across restarts). */
  readonly untakenCount: number;
  /** The instant since which the subscription is behind. Undefined if it reads the journal for another reason, or not at all. */
  readonly behindSince: Millis | undefined;
  /** 0 while the peer takes; of a peer that was given up, its lag at that moment. */
  readonly lag: Lag;
  readonly counts: DeliveryCounts;
}
