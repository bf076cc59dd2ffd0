// A data file that is compacted while it is in use: nothing is lost or changed, whatever is committed meanwhile and wherever the work ends.
import { existsSync, readdirSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Fault } from "../../../src/base/errors.js";
import { type CompactableEnvironment, openCompactable, type Replacing } from "../../../src/storage/lmdb/compactable.js";
import { type Lmdb, loadLmdb, openEnvironment } from "../../../src/storage/lmdb/environment.js";
import { TABLE_NAMES, type TableKey, type TableName, type Tables } from "../../../src/storage/lmdb/tables.js";
import { casesOf } from "../../support/extent.js";
import { openRig } from "../../support/rigs/journal-rig.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";

const AT_ANY_TIME: Replacing = { assertMayReplace: () => {}, replaced: () => {} };

async function opened(lmdb?: Lmdb): Promise<{ readonly path: string; readonly environment: CompactableEnvironment }> {
  const path = join(temporaryDirectory(), "journal.mdb");
  return { path, environment: openCompactable({ lmdb: lmdb ?? (await loadLmdb()), path, policy: "os" }) };
}

/** Everything in a file, as text. */
function contentsOf(tables: Tables): ReadonlyMap<string, string> {
  const entries = TABLE_NAMES.flatMap((table) =>
    [...tables[table].entries({})].map(({ key, value }) => [nameOf(table, key), value.toString("base64")] as const),
  );
  return new Map(entries);
}

function nameOf(table: TableName, key: TableKey): string {
  return JSON.stringify([table, key]);
}

async function contentsAfterwards(path: string): Promise<ReadonlyMap<string, string>> {
  const environment = openEnvironment({ lmdb: await loadLmdb(), path, policy: "os" }, true);
  const contents = contentsOf(environment.tables);
  await environment.close();
  return contents;
}

/** Half of what is put goes again, so that there is something to give back. */
async function fill(environment: CompactableEnvironment, megabytes: number): Promise<void> {
  const record = Buffer.alloc(64 * 1024, 7);
  for (let at = 0; at < megabytes * 32; at += 16) {
    await environment.commit((writes) => {
      for (let index = at; index < at + 16; index += 1) writes.put("blocks", [index, 1], record);
    });
  }
  await environment.commit((writes) => {
    for (let index = 0; index < megabytes * 16; index += 1) writes.remove("blocks", [index, 1]);
  });
}

interface Change {
  readonly table: TableName;
  readonly key: number;
  readonly length: number | undefined;
}

const change: fc.Arbitrary<Change> = fc.record({
  table: fc.constantFrom(...TABLE_NAMES),
  key: fc.nat(60),
  length: fc.option(fc.constantFrom(10, 3000, 300_000), { nil: undefined }),
});

it("has afterwards what was committed before and meanwhile, and nothing else", async () => {
  const lmdb = await loadLmdb();
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(change, { minLength: 1, maxLength: 20 }), { maxLength: 10 }),
      fc.array(fc.array(change, { minLength: 1, maxLength: 6 }), { maxLength: 30 }),
      async (before, meanwhile) => {
        const { path, environment } = await opened(lmdb);
        const expected = new Map<string, string>();
        let mark = 0;
        const commit = (changes: readonly Change[]): Promise<void> =>
          environment.commit((writes) => {
            for (const { table, key, length } of changes) {
              mark += 1;
              const place = key % 2 === 0 ? [key, 1] : ["session", `sess_${key}`];
              if (length === undefined) {
                writes.remove(table, place);
                expected.delete(nameOf(table, place));
                continue;
              }
              const value = Buffer.alloc(length, mark % 251);
              writes.put(table, place, value);
              expected.set(nameOf(table, place), value.toString("base64"));
            }
          });
        for (const changes of before) await commit(changes);
        let isReplaced = false;
        const compacting = environment.compact({
          assertMayReplace: () => {},
          replaced: () => {
            isReplaced = true;
          },
        });
        for (const changes of meanwhile) await commit(changes);
        await compacting;
        expect(isReplaced).toBe(true);
        expect(contentsOf(environment.tables)).toEqual(expected);
        await environment.close();
        expect(await contentsAfterwards(path)).toEqual(expected);
        expect(readdirSync(dirname(path)).sort()).toEqual(["journal.mdb", "journal.mdb-lock"]);
      },
    ),
    { numRuns: casesOf(100) },
  );
});

it("gives the free space back, answers reads and commits meanwhile, and goes on in the new file", async () => {
  const { path, environment } = await opened();
  await fill(environment, 16);
  const before = statSync(path).size;
  let isDone = false;
  const compacting = environment.compact(AT_ANY_TIME).finally(() => {
    isDone = true;
  });
  let commits = 0;
  while (!isDone) {
    await environment.commit((writes) => writes.put("state", ["count"], Buffer.from(String(commits))));
    expect(environment.tables.state.get(["count"])?.toString()).toBe(String(commits));
    commits += 1;
  }
  // Slices of half a megabyte: many commits stand between them.
  expect(commits).toBeGreaterThan(5);
  expect(await compacting).toEqual({ bytesBefore: before, bytesAfter: statSync(path).size });
  expect(statSync(path).size).toBeLessThan(before * 0.7);
  expect(environment.usedBytes()).toBeGreaterThan(8 * 1024 * 1024);
  await environment.close();
});

it("is opened again by its name after a failed write, and not by the copy's", async () => {
  const lmdb = await loadLmdb();
  let isBroken = false;
  const open = ((options: never) => {
    const root = lmdb.open(options);
    const transactionSync = root.transactionSync.bind(root);
    root.transactionSync = ((work: () => unknown) => {
      if (isBroken) throw new Error("The library takes no transaction any more.");
      return transactionSync(work);
    }) as typeof root.transactionSync;
    return root;
  }) as Lmdb["open"];
  const { path, environment } = await opened({ open });
  await fill(environment, 1);
  await environment.compact(AT_ANY_TIME);
  const before = contentsOf(environment.tables);
  isBroken = true;
  await environment.revive();
  isBroken = false;
  expect(contentsOf(environment.tables)).toEqual(before);
  await environment.commit((writes) => writes.put("state", ["later"], Buffer.from("yes")));
  await environment.close();
  expect((await contentsAfterwards(path)).size).toBe(before.size + 1);
  expect(readdirSync(dirname(path)).sort()).toEqual(["journal.mdb", "journal.mdb-lock"]);
});

/** Opens files as the library does, until a commit of the copy fails. */
async function failingCopy(afterCommits: number): Promise<Lmdb> {
  const lmdb = await loadLmdb();
  let left = afterCommits;
  const open = ((options: { readonly path: string }) => {
    const root = lmdb.open(options as never);
    if (!options.path.endsWith(".compacting")) return root;
    const batch = root.batch.bind(root);
    root.batch = ((work: () => void) => {
      left -= 1;
      return left < 0 ? Promise.reject(new Error("No space left on device")) : batch(work);
    }) as typeof root.batch;
    return root;
  }) as Lmdb["open"];
  return { open };
}

describe("a compaction that cannot end", () => {
  it.each([0, 1, 5])(
    "after %i slices leaves the file as it is and no copy, and the next one succeeds",
    async (slices) => {
      const { path, environment } = await opened(await failingCopy(slices));
      await fill(environment, 4);
      const before = contentsOf(environment.tables);
      const { size, ino } = statSync(path);
      await expect(environment.compact(AT_ANY_TIME)).rejects.toMatchObject({
        code: "storage_unavailable",
        sentence: `The journal ${path} could not be compacted, and lost nothing. (No space left on device)`,
      });
      expect(contentsOf(environment.tables)).toEqual(before);
      expect(statSync(path)).toMatchObject({ size, ino });
      expect(readdirSync(dirname(path)).sort()).toEqual(["journal.mdb", "journal.mdb-lock"]);
      await environment.commit((writes) => writes.put("state", ["after"], Buffer.from("1")));
      await environment.close();
      const again = openCompactable({ lmdb: await loadLmdb(), path, policy: "os" });
      await again.compact(AT_ANY_TIME);
      expect(contentsOf(again.tables).size).toBe(before.size + 1);
      await again.close();
    },
  );

  it.each([0, 1])("is refused by whoever asks for it, at the beginning or at the end (look %i)", async (look) => {
    const { path, environment } = await opened();
    await fill(environment, 2);
    const { ino } = statSync(path);
    let looks = 0;
    const assertMayReplace = (): void => {
      if (looks === look) throw new Fault("storage_unavailable", "It is another's now.");
      looks += 1;
    };
    await expect(environment.compact({ ...AT_ANY_TIME, assertMayReplace })).rejects.toThrow("It is another's now.");
    expect(statSync(path).ino).toBe(ino);
    expect(readdirSync(dirname(path)).sort()).toEqual(["journal.mdb", "journal.mdb-lock"]);
    await environment.close();
  });

  it("is given up when the file is closed, which does not wait for the rest of it", async () => {
    const { path, environment } = await opened();
    await fill(environment, 8);
    const before = contentsOf(environment.tables);
    const { ino } = statSync(path);
    const compacting = environment.compact(AT_ANY_TIME);
    await environment.commit((writes) => writes.put("state", ["last"], Buffer.from("1")));
    await Promise.all([expect(compacting).rejects.toMatchObject({ code: "shutting_down" }), environment.close()]);
    await expect(environment.compact(AT_ANY_TIME)).rejects.toMatchObject({ code: "shutting_down" });
    expect(statSync(path).ino).toBe(ino);
    expect((await contentsAfterwards(path)).size).toBe(before.size + 1);
    expect(existsSync(`${path}.compacting`)).toBe(false);
  });
});

describe("a kill", () => {
  it("in the middle of the copy leaves a copy that the next daemon removes", async () => {
    const directory = temporaryDirectory();
    const { journal, path } = await openRig({ directory });
    await journal.close();
    for (const ending of ["", "-lock"]) writeFileSync(`${path}.compacting${ending}`, "half of it");
    const again = await openRig({ directory });
    expect(again.log.lines).toEqual([]);
    expect(readdirSync(directory).filter((name) => name.includes("compacting"))).toEqual([]);
    await again.compact();
    await again.journal.close();
  });

  it("between the two steps of the last turn leaves the old file with the new lock, and it opens whole", async () => {
    const { path, environment } = await opened();
    await fill(environment, 2);
    await environment.close();
    const before = await contentsAfterwards(path);
    const copy = openEnvironment({ lmdb: await loadLmdb(), path: `${path}.compacting`, policy: "os" });
    for (let index = 0; index < 3; index += 1)
      await copy.commit((writes) => writes.put("state", ["copy", index], Buffer.from("1")));
    await copy.close();
    renameSync(`${path}.compacting-lock`, `${path}-lock`);
    const again = openCompactable({ lmdb: await loadLmdb(), path, policy: "os" });
    expect(contentsOf(again.tables)).toEqual(before);
    await again.commit((writes) => writes.put("state", ["after"], Buffer.from("1")));
    await again.compact(AT_ANY_TIME);
    await again.close();
    expect((await contentsAfterwards(path)).size).toBe(before.size + 1);
  });
});
