import { join } from "node:path";
import { Fault } from "../base/errors.js";
import type { Clock } from "../contracts/clock.js";
import type { JournalPolicy } from "../contracts/journal.js";
import type { Log } from "../contracts/log.js";
import { DATA_FILE } from "./lmdb/data-file.js";
import { diagnoseDisk } from "./lmdb/diagnose-disk.js";
import type { Lmdb } from "./lmdb/environment.js";
import { type OpenedDataFile, openDataFile } from "./lmdb/open-data-file.js";
import { createLmdbBlockStore } from "./lmdb-block-store.js";
import { WindowedJournal, type WindowedJournalOptions } from "./window/windowed-journal.js";

export interface OpenOptions
  extends Pick<WindowedJournalOptions, "retention" | "createWindow" | "window" | "maxPendingBytes"> {
  /** Of this process alone while the journal is open: mode 0700, and claimed. Made if it is missing. */
  readonly directory: string;
  readonly policy: JournalPolicy;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether the last process that wrote to the journal ended without closing it. The file is then looked through before it is used. Default true. */
  readonly wasLeft?: boolean;
  /** Called when the journal is closed, or could not be opened. */
  readonly closed?: () => void;
  /** Default the package. */
  readonly lmdb?: Lmdb | Promise<Lmdb>;
}

export interface OpenedJournal {
  /** The data file. */
  readonly path: string;
  /** For the engine; once. */
  readonly create: () => WindowedJournal;
  /** Closes the file if no journal was made of it. */
  readonly abandon: () => Promise<void>;
}

/**
 * Opens the journal of a folder, or begins one. Rejects with a Fault "address_invalid" if something in the folder that is to be a file is none, and
 * "storage_unavailable" if the journal cannot be opened, or a build with another layout wrote it; the sentence says what to do.
 */
export async function openDiskJournal(options: OpenOptions): Promise<OpenedJournal> {
  const { directory, clock, closed } = options;
  const path = join(directory, DATA_FILE);
  let file: OpenedDataFile | undefined;
  try {
    const opened = await openDataFile({ ...options, path, wallTime: clock.wallTime });
    file = opened;
    const store = createLmdbBlockStore(opened, path);
    const recovery = await store.recover(0);
    if (recovery.kind === "failing") throw new Error(`${recovery.failure.reason} ${recovery.failure.remedy}`);
    // Whatever a start needs is read here, so that its damage is found here.
    for (const _ of recovery.state([]));
    const ids = givenOut([...store.newestIds()]);
    const close = async (): Promise<void> => {
      await opened.close();
      closed?.();
    };
    const window = {
      ...options,
      store,
      recovered: recovery,
      path,
      ids,
      closeStore: close,
    };
    return { path, create: () => new WindowedJournal(window), abandon: close };
  } catch (caught) {
    await file?.close();
    // LMDB found damage in a file that was closed in order: it is looked through, and set aside.
    if (options.wasLeft === false && !(caught instanceof Fault)) return openDiskJournal({ ...options, wasLeft: true });
    closed?.();
    if (caught instanceof Fault) throw caught;
    const found = await diagnoseDisk(path, 0);
    const why =
      found === undefined
        ? `(${caught instanceof Error ? caught.message : String(caught)})`
        : `${found.reason} ${found.remedy}`;
    throw new Fault("storage_unavailable", `The journal ${path} cannot be opened. ${why}`, {
      origin: "local",
      cause: caught,
    });
  }
}

/** The entries, once. Afterwards they are in nobody's memory, although the options that hand them on stay as long as the journal. */
function* givenOut<Entry>(entries: Entry[]): Iterable<Entry> {
  yield* entries;
  entries.length = 0;
}
