// What the daemon counts, in the form that Prometheus reads.
import { Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client";
import type { EngineStatus } from "../engine/engine-status.js";

export interface MetricsSources {
  readonly status: () => EngineStatus;
  /** Connections and streams under way, by the transport they came over. */
  readonly connections: () => ReadonlyMap<string, number>;
  /** Replies since the start, by what became of them. */
  readonly replies: () => ReadonlyMap<string, number>;
  /** Lines of the audit log that could not be written. */
  readonly auditDropped: () => number;
}

export interface Metrics {
  readonly contentType: string;
  readonly text: () => Promise<string>;
}

/** Reads its sources whenever it is asked; in between it costs nothing. */
export function createMetrics(sources: MetricsSources): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const gauge = (name: string, help: string, read: (status: EngineStatus) => number): void => {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read(sources.status()));
      },
    });
  };
  const labelled = (
    Kind: typeof Gauge | typeof Counter,
    name: string,
    help: string,
    label: string,
    read: () => ReadonlyMap<string, number>,
  ): void => {
    new Kind({
      name,
      help,
      labelNames: [label],
      registers,
      collect() {
        // A count that began again at nothing each time would be none: what is read here is the whole since the start.
        this.reset();
        for (const [value, count] of read()) this.inc({ [label]: value }, count);
      },
    });
  };
  gauge("aaepd_subscriptions", "Subscriptions under way.", (status) => status.subscriptionCount);
  gauge("aaepd_sessions_open", "Sessions that have begun and not ended.", (status) => status.openSessionCount);
  gauge("aaepd_questions_open", "Questions that wait for a person.", (status) => status.openQuestionCount);
  gauge("aaepd_views", "Kinds of listeners that events are shaped for.", (status) => status.viewCount);
  gauge("aaepd_journal_epoch", "Place of the newest event in the order of all.", (status) => status.head);
  labelled(Gauge, "aaepd_connections", "Connections and streams under way.", "transport", sources.connections);
  labelled(Counter, "aaepd_replies_total", "Replies to questions, by what became of them.", "fate", sources.replies);
  new Counter({
    name: "aaepd_audit_dropped_total",
    help: "Lines of the audit log that could not be written.",
    registers,
    collect() {
      this.reset();
      this.inc(sources.auditDropped());
    },
  });
  collectDefaultMetrics({ register: registry });
  return { contentType: registry.contentType, text: () => registry.metrics() };
}
