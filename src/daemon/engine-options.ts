// What of the configuration its engine is made with.
import type { Millis } from "../contracts/clock.js";
import type { EngineOptions } from "../engine/engine-options.js";
import type { Configuration } from "./config.js";

const DAY_MS = 24 * 60 * 60 * 1000;

export function engineOptionsOf(
  options: Configuration & { readonly declaredProducerId: string | undefined },
): EngineOptions {
  return {
    producerId: options.declaredProducerId,
    defaultLanguage: options.defaultLanguage,
    sequencing: options.sequencing,
    clockSkewMs: options.clockSkewSeconds * 1000,
    agentGraceMs: options.agentGraceSeconds * 1000,
    maxHoldMs: options.maxHoldMs,
    burst: options.burst,
    maxSubscriptions: options.maxConcurrentSubscriptions,
    retryAfterSeconds: options.retryAfterSeconds,
    lag: { maxMs: options.maxLagSeconds * 1000, maxEvents: options.maxLagEvents },
    viewWindowCount: 1024,
    queueLimitCount: 256,
    confirmationGraceMs: options.confirmationGraceSeconds * 1000,
    reconnectGraceMs: options.reconnectGraceSeconds * 1000,
    endedRetentionMs: endedRetentionMs(options),
  };
}

/** R17: a day more than the events of a session can be read. In memory those go by their number, whatever their age. */
function endedRetentionMs({ journal, journalRetentionSeconds }: Configuration): Millis {
  return DAY_MS + (journal.kind === "memory" ? 0 : journalRetentionSeconds * 1000);
}
