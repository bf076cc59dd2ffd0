// Counts of one subscription: deliveries, and events that were not delivered as they were. Plain numbers, so that ten thousand idle subscriptions
// cost nothing more.

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
  sum.delivered += counts.delivered;
  sum.merged += counts.merged;
  sum.overtook += counts.overtook;
  sum.fellBehind += counts.fellBehind;
  sum.gaps += counts.gaps;
  sum.gapEvents += counts.gapEvents;
}
