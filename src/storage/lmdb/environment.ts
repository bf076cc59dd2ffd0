// The one place that calls `lmdb` for a journal that is in use; compact.ts calls it for a file that nobody has open. Writes are batches for the
// library's own thread, one at a time: it answers by a promise, and after a failed one the environment is looked at before it is used again, because
// LMDB refuses all further transactions where it could not write its meta page, and its thread would wait for ever.
import { chmodSync, closeSync, existsSync, openSync } from "node:fs";
import { createRequire } from "node:module";
import type { Database, Key, RootDatabase } from "lmdb";
import type { JournalPolicy } from "../../contracts/journal.js";
import {
  TABLE_NAMES,
  type Table,
  type TableKey,
  type TableName,
  type TableRange,
  type Tables,
  type Writes,
} from "./tables.js";

/** The library, loaded by whoever needs it. */
export type Lmdb = Pick<typeof import("lmdb"), "open">;

/** Its build in one file, as CommonJS: the modules take twice the time of a start, and most of it is theirs. */
export async function loadLmdb(): Promise<Lmdb> {
  return createRequire(import.meta.url)("lmdb") as Lmdb;
}

export interface EnvironmentOptions {
  readonly lmdb: Lmdb;
  readonly path: string;
  readonly policy: JournalPolicy;
}

export interface Environment {
  readonly tables: Tables;
  /** Writes what `work` puts and removes: all of it, or, where it rejects, nothing. "durable" settles when the disk has it. */
  readonly commit: (work: (writes: Writes) => void) => Promise<void>;
  /** After a failed commit, before the next one. Throws where the file cannot be opened any more. */
  readonly revive: () => Promise<void>;
  /** What is read from here on is as new as the file. Without it the library may go on in the snapshot of this turn of the event loop. */
  readonly refresh: () => void;
  readonly close: () => Promise<void>;
}

interface Opened {
  readonly root: RootDatabase<Buffer, Key>;
  readonly databases: Readonly<Record<TableName, Database<Buffer, Key>>>;
}

/** Above every part of a key. */
const HIGHEST_PART = Buffer.from([0xff]);

/**
 * After so many commits readers that were killed are forgotten: no page that one of them might still look at is used again, and the file grows by all
 * that is written. The library looks every ten minutes, which is gigabytes in a flood.
 */
const READERS_CHECKED_EVERY = 256;

/** Aborts a transaction of `lmdb` from within; the library's own constant. */
const ABORTED = new Error("nothing was to be written");

function openFile({ lmdb, path, policy }: EnvironmentOptions, isReadOnly: boolean): Opened {
  // The library would make files that others can read.
  for (const file of isReadOnly ? [] : [path, `${path}-lock`]) {
    if (existsSync(file)) chmodSync(file, 0o600);
    else closeSync(openSync(file, "a", 0o600));
  }
  const root = lmdb.open<Buffer, Key>({
    path,
    noSubdir: true,
    encoding: "binary",
    maxDbs: 8,
    readOnly: isReadOnly,
    noSync: !isReadOnly && policy !== "durable",
    overlappingSync: false,
    // Groups are gathered by the journal, and a failed batch of the library's own making would be a rejection that nobody can handle.
    eventTurnBatching: false,
    permissionsMode: 0o600,
  } as Parameters<Lmdb["open"]>[0]) as RootDatabase<Buffer, Key>;
  try {
    const open = (name: TableName): Database<Buffer, Key> => root.openDB<Buffer, Key>({ name, encoding: "binary" });
    return { root, databases: { blocks: open("blocks"), ids: open("ids"), state: open("state"), meta: open("meta") } };
  } catch (caught) {
    void root.close();
    throw caught;
  }
}

/** Throws what `lmdb` throws. The file has to be sound (`data-file.ts`): LMDB believes whatever stands in it. */
export function openEnvironment(options: EnvironmentOptions, isReadOnly = false): Environment {
  let opened = openFile(options, isReadOnly);
  let commitCount = 0;

  const commit = async (work: (writes: Writes) => void): Promise<void> => {
    const { root, databases } = opened;
    try {
      commitCount += 1;
      if (commitCount % READERS_CHECKED_EVERY === 0) root.readerCheck();
      await root.batch(() =>
        work({
          put: (table, key, value) => void databases[table].put(key as Key, value),
          remove: (table, key) => void databases[table].remove(key as Key),
        }),
      );
    } catch (caught) {
      throw (await reasonOf(caught)) ?? caught;
    }
  };

  const isAlive = (): boolean => {
    try {
      opened.root.transactionSync(() => {
        void opened.databases.meta.put(["probe"] as Key, Buffer.alloc(1));
        throw ABORTED;
      });
    } catch (caught) {
      return caught === ABORTED;
    }
    return false;
  };

  return {
    tables: Object.fromEntries(
      TABLE_NAMES.map((name) => [name, tableOf(() => opened.databases[name])]),
    ) as unknown as Tables,
    commit,
    revive: async () => {
      if (isAlive()) return;
      await opened.root.close();
      opened = openFile(options, isReadOnly);
    },
    refresh: () => opened.root.resetReadTxn(),
    close: () => opened.root.close(),
  };
}

/** The library says "see commitError", which is a promise that rejects with what happened. */
async function reasonOf(caught: unknown): Promise<unknown> {
  if (!(caught instanceof Error) || !("commitError" in caught)) return undefined;
  return Promise.resolve(caught.commitError).then(
    () => undefined,
    (reason: unknown) => reason,
  );
}

/** A key of one part comes back as that part. */
function tableKeyFrom(key: Key): TableKey {
  return (Array.isArray(key) ? key : [key]) as TableKey;
}

function tableOf(database: () => Database<Buffer, Key>): Table {
  const bounds = ({ from, to, prefix, isReverse = false, limit }: TableRange): Parameters<Database["getRange"]>[0] => {
    const low = prefix ?? from;
    const high = prefix === undefined ? to : [...prefix, HIGHEST_PART];
    // The library begins at `start` even in reverse, includes it, and leaves `end` out.
    const [start, end] = isReverse ? [high, low] : [low, high];
    return {
      ...(start === undefined ? {} : { start: start as Key }),
      ...(end === undefined ? {} : { end: end as Key }),
      ...(limit === undefined ? {} : { limit }),
      reverse: isReverse,
      snapshot: false,
    };
  };
  return {
    get: (key) => database().getBinary(key as Key),
    // Not by `asArray`, which makes a rejection that nobody can handle of a page that cannot be read.
    keys: (range) => Array.from(database().getKeys(bounds(range)) as Iterable<Key>, tableKeyFrom),
    *entries(range) {
      for (const { key, value } of database().getRange(bounds(range))) yield { key: tableKeyFrom(key), value };
    },
  };
}
