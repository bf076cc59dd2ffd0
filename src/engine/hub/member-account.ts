// What is counted of one subscription, and its episodes of falling behind. Functions of the module: there are ten thousand of what they work on.
import type { Millis } from "../../contracts/clock.js";
import { createDeliveryCounts, type RunningCounts } from "../subscriptions/delivery-counts.js";
import { gapOf } from "../views/event-units.js";
import type { EventUnit } from "../views/unit.js";
import type { MemberRules, PacedSubscription } from "./member-spec.js";

export interface MemberAccount {
  readonly counts: RunningCounts;
  /**
   * Since when it has been behind. An episode lasts from falling behind to the journal until everything there has been read, whatever terms change
   * meanwhile (P3).
   */
  behindSince: Millis | undefined;
}

export function createMemberAccount(): MemberAccount {
  return { counts: createDeliveryCounts(), behindSince: undefined };
}

/** Of a unit that leaves: a gap is told where it is declared, however often it was made before that. */
export function noteGap({ counts }: MemberAccount, gap: EventUnit): void {
  const eventCount = gapOf(gap) ?? 0;
  counts.gaps += 1;
  counts.gapEvents += eventCount;
}

export function beginEpisode(
  account: MemberAccount,
  who: PacedSubscription,
  pace: MemberRules["pace"],
  now: Millis,
): void {
  if (account.behindSince !== undefined) return;
  account.behindSince = now;
  account.counts.fellBehind += 1;
  pace("fell_behind", who);
}

export function endEpisode(account: MemberAccount, who: PacedSubscription, pace: MemberRules["pace"]): void {
  if (account.behindSince === undefined) return;
  account.behindSince = undefined;
  pace("caught_up", who);
}
