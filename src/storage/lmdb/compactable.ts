// An environment whose file can be written again without its free pages, while reads and commits go on.
//
// The copy is taken in slices, each a transaction of its own. Every commit meanwhile notes the places that it changed. These places are copied again
// until few are left. The last of them are copied while commits wait, and the copy takes the file's name in the same turn. A commit is therefore in
// the old file and later in the copy, or in the copy alone; before and after every kill one whole file has the name, with all that was acknowledged.
import { renameSync, statSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";
import { Fault } from "../../base/errors.js";
import { type ChangedPlaces, createChangedPlaces, notedWrites } from "./changed-places.js";
import type { Compacted } from "./compact.js";
import { assertRoomForDraft, compactionFault, draftOf, removeDraft } from "./draft.js";
import { type Environment, type EnvironmentOptions, openEnvironment } from "./environment.js";
import { copyPlaces, copyTables, type RecordPlace } from "./table-copy.js";
import { TABLE_NAMES, type Table, type TableName, type Tables, type Writes } from "./tables.js";

export interface CompactableEnvironment extends Omit<Environment, "moved"> {
  /**
   * Writes the file again without its free pages. Rejects with a Fault "storage_unavailable" if the disk has no room or reports errors,
   * "shutting_down" if the environment is closed meanwhile, "unsupported" on Windows, and with what `assertMayReplace` throws. The file then stays as
   * it is, and no copy is left. At most one call at a time.
   */
  readonly compact: (replacing: Replacing) => Promise<Compacted>;
}

export interface Replacing {
  /** Called at the beginning, and right before the copy takes the place of the file. */
  readonly assertMayReplace: () => void;
  /** Called in the turn in which the copy has taken the place of the file. */
  readonly replaced: () => void;
}

/** So many changed places are copied while commits wait: some milliseconds and one flush. */
const FEW_PLACES = 64;
/** Rounds of copying changed places beside commits. Commits that are faster than all of these wait for the rest. */
const MOST_ROUNDS = 16;

/** Opens the file as `openEnvironment` does. This process must own it. */
export function openCompactable(options: EnvironmentOptions): CompactableEnvironment {
  const { path } = options;
  let current = openEnvironment(options);
  /** Present while a copy is taken. */
  let changed: ChangedPlaces | undefined;
  let compacting: Promise<unknown> | undefined;
  let isClosing = false;

  /** Commits, recoveries and the last step of a copy, one after the other. */
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  };

  /** A place counts as changed when its commit has ended: before, a copy might read the old value and forget the place. */
  const noted = async (work: (writes: Writes) => void, places: ChangedPlaces): Promise<void> => {
    const written: RecordPlace[] = [];
    try {
      await current.commit((writes) => work(notedWrites(writes, written)));
    } finally {
      places.add(written);
    }
  };

  const assertOpen = (): void => {
    if (isClosing) throw closing(path);
  };

  const copyInto = async (draft: Environment, places: ChangedPlaces): Promise<void> => {
    const write = (work: (writes: Writes) => void): Promise<void> => {
      assertOpen();
      return draft.commit(work);
    };
    await copyTables(current.tables, write);
    for (let round = 0; round < MOST_ROUNDS && places.count() > FEW_PLACES; round += 1)
      await copyPlaces(current.tables, places.take(), write);
    // Outside of the last step, for which commits wait.
    await sync(draftOf(path), "r+");
  };

  const replace = async (draft: Environment, places: ChangedPlaces, replacing: Replacing): Promise<void> => {
    await copyPlaces(current.tables, places.take(), draft.commit);
    // Only a durable policy has the copy on the disk by now. A name that survives a power cut must not lead to a copy that does not.
    await sync(draftOf(path), "r+");
    replacing.assertMayReplace();
    assertOpen();
    const before = current;
    // A reader with the old file and the new lock reads a file that stays as it is. The other way round, pages might be written under a reader.
    renameSync(`${draftOf(path)}-lock`, `${path}-lock`);
    renameSync(draftOf(path), path);
    draft.moved(path);
    current = draft;
    replacing.replaced();
    try {
      // The next commit may be acknowledged only if the disk has the new file under this name.
      await sync(dirname(path), "r");
    } finally {
      await before.close();
    }
  };

  const compact = async (replacing: Replacing): Promise<Compacted> => {
    assertOpen();
    assertReplaceable();
    replacing.assertMayReplace();
    const bytesBefore = statSync(path).size;
    await removeDraft(path);
    assertRoomForDraft(path, current.usedBytes());
    const places = createChangedPlaces();
    let draft: Environment | undefined;
    let held: FileHandle | undefined;
    try {
      // The system frees a large file when the last process closes it: off the event loop, because the environment closes before (R34).
      held = await open(path, "r");
      await inTurn(async () => {
        changed = places;
      });
      const copy = openEnvironment({ ...options, path: draftOf(path) });
      draft = copy;
      await copyInto(copy, places);
      await inTurn(() => replace(copy, places, replacing));
    } catch (caught) {
      // Before the copy goes, which may be all that fills the disk.
      throw await compactionFault(path, caught);
    } finally {
      changed = undefined;
      await held?.close();
      if (draft !== current) {
        await draft?.close();
        await removeDraft(path);
      }
    }
    return { bytesBefore, bytesAfter: statSync(path).size };
  };

  return {
    tables: tablesOf(() => current.tables),
    commit: (work) => inTurn(() => (changed === undefined ? current.commit(work) : noted(work, changed))),
    revive: () => inTurn(() => current.revive()),
    dropTable: (name) => current.dropTable(name),
    refresh: () => current.refresh(),
    usedBytes: () => current.usedBytes(),
    compact: (replacing) => {
      const run = compact(replacing);
      compacting = run.catch(() => {});
      return run;
    },
    close: async () => {
      isClosing = true;
      await compacting;
      await inTurn(() => current.close());
    },
  };
}

/** Windows does not replace a file that a process has mapped. */
function assertReplaceable(): void {
  if (process.platform !== "win32") return;
  const sentence = "On Windows a journal in use cannot be compacted. Stop its daemon, and compact it then.";
  throw new Fault("unsupported", sentence, { origin: "local" });
}

function closing(path: string): Fault {
  return new Fault("shutting_down", `The journal ${path} is being closed, and stays as it is. Compact it later.`, {
    origin: "local",
  });
}

function tablesOf(current: () => Tables): Tables {
  const table = (name: TableName): Table => ({
    get: (key) => current()[name].get(key),
    keys: (range) => current()[name].keys(range),
    entries: (range) => current()[name].entries(range),
  });
  return Object.fromEntries(TABLE_NAMES.map((name) => [name, table(name)])) as unknown as Tables;
}

async function sync(path: string, access: "r" | "r+"): Promise<void> {
  const file = await open(path, access);
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
