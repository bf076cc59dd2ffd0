// Makes the engine's options from the configuration.
import type { Millis } from "../contracts/clock.js";
import type { EngineOptions } from "../engine/engine-options.js";
import type { Configuration } from "./config/config.js";
import type { DaemonOptions } from "./config/daemon-options.js";

const DAY_MS = 24 * 60 * 60 * 1000;

/** Values that may change at run time are read from `options` each time (R8b). */
export function engineOptionsOf(
  options: Configuration & Pick<DaemonOptions, "declaredProducerId" | "playsRecording">,
): EngineOptions {
  return {
    producerId: options.declaredProducerId,
    defaultLanguage: options.defaultLanguage,
    viewWindowCount: 1024,
    queueLimitCount: 256,
    isRecording: options.playsRecording === true,
    get clockSkewMs() {
      return options.clockSkewSeconds * 1000;
    },
    get publishLimits() {
      return {
        events: options.maxPublishedEvents,
        characters: options.maxPublishedCharacters,
        questions: options.maxPublishedQuestions,
        openSessions: options.maxOpenSessions,
      };
    },
    get agentGraceMs() {
      return options.agentGraceSeconds * 1000;
    },
    get maxHoldMs() {
      return options.maxHoldMs;
    },
    get burst() {
      return options.burst;
    },
    get maxSubscriptions() {
      return options.maxConcurrentSubscriptions;
    },
    get maxTermSets() {
      return options.maxTermSets;
    },
    get retryAfterSeconds() {
      return options.retryAfterSeconds;
    },
    get lag() {
      return { maxMs: options.maxLagSeconds * 1000, maxEvents: options.maxLagEvents };
    },
    get confirmationGraceMs() {
      return options.confirmationGraceSeconds * 1000;
    },
    get reconnectGraceMs() {
      return options.reconnectGraceSeconds * 1000;
    },
    get endedRetentionMs() {
      return endedRetentionMs(options);
    },
  };
}

/** One day longer than a session's events can be read (R17). A journal in memory limits its events by number, not by age. */
function endedRetentionMs({ journal, journalRetentionSeconds }: Configuration): Millis {
  return DAY_MS + (journal.kind === "memory" ? 0 : journalRetentionSeconds * 1000);
}
