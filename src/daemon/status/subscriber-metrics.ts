// Counters of each subscriber, for Prometheus. A connected subscriber has a label of its own; beyond a number of them the rest share one label, so
// that a client with many subscriptions does not fill the memory of the daemon and of Prometheus.
import { Counter, Gauge, type Registry } from "prom-client";
import type { SubscriptionReport } from "../../engine/engine-status.js";
import type { DeliveryCounts } from "../../engine/subscriptions/subscription-spec.js";

/** Subscribers with a label of their own, the earliest first. */
const MOST_LABELS = 200;
/** Longest label, UTF-16 units; a longer name is cut. */
const LONGEST_LABEL = 128;
const OTHERS = "other";

type Value = (one: SubscriptionReport) => number;
/** Joins the values of one label. */
type Join = (a: number, b: number) => number;

const sum: Join = (a, b) => a + b;

const GAUGES: readonly (readonly [name: string, help: string, value: Value, join: Join])[] = [
  ["queue_events", "Events that wait in a subscriber's own queue.", (one) => one.queueCount, sum],
  ["untaken_events", "Events published and not taken over yet, at most.", (one) => one.untakenCount, sum],
  ["lag_events", "Events published while its transport took nothing (R18).", ({ lag }) => lag.eventCount, Math.max],
  ["lag_seconds", "For how long its transport has taken nothing (R18).", ({ lag }) => lag.ms / 1000, Math.max],
  ["behind", "1 while it reads from the journal because it was too slow.", isBehind, Math.max],
];
const COUNTERS: readonly (readonly [name: string, help: string, counted: keyof DeliveryCounts])[] = [
  ["delivered_total", "Events handed to its transport.", "delivered"],
  ["coalesced_total", "Events that merged with others while they waited.", "merged"],
  ["overtook_total", "Critical events that left before what had come earlier.", "overtook"],
  ["fell_behind_total", "How often it fell behind to the journal.", "fellBehind"],
  ["gaps_total", "Gaps declared to it (R27).", "gaps"],
  ["gap_events_total", "Events that those gaps name, at most.", "gapEvents"],
];

export function addSubscriberMetrics(registry: Registry, read: () => readonly SubscriptionReport[]): void {
  const add = (Kind: typeof Gauge | typeof Counter, name: string, help: string, value: Value, join: Join): void => {
    new Kind({
      name: `aaepd_subscriber_${name}`,
      help,
      labelNames: ["subscriber_id"],
      registers: [registry],
      collect() {
        // Drops the labels of subscribers that have left.
        this.reset();
        for (const [subscriber_id, joined] of byLabel(read(), value, join)) this.inc({ subscriber_id }, joined);
      },
    });
  };
  for (const row of GAUGES) add(Gauge, ...row);
  for (const [name, help, counted] of COUNTERS) add(Counter, name, help, ({ counts }) => counts[counted], sum);
}

function byLabel(subscriptions: readonly SubscriptionReport[], value: Value, join: Join): ReadonlyMap<string, number> {
  const values = new Map<string, number>();
  for (const one of subscriptions) {
    const name = one.subscriberId.slice(0, LONGEST_LABEL);
    const label = values.has(name) || values.size < MOST_LABELS ? name : OTHERS;
    const known = values.get(label);
    values.set(label, known === undefined ? value(one) : join(known, value(one)));
  }
  return values;
}

function isBehind({ behindSince }: SubscriptionReport): number {
  return behindSince === undefined ? 0 : 1;
}
