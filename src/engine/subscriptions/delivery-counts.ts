// What one subscription was given, and what became of the rest. Plain numbers: each costs an addition where it happens, and nothing while nothing
// happens, so that ten thousand idle subscriptions stay what they were.

/** Since the subscription began. */
export interface DeliveryCounts {
  /** Events handed to its transport. */
  readonly delivered: number;
  /** Units that went out as part of another, or not at all, because they waited and merged (R10, R11). */
  readonly merged: number;
  /** Critical events that left before something that had come earlier (R4). */
  readonly overtook: number;
  /** How often it fell behind to the journal (R18): once an episode, until it has caught up. */
  readonly fellBehind: number;
  /** Gaps declared to it, and how many events they name at most (R27). */
  readonly gaps: number;
  readonly gapEvents: number;
}

/** The same while it is being counted. */
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
