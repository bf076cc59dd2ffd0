// The counts of one subscription, and its episodes of falling behind. Module functions over plain data, because there may be ten thousand
// subscriptions.
import type { Millis } from "../../contracts/clock.js";
import { gapOf } from "../views/event-units.js";
import type { EventUnit } from "../views/unit.js";
import { createDeliveryCounts, type RunningCounts } from "./delivery-counts.js";
import type { NamedSubscription, SubscriptionRules } from "./subscription-spec.js";

export interface Account {
  readonly counts: RunningCounts;
  /**
   * The instant at which the present episode began; undefined if the subscription is not behind. An episode lasts from falling behind to the journal
   * until all of it has been read, even if the terms change meanwhile.
   */
  behindSince: Millis | undefined;
}

export function createAccount(): Account {
  return { counts: createDeliveryCounts(), behindSince: undefined };
}

/** Counts a gap that leaves. A gap that was made and dropped before does not count. */
export function noteGap({ counts }: Account, gap: EventUnit): void {
  const eventCount = gapOf(gap) ?? 0;
  counts.gaps += 1;
  counts.gapEvents += eventCount;
}

export function beginEpisode(
  account: Account,
  who: NamedSubscription,
  pace: SubscriptionRules["pace"],
  now: Millis,
): void {
  if (account.behindSince !== undefined) return;
  account.behindSince = now;
  account.counts.fellBehind += 1;
  pace("fell_behind", who);
}

export function endEpisode(account: Account, who: NamedSubscription, pace: SubscriptionRules["pace"]): void {
  if (account.behindSince === undefined) return;
  account.behindSince = undefined;
  pace("caught_up", who);
}
