import { createMetrics, type Metrics, type MetricsSources } from "../../src/daemon/status/metrics.js";
import type { EngineRig } from "./rigs/engine-rig.js";

/** The metrics of a rig's engine, with figures for everything outside the engine. */
export function metricsOfRig(rig: EngineRig, others: Partial<MetricsSources> = {}): Metrics {
  return createMetrics({
    version: "1.2.3-test",
    engine: rig.engine,
    clock: rig.clock,
    connections: () => new Map(),
    replies: new Map(),
    auditLog: { droppedCount: () => 0, floodedCount: () => 0 },
    a2e: () => ({ agents: 2, providers: 3, requests: 5 }),
    akashik: () => ({ units: 7, agents: 8, subscriptions: 9, waiting_notifications: 10 }),
    ...others,
  });
}
