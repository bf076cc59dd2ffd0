// Starts the engine of a daemon, on the journal that the configuration names.
import { Fault } from "../base/errors.js";
import type { Audit } from "../contracts/audit.js";
import type { Journal } from "../contracts/journal.js";
import { Engine } from "../engine/engine.js";
import type { EngineOptions } from "../engine/engine-options.js";
import { assertEvent, assertPublishedEvent } from "../protocols/aaep/validation/validate.js";
import type { Configuration } from "./config/config.js";
import type { DaemonOptions } from "./config/daemon-options.js";
import { openJournal } from "./journal/open-journal.js";
import { logComplaints } from "./platform/finding.js";
import { createSegmenter, sentenceFinding } from "./platform/segmenter.js";

/** Throws the Faults of `openJournal`, and then leaves nothing open. Options that may change are read each time (R8b). */
export async function startEngine(options: DaemonOptions, audit: Audit) {
  const { clock, ids, log, sha256Hex } = options;
  const segmenter = createSegmenter();
  // Loads the library. Once no file can be opened, the daemon would do without it for good.
  segmenter.sentenceEnds("", "en");
  logComplaints([sentenceFinding()], log);
  const { create, abandon, retentionChanged } = await openJournal(options, options, options.place?.environment);
  let journal: Journal | undefined;
  try {
    if (options.sequencing === "warn")
      log.warn({}, "`sequencing: warn` has no effect any more: events out of order are refused. Remove it.");
    const engine = new Engine(
      {
        clock,
        ids,
        log,
        audit,
        idServices: { sha256Hex },
        segmenter,
        loadSpeakable: () => import("../speakable/index.js"),
        createJournal: () => {
          journal = create();
          return journal;
        },
        validate: options.playsRecording === true ? assertEvent : assertPublishedEvent,
      },
      engineOptionsOf(options),
    );
    if (journal === undefined) throw new Fault("internal", "The engine has no journal.", { origin: "local" });
    // The engine closes its journal.
    return { engine, journal, retentionChanged };
  } catch (caught) {
    await (journal?.close() ?? abandon());
    throw caught;
  }
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Values that may change at run time are read from `options` each time (R8b). */
export function engineOptionsOf(
  options: Configuration & Pick<DaemonOptions, "declaredProducerId" | "playsRecording">,
): EngineOptions {
  return readEachTime<EngineOptions>({
    producerId: () => options.declaredProducerId,
    defaultLanguage: () => options.defaultLanguage,
    viewWindowCount: () => 1024,
    queueLimitCount: () => 256,
    isRecording: () => options.playsRecording === true,
    clockSkewMs: () => options.clockSkewSeconds * 1000,
    publishLimits: () => ({
      events: options.maxPublishedEvents,
      characters: options.maxPublishedCharacters,
      questions: options.maxPublishedQuestions,
      openSessions: options.maxOpenSessions,
    }),
    agentGraceMs: () => options.agentGraceSeconds * 1000,
    maxHoldMs: () => options.maxHoldMs,
    burst: () => options.burst,
    maxSubscriptions: () => options.maxConcurrentSubscriptions,
    maxTermSets: () => options.maxTermSets,
    retryAfterSeconds: () => options.retryAfterSeconds,
    lag: () => ({ maxMs: options.maxLagSeconds * 1000, maxEvents: options.maxLagEvents }),
    confirmationGraceMs: () => options.confirmationGraceSeconds * 1000,
    reconnectGraceMs: () => options.reconnectGraceSeconds * 1000,
    // One day longer than a session's events can be read (R17). A journal in memory limits its events by number, not by age.
    endedRetentionMs: () => DAY_MS + (options.journal.kind === "memory" ? 0 : options.journalRetentionSeconds * 1000),
  });
}

function readEachTime<Values>(readers: { readonly [Name in keyof Values]: () => Values[Name] }): Values {
  const properties = Object.entries<() => unknown>(readers).map(([name, get]) => [name, { get, enumerable: true }]);
  return Object.defineProperties({}, Object.fromEntries(properties)) as Values;
}
