// Starts the engine of a daemon, on the journal that the configuration names.
import { Fault } from "../base/errors.js";
import type { Audit } from "../contracts/audit.js";
import type { Journal } from "../contracts/journal.js";
import { Engine } from "../engine/engine.js";
import { assertEvent, assertPublishedEvent } from "../protocols/aaep/validation/validate.js";
import type { DaemonOptions } from "./config/daemon-options.js";
import { engineOptionsOf } from "./engine-options.js";
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
