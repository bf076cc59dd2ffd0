// What is counted of one subscription, and its episodes of falling behind. Functions of the module: there are ten thousand of what they work on.
import type { Millis } from "../../contracts/clock.js";
import { gapOf } from "../views/event-units.js";
import type { EventUnit } from "../views/unit.js";
import { createDeliveryCounts, type RunningCounts } from "./delivery-counts.js";
import type { NamedSubscription, SubscriptionRules } from "./subscription-spec.js";

export interface Account {
  readonly counts: RunningCounts;
  /**
   * Since when it has been behind. An episode lasts from falling behind to the journal until everything there has been read, whatever terms change
   * meanwhile (P3).
   */
  behindSince: Millis | undefined;
}

export function createAccount(): Account {
  return { counts: createDeliveryCounts(), behindSince: undefined };
}

/** Of a unit that leaves: a gap is told where it is declared, however often it was made before that. */
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
