// The daemon's counters in the format of Prometheus.
import { Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client";
import { FAULT_CODES } from "../../base/errors.js";
import type { ReplyFate } from "../../contracts/audit.js";
import type { Clock } from "../../contracts/clock.js";
import type { JournalStatus } from "../../contracts/journal.js";
import type { Engine } from "../../engine/engine.js";
import type { ClosureReason } from "../../engine/subscriptions/subscription-spec.js";
import { latencyText } from "./latency-metrics.js";
import { addSubscriberMetrics } from "./subscriber-metrics.js";

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
