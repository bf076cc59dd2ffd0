// The daemon's counters in the format of Prometheus.
import { Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client";
import { FAULT_CODES } from "../../base/errors.js";
import type { ReplyFate } from "../../contracts/audit.js";
import type { Clock } from "../../contracts/clock.js";
import type { JournalStatus } from "../../contracts/journal.js";
import type { Engine } from "../../engine/engine.js";
import type { EngineReport, SubscriptionReport } from "../../engine/engine-status.js";
import type { ClosureReason, DeliveryCounts } from "../../engine/subscriptions/subscription-spec.js";
import { LATENCY_BOUNDS_MS, type LatencyCounts } from "../../engine/time/latency-histogram.js";

export interface MetricsSources {
  /** The version of the daemon. */
  readonly version: string;
  readonly engine: Pick<Engine, "status" | "report">;
  readonly clock: Pick<Clock, "wallTime">;
  /** Connections and streams under way, by transport. */
  readonly connections: () => ReadonlyMap<string, number>;
  /** Replies since the start, by fate. */
  readonly replies: ReadonlyMap<string, number>;
  readonly auditLog: { readonly droppedCount: () => number; readonly floodedCount: () => number };
  /** The Field of Akashik; undefined while it was never used. */
  readonly akashik: () => Readonly<Record<keyof typeof AKASHIK_GAUGES, number>> | undefined;
  /** The counts of A2E; undefined while it was never used. */
  readonly a2e: () => Readonly<Record<keyof typeof A2E_GAUGES, number>> | undefined;
}

export interface Metrics {
  readonly contentType: string;
  readonly text: () => Promise<string>;
}

/** A record, so that a new fate does not compile until it stands here. */
const FATES: Readonly<Record<ReplyFate, true>> = {
  counted: true,
  malformed: true,
  unknown_token: true,
  already_resolved: true,
  expired: true,
  not_entitled: true,
  wrong_subscription: true,
  wrong_kind: true,
  not_offered: true,
  not_recorded: true,
};

const REASONS: Readonly<Record<ClosureReason, true>> = {
  subscriber: true,
  lagging: true,
  producer_error: true,
  producer_shutdown: true,
  recording_ended: true,
  rejected: true,
  handshake_timeout: true,
};

/**
 * Values by label. A counter shows all of them from its first scrape on, so that its first increment is one. Further values appear as they come.
 */
export const LABEL_VALUES = {
  fate: Object.keys(FATES),
  reason: Object.keys(REASONS),
  code: FAULT_CODES,
  transport: ["ipc", "services", "stdio"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

type MetricKind = typeof Gauge | typeof Counter;

/** Default metrics of the library with the ending of a counter that are gauges. Others of its metrics have the same numbers. */
const MISNAMED = ["nodejs_active_handles_total", "nodejs_active_requests_total", "nodejs_active_resources_total"];

const A2E_GAUGES = {
  agents: "Agents of A2E with a session.",
  providers: "Providers of A2E that are ready.",
  requests: "Requests of A2E agents under way.",
};
const AKASHIK_GAUGES = {
  units: "Memory units of the Akashik Field.",
  agents: "Agents of the Akashik Field, away or not.",
  subscriptions: "Subscriptions of the Akashik Field.",
  waiting_notifications: "Notifications that wait for agents of the Akashik Field.",
};

/** Reads its sources at each scrape; costs nothing in between. */
export function createMetrics(sources: MetricsSources): Metrics {
  const { engine, auditLog } = sources;
  const registry = new Registry();
  // One report for the whole scrape, so that subscriptions are listed once.
  let report = engine.report();
  /** The source of a counter has the whole count since the start, so a counter too is set again at each scrape. */
  const metric = (Kind: MetricKind, name: string, help: string, read: () => number): void => {
    new Kind({
      name,
      help,
      registers: [registry],
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  };
  const gauge = metric.bind(undefined, Gauge);
  const counter = metric.bind(undefined, Counter);
  const labelled = (
    Kind: MetricKind,
    name: string,
    help: string,
    label: keyof typeof LABEL_VALUES,
    read: () => ReadonlyMap<string, number>,
  ): void => {
    new Kind({
      name,
      help,
      labelNames: [label],
      registers: [registry],
      collect() {
        this.reset();
        for (const value of LABEL_VALUES[label]) this.inc({ [label]: value }, 0);
        for (const [value, count] of read()) this.inc({ [label]: value }, count);
      },
    });
  };
  new Gauge({
    name: "aaepd_build_info",
    help: "1. Its labels name the versions of the daemon and of Node.",
    labelNames: ["version", "node"],
    registers: [registry],
  }).set({ version: sources.version, node: process.versions.node }, 1);
  gauge("aaepd_subscriptions", "Subscriptions under way.", () => engine.status().subscriptionCount);
  gauge("aaepd_sessions_open", "Sessions that have begun and not ended.", () => engine.status().openSessionCount);
  gauge("aaepd_questions_open", "Questions that wait for a person.", () => engine.status().openQuestionCount);
  gauge("aaepd_views", "Kinds of listeners that events are shaped for.", () => engine.status().viewCount);
  gauge("aaepd_journal_epoch", "Place of the newest event in the order of all.", () => engine.status().head);
  labelled(Gauge, "aaepd_connections", "Connections and streams under way.", "transport", sources.connections);
  labelled(
    Counter,
    "aaepd_replies_total",
    "Replies to questions, by what became of them.",
    "fate",
    () => sources.replies,
  );
  counter("aaepd_audit_dropped_total", "Lines of the audit log that could not be written.", auditLog.droppedCount);
  const floods = "Replies in floods, which the audit log counts and does not record one by one.";
  counter("aaepd_audit_flooded_total", floods, auditLog.floodedCount);

  counter("aaepd_events_published_total", "Events that were journaled.", () => report.publishedTotal);
  counter("aaepd_events_delivered_total", "Events handed to transports.", () => report.totals.delivered);
  const refused = "Publications that were refused, by the code of the fault.";
  labelled(Counter, "aaepd_publish_faults_total", refused, "code", () => report.refusals);
  const closures = "Subscriptions that ended, and connections that never became one, by reason.";
  labelled(Counter, "aaepd_closures_total", closures, "reason", () => report.closures);
  addGauges(gauge, "aaepd_a2e_", A2E_GAUGES, sources.a2e);
  addGauges(gauge, "aaepd_akashik_", AKASHIK_GAUGES, sources.akashik);
  addJournalMetrics(gauge, () => report.journal, sources.clock.wallTime);
  addSubscriberMetrics(registry, () => report.subscriptions);
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  return {
    contentType: registry.contentType,
    text: async () => {
      report = engine.report();
      return `${await registry.metrics()}\n${latencyText(report.latencies)}`;
    },
  };
}

type AddGauge = (name: string, help: string, read: () => number) => void;

function addGauges<Name extends string>(
  gauge: AddGauge,
  prefix: string,
  helps: Readonly<Record<Name, string>>,
  read: () => Readonly<Record<Name, number>> | undefined,
): void {
  for (const name of Object.keys(helps) as Name[]) gauge(`${prefix}${name}`, helps[name], () => read()?.[name] ?? 0);
}

function addJournalMetrics(gauge: AddGauge, journal: () => JournalStatus, wallTime: () => number): void {
  gauge("aaepd_journal_events", "Events that can be read from the journal.", () => journal().eventCount);
  gauge("aaepd_journal_bytes", "What they take, on disk or by estimate in memory.", () => journal().bytes);
  gauge("aaepd_journal_oldest_age_seconds", "Age of the oldest event in the journal; 0 where there is none.", () => {
    const { oldestAt } = journal();
    return oldestAt === undefined ? 0 : Math.max(0, wallTime() - oldestAt) / 1000;
  });
  gauge("aaepd_journal_pending_events", "Events that are not yet as safe as the journal makes them.", () =>
    Math.max(0, journal().head - journal().durableEpoch),
  );
  gauge("aaepd_journal_failing", "1 while nothing can be written to the journal, else 0.", () =>
    journal().failure === undefined ? 0 : 1,
  );
}

/**
 * Subscribers with a label of their own, the earliest first. Beyond them the rest share one label, so that a client with many subscriptions does not
 * fill the memory of the daemon and of Prometheus.
 */
const MOST_LABELS = 200;
/** Longest label, UTF-16 units; a longer name is cut. */
const LONGEST_LABEL = 128;
const OTHERS = "other";

type Value = (one: SubscriptionReport) => number;
/** Joins the values of one label. */
type Join = (a: number, b: number) => number;

const sum: Join = (a, b) => a + b;

const GAUGES: readonly (readonly [name: string, help: string, value: Value, join: Join])[] = [
  ["queue_events", "Events that wait in a subscriber's own queue.", (one) => one.waitingCount, sum],
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

function addSubscriberMetrics(registry: Registry, read: () => readonly SubscriptionReport[]): void {
  const add = (Kind: MetricKind, name: string, help: string, value: Value, join: Join): void => {
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

const BOUNDS = [...LATENCY_BOUNDS_MS.map((ms) => String(ms / 1000)), "+Inf"];

/**
 * Returns the histograms of latencies in the text format of Prometheus. The engine has counted already, and the library's histograms take one value
 * at a time.
 */
function latencyText({ publish, delivery }: EngineReport["latencies"]): string {
  return [
    ...histogram(
      "aaepd_publish_latency_seconds",
      "Time from the call of a publish until the journal's policy holds, and the agent gets its answer.",
      [["", publish]],
    ),
    ...histogram(
      "aaepd_delivery_latency_seconds",
      "Time from the publication of an event to its hand-over to a transport.",
      [
        ['pace="unlimited"', delivery.unlimited],
        ['pace="limited"', delivery.limited],
      ],
    ),
    "",
  ].join("\n");
}

function histogram(
  name: string,
  help: string,
  series: readonly (readonly [label: string, counts: LatencyCounts])[],
): readonly string[] {
  const samples = series.flatMap(([label, { buckets, sumMs }]) => {
    const of = (...labels: readonly string[]): string => {
      const given = [label, ...labels].filter((one) => one !== "");
      return given.length === 0 ? "" : `{${given.join(",")}}`;
    };
    let count = 0;
    const cumulative = buckets.map((inBucket, index) => {
      count += inBucket;
      return `${name}_bucket${of(`le="${BOUNDS[index]}"`)} ${count}`;
    });
    return [...cumulative, `${name}_sum${of()} ${sumMs / 1000}`, `${name}_count${of()} ${count}`];
  });
  return [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`, ...samples];
}
