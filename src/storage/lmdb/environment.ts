// This file alone calls `lmdb`. The library's thread writes one batch at a time. After a failed batch `revive` checks the environment before the
// next: if LMDB could not write its meta page, it refuses all further transactions, and its thread would wait for ever.
import { chmodSync, closeSync, existsSync, openSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
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

/** The functions of `lmdb` in use. The package is loaded with the first journal. */
export type Lmdb = Pick<typeof import("lmdb"), "open">;

/** The library's build in one CommonJS file. Its modules would double the time of a start. The package brings it along (scripts/bundle.mjs). */
export async function loadLmdb(): Promise<Lmdb> {
  const brought = new URL("../lmdb/dist/index.cjs", import.meta.url);
  return createRequire(import.meta.url)(existsSync(brought) ? fileURLToPath(brought) : "lmdb") as Lmdb;
}

export interface EnvironmentOptions {
  readonly lmdb: Lmdb;
  readonly path: string;
  readonly policy: JournalPolicy;
}

export interface Environment {
  readonly tables: Tables;
  /**
   * Writes everything that `work` puts and removes. A rejection means that nothing was written. Under "durable" the promise settles when the disk
   * has it.
   */
  readonly commit: (work: (writes: Writes) => void) => Promise<void>;
  /** Comes between a failed commit and the next. Throws if the file can no longer be opened. */
  readonly revive: () => Promise<void>;
  /** Makes later reads as new as the file. Without this call the library may answer from the snapshot of the present turn. */
  readonly refresh: () => void;
  /** Bytes of the pages in use. The file has free pages beside them. */
  readonly usedBytes: () => number;
  /** Writes the state of one instant into a new file, with its free pages: LMDB's copy without them cannot be written to (lmdb 3.5.6). */
  readonly copyTo: (path: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

interface Opened {
  readonly root: RootDatabase<Buffer, Key>;
  readonly databases: Readonly<Record<TableName, Database<Buffer, Key>>>;
}

/** Sorts above every part of a key. */
const HIGHEST_PART = Buffer.from([0xff]);

/**
 * Commits between two checks for readers that were killed. LMDB does not reuse a page that a reader might still need, so the file would grow by
 * everything that is written. The library checks every ten minutes, which is gigabytes in a flood.
 */
const READERS_CHECKED_EVERY = 256;

/**
 * Addresses that the file is mapped to, bytes. The library begins with a small map, and keeps each map when the file outgrows it: pages would be in
 * the resident memory once for each map. A larger file still gets another map. Windows makes a file as large as its map.
 */
const MAP: { readonly mapSize?: number } = process.platform === "win32" ? {} : { mapSize: 8 * 1024 ** 3 };

/** Aborts a transaction of `lmdb` from within; the library's own constant. */
const ABORTED = new Error("nothing was to be written");

function openFile({ lmdb, path, policy }: EnvironmentOptions, isReadOnly: boolean): Opened {
  // The library would make files that other users can read.
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
    // The journal gathers groups. A failed batch of the library's own would be a rejection that no caller can handle.
    eventTurnBatching: false,
    permissionsMode: 0o600,
    ...MAP,
  } as Parameters<Lmdb["open"]>[0]) as RootDatabase<Buffer, Key>;
  try {
    const open = (name: TableName): Database<Buffer, Key> => root.openDB<Buffer, Key>({ name, encoding: "binary" });
    return { root, databases: { blocks: open("blocks"), state: open("state"), meta: open("meta") } };
  } catch (caught) {
    void root.close();
    throw caught;
  }
}

/** Throws errors of `lmdb`. The file must be sound (`data-file.ts`): LMDB trusts every page of it. */
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
    usedBytes: () => Object.values(opened.databases).reduce((sum, database) => sum + pageBytesOf(database), 0),
    copyTo: (path) => opened.root.backup(path, false),
    close: () => opened.root.close(),
  };
}

/** The statistics of a table in the form of the library, which leaves them untyped. */
interface PageCounts {
  readonly pageSize: number;
  readonly treeBranchPageCount: number;
  readonly treeLeafPageCount: number;
  readonly overflowPages: number;
}

function pageBytesOf(database: Database<Buffer, Key>): number {
  const { pageSize, treeBranchPageCount, treeLeafPageCount, overflowPages } = database.getStats() as PageCounts;
  return pageSize * (treeBranchPageCount + treeLeafPageCount + overflowPages);
}

/** The cause of a failed commit. The library's error refers to `commitError`, a promise that rejects with the cause. */
async function reasonOf(caught: unknown): Promise<unknown> {
  if (!(caught instanceof Error) || !("commitError" in caught)) return undefined;
  return Promise.resolve(caught.commitError).then(
    () => undefined,
    (reason: unknown) => reason,
  );
}

/** The library answers a key of one part as that part. */
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
    // `asArray` would turn an unreadable page into a rejection that no caller can handle.
    keys: (range) => Array.from(database().getKeys(bounds(range)) as Iterable<Key>, tableKeyFrom),
    *entries(range) {
      for (const { key, value } of database().getRange(bounds(range))) yield { key: tableKeyFrom(key), value };
    },
  };
}
