// Opens the journal: in memory, or on disk with a window in memory before it (docs/journal.md).
import type { Journal } from "../../contracts/journal.js";
import type { EngineServices } from "../../engine/engine-options.js";
import { createJournalRing } from "../../engine/journal/journal-ring.js";
import type { WindowedJournal } from "../../storage/window/windowed-journal.js";
import type { Configuration } from "../config/config.js";
import type { DaemonOptions } from "../config/daemon-options.js";

const MIB = 1024 * 1024;
/** Default size of the journal in memory: some ten thousand events. */
const MEMORY_BYTES = 16 * MIB;
/**
 * Size of the window in front of the disk: no more than is published between two rounds of the garbage collector, because entries gone by then cost
 * nothing.
 */
const WINDOW_BYTES = MIB;
/** Room for a million events a second until the next start, so that epochs are never reused (R29). */
const EPOCHS_PER_MS = 1000;

/** Without native code the journal of "auto" is in memory, and the log says so. */
async function hasDatabase(log: EngineServices["log"]): Promise<boolean> {
  const { hasNativeCode } = await import("../../storage/lmdb/native-code.js");
  const isThere = hasNativeCode();
  if (!isThere)
    log.warn(
      { remedy: "Install aaepd with npm, which brings a database: npm install --global aaepd" },
      "the journal is in memory, and ends with this process: this package has no database",
    );
  return isThere;
}

/**
 * Opens the journal of the option `journal`. Rejects with a Fault "address_in_use" if a live process has the folder, "permission_denied" if others
 * could reach it, and "storage_unavailable" if it cannot be opened, or if a build with another layout wrote it.
 */
export async function openJournal(
  { clock, log, ids }: Pick<EngineServices, "clock" | "log" | "ids">,
  options: Configuration & Pick<DaemonOptions, "mostInstances">,
  environment: Readonly<Record<string, string | undefined>> = process.env,
) {
  const { journal, journalMaxEvents: maxEvents, journalMaxBytes: maxBytes } = options;
  if (journal.kind === "memory" || (journal.kind === "auto" && !(await hasDatabase(log)))) {
    return {
      create: (): Journal =>
        createJournalRing({
          id: ids.hex(16),
          firstEpoch: clock.wallTime() * EPOCHS_PER_MS,
          maxEvents,
          maxBytes: maxBytes ?? MEMORY_BYTES,
          wallTimeOffset: () => clock.wallTime() - clock.now(),
        }),
      retentionChanged: () => {},
      abandon: async () => {},
    };
  }
  const [{ claimJournalFolder, defaultJournalDirectory }, { openDiskJournal }] = await Promise.all([
    import("./journal-folder.js"),
    import("../../storage/open-disk-journal.js"),
  ]);
  const { directory, wasLeft, release } = await claimJournalFolder(
    journal,
    environment,
    options.producerId,
    // A living daemon has the name, whether or not its socket is still there.
    options.mostInstances === 1 && options.socket.kind === "auto",
  );
  const retention = () => ({
    ageMs: options.journalRetentionSeconds * 1000,
    bytes: options.journalRetentionBytes,
  });
  const opened = await openDiskJournal({
    directory,
    wasLeft,
    policy: options.journalPolicy,
    retention: retention(),
    createWindow: createJournalRing,
    window: { maxEvents, maxBytes: maxBytes ?? WINDOW_BYTES },
    clock,
    log,
    closed: release,
  });
  // The earlier events are in the other folder; the warning helps a person who looks for them.
  if (journal.kind === "auto" && directory !== defaultJournalDirectory(environment, options.producerId))
    log.warn(
      { path: opened.path, remedy: "Give each daemon a name of its own (--producer-id)." },
      "another daemon has the journal of this name, and this one keeps another",
    );
  log.debug({ path: opened.path, policy: options.journalPolicy }, "the journal is open");
  let onDisk: WindowedJournal | undefined;
  return {
    create: (): Journal => {
      onDisk = opened.create();
      return onDisk;
    },
    /** Applies changed options of retention. A journal in memory has none. */
    retentionChanged: (): void => onDisk?.retain(retention()),
    /** Releases the resources if no journal is created. */
    abandon: opened.abandon,
  };
}
