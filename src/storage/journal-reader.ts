// A journal opened for reading alone, also while a daemon writes to it. Each call sees all that was written before.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Fault } from "../base/errors.js";
import type { Epoch, JournaledEvent } from "../engine/event/event.js";
import { readBlock } from "./blocks/block.js";
import type { LoadedBlock } from "./blocks/block-reader.js";
import type { Totals } from "./blocks/totals.js";
import { DATA_FILE, inspectDataFile } from "./lmdb/data-file.js";
import { type Environment, type Lmdb, loadLmdb, openEnvironment } from "./lmdb/environment.js";
import { assertLayout, readId, readTotals } from "./lmdb/meta.js";
import { assertPlainFiles } from "./lmdb/plain-files.js";
import type { Tables } from "./lmdb/tables.js";

/** A session as its journal has it. */
interface RecordedSession {
  readonly sessionId: string;
  readonly eventCount: number;
  readonly firstEpoch: Epoch;
  readonly lastEpoch: Epoch;
  /** Receipt of the session's first and last event, ms since 1970. */
  readonly firstAt: number;
  readonly lastAt: number;
}

export interface JournalReader {
  /** The data file. */
  readonly path: string;
  /** The journal's id; undefined if it has none yet. */
  readonly id: () => string | undefined;
  /** Counts as the daemon keeps them. */
  readonly totals: () => Totals | undefined;
  /** All records from the one that holds `from`, or follows it, on, ascending. A damaged record has no `block`. */
  readonly blocks: (from?: Epoch) => Iterable<LoadedBlock>;
  /** Sessions in the order of their first events. */
  readonly sessions: () => readonly RecordedSession[];
  /** Entries of one session, or of all, ascending. `at` is the time of receipt in ms since 1970. Damaged records are left out. */
  readonly entries: (sessionId?: string) => Iterable<JournaledEvent>;
  readonly close: () => Promise<void>;
}

/**
 * Opens the journal of a folder. Rejects as `assertSound`, and with "storage_unavailable" if the journal cannot be read or has another layout.
 */
export async function openJournalReader(directory: string, lmdb?: Lmdb, mayBeInUse = true): Promise<JournalReader> {
  const path = assertSound(directory, mayBeInUse);
  const environment = openReadable(path, lmdb ?? (await loadLmdb()));
  const current = (): Tables => {
    environment.refresh();
    return environment.tables;
  };

  function* blocks(from?: Epoch): Iterable<LoadedBlock> {
    try {
      const { blocks: table } = current();
      const [holding] =
        from === undefined ? [] : table.keys({ to: [from, Number.MAX_SAFE_INTEGER], isReverse: true, limit: 1 });
      for (const { key, value } of table.entries({ from: holding })) {
        const [first, count] = key.map(Number) as [number, number];
        if (from !== undefined && first + count <= from) continue;
        const block = readBlock(value);
        const isSound = block !== undefined && block.first === first && block.count === count;
        yield { first, count, length: value.length, block: isSound ? block : undefined };
      }
    } catch (caught) {
      throw unreadable(path, caught);
    }
  }

  return {
    path,
    id: () => readId(current().meta),
    totals: () => readTotals(current().meta),
    blocks,
    sessions: () => {
      const sessions = new Map<string, { -readonly [Name in keyof RecordedSession]: RecordedSession[Name] }>();
      for (const { block, count } of blocks()) {
        for (let index = 0; block !== undefined && index < count; index += 1) {
          const { sessionId, epoch, wallTime } = block.facts(index);
          const known = sessions.get(sessionId);
          if (known === undefined) {
            const at = { firstEpoch: epoch, lastEpoch: epoch, firstAt: wallTime, lastAt: wallTime };
            sessions.set(sessionId, { sessionId, eventCount: 1, ...at });
            continue;
          }
          known.eventCount += 1;
          known.lastEpoch = epoch;
          known.lastAt = wallTime;
        }
      }
      return [...sessions.values()];
    },
    *entries(sessionId) {
      for (const { block, count } of blocks()) {
        for (let index = 0; block !== undefined && index < count; index += 1) {
          if (sessionId !== undefined && !block.isAmong(index, { sessionId })) continue;
          yield block.entry(index, block.wallTime(index));
        }
      }
    },
    close: () => environment.close(),
  };
}

/**
 * Returns the data file of a folder. Throws a Fault "not_found" if the folder has no journal, "address_invalid" if something in the folder that is to
 * be a file is none, and "storage_unavailable" if the journal is damaged. Unless it `mayBeInUse`, the pages that lead to records are looked at: LMDB
 * ends the process at some damage of theirs.
 */
export function assertSound(directory: string, mayBeInUse: boolean): string {
  const path = join(directory, DATA_FILE);
  assertPlainFiles(directory);
  if (!existsSync(path)) {
    throw new Fault("not_found", `There is no journal in ${directory}. Check the folder.`, { origin: "local" });
  }
  const verdict = inspectDataFile(path, !mayBeInUse);
  if (verdict.kind === "sound") return path;
  // LMDB would read beyond the end of an empty file.
  const reasons = {
    none: "has nothing in it yet. Look again when a daemon has begun to write to it",
    short: "is damaged: it is shorter than it says",
  };
  const reason = verdict.kind === "damaged" ? `is damaged: ${verdict.reason}` : reasons[verdict.kind];
  throw new Fault("storage_unavailable", `The journal ${path} ${reason}.`, { origin: "local" });
}

function openReadable(path: string, lmdb: Lmdb): Environment {
  let environment: Environment | undefined;
  try {
    environment = openEnvironment({ lmdb, path, policy: "os" }, true);
    assertLayout(environment.tables, path);
    return environment;
  } catch (caught) {
    void environment?.close();
    throw unreadable(path, caught);
  }
}

/** Looks through the file for the cause: the errors of `lmdb` name none. */
function unreadable(path: string, caught: unknown): Fault {
  if (caught instanceof Fault) return caught;
  const told = caught instanceof Error ? caught.message : String(caught);
  const reason = damageOf(path) ?? (caught instanceof TypeError ? "its pages do not fit together" : undefined);
  const sentence =
    reason === undefined
      ? `The journal ${path} cannot be read. (${told})`
      : `The journal ${path} is damaged: ${reason}. What it leads to cannot be read.`;
  return new Fault("storage_unavailable", sentence, { origin: "local", cause: caught });
}

function damageOf(path: string): string | undefined {
  try {
    const verdict = inspectDataFile(path, true);
    return verdict.kind === "damaged" ? verdict.reason : undefined;
  } catch {
    return undefined;
  }
}
