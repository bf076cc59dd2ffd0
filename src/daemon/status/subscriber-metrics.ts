// Counters of each subscriber, for Prometheus. A connected subscriber has a label of its own; beyond a number of them the rest share one label, so
// that a client with many subscriptions does not fill the memory of the daemon and of Prometheus.
import { Counter, Gauge, type Registry } from "prom-client";
import type { SubscriptionReport } from "../../engine/engine-status.js";

/** Subscribers with a label of their own, the earliest first. */
const MOST_LABELS = 200;
/** Longest label, UTF-16 units; a longer name is cut. */
const LONGEST_LABEL = 128;
const OTHERS = "other";

interface Row {
  readonly name: string;
  readonly help: string;
  readonly kind: typeof Gauge | typeof Counter;
  readonly value: (one: SubscriptionReport) => number;
  /** Joins the values of one label. */
  readonly join: (a: number, b: number) => number;
}

const sum = (a: number, b: number): number => a + b;

const ROWS: readonly Row[] = [
  gauge("queue_events", "Events that wait in a subscriber's own queue.", (one) => one.queueCount, sum),
  gauge("untaken_events", "Events published and not taken over yet, at most.", (one) => one.untakenCount, sum),
  gauge(
    "lag_events",
    "Events published while its transport took nothing (R18).",
    (one) => one.lag.eventCount,
    Math.max,
  ),
  gauge("lag_seconds", "For how long its transport has taken nothing (R18).", (one) => one.lag.ms / 1000, Math.max),
  gauge("behind", "1 while it reads from the journal because it was too slow.", isBehind, Math.max),
  counter("delivered_total", "Events handed to its transport.", ({ counts }) => counts.delivered),
  counter("coalesced_total", "Events that merged with others while they waited.", ({ counts }) => counts.merged),
  counter("overtook_total", "Critical events that left before what had come earlier.", ({ counts }) => counts.overtook),
  counter("fell_behind_total", "How often it fell behind to the journal.", ({ counts }) => counts.fellBehind),
  counter("gaps_total", "Gaps declared to it (R27).", ({ counts }) => counts.gaps),
  counter("gap_events_total", "Events that those gaps name, at most.", ({ counts }) => counts.gapEvents),
];

export function addSubscriberMetrics(registry: Registry, read: () => readonly SubscriptionReport[]): void {
  for (const { name, help, kind: Kind, value, join } of ROWS) {
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
  }
}

function byLabel(
  subscriptions: readonly SubscriptionReport[],
  value: Row["value"],
  join: Row["join"],
): ReadonlyMap<string, number> {
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

function gauge(name: string, help: string, value: Row["value"], join: Row["join"]): Row {
  return { name, help, kind: Gauge, value, join };
}

function counter(name: string, help: string, value: Row["value"]): Row {
  return { name, help, kind: Counter, value, join: sum };
}
