// R29: a start writes a file again that is free for the greater part. Nothing is lost or changed, wherever the work ends.
import { existsSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { copyDataFile, isMostlyFree } from "../../../src/storage/lmdb/copy.js";
import { type Environment, type Lmdb, loadLmdb, openEnvironment } from "../../../src/storage/lmdb/environment.js";
import { TABLE_NAMES, type Tables } from "../../../src/storage/lmdb/tables.js";
import { newEvent, openRig } from "../../support/rigs/journal-rig.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";

const contentsOf = (tables: Tables) =>
  TABLE_NAMES.flatMap((table) => [...tables[table].entries({})].map((entry) => JSON.stringify([table, entry])));

/** A file of 6 MiB in which only so many of 96 records are left. */
async function withLeft(count: number): Promise<{ readonly path: string; readonly environment: Environment }> {
  const path = join(temporaryDirectory(), "journal.mdb");
  const environment = openEnvironment({ lmdb: await loadLmdb(), path, policy: "os" });
  const record = Buffer.alloc(64 * 1024, 7);
  for (let index = 0; index < 96; index += 1)
    await environment.commit((writes) => writes.put("blocks", [index, 1], record));
  await environment.commit((writes) => {
    for (let index = count; index < 96; index += 1) writes.remove("blocks", [index, 1]);
    for (let index = 0; index < 2000; index += 1) writes.put("state", ["session", `${index}`], Buffer.alloc(9, index));
  });
  return { path, environment };
}

it("is needed where more than half of a long file is free", async () => {
  for (const [left, expected] of [
    [20, true],
    [80, false],
  ] as const) {
    const { path, environment } = await withLeft(left);
    expect(isMostlyFree(path, environment)).toBe(expected);
    await environment.close();
  }
});

it("leaves all records of all tables, and no free pages", async () => {
  const { path, environment } = await withLeft(20);
  const before = contentsOf(environment.tables);
  const used = environment.usedBytes();
  await environment.close();
  const { bytesBefore, bytesAfter } = await copyDataFile(path, path);
  expect(bytesBefore).toBeGreaterThan(6 * 1024 * 1024);
  expect(bytesAfter).toBeLessThan(used * 1.2 + 65_536);
  const after = openEnvironment({ lmdb: await loadLmdb(), path, policy: "os" });
  expect(contentsOf(after.tables)).toEqual(before);
  await after.close();
});

it.each(["journal.mdb", "backup.mdb"])(
  "leaves the file as it is, and no copy, where %s cannot be written",
  async (name) => {
    const { path, environment } = await withLeft(20);
    await environment.close();
    const { ino } = statSync(path);
    const to = join(dirname(path), name);
    const lmdb = await loadLmdb();
    const open = ((options: { readonly readOnly: boolean }) => {
      if (!options.readOnly) throw new Error("EIO");
      return Object.assign(lmdb.open(options as never), { backup: () => Promise.reject(new Error("EIO")) });
    }) as unknown as Lmdb["open"];
    await expect(copyDataFile(path, to, { open })).rejects.toMatchObject({
      code: "storage_unavailable",
      sentence: expect.stringContaining("could not be copied, and lost nothing. (EIO)"),
    });
    expect([statSync(path).ino, existsSync(`${to}.compacting`)]).toEqual([ino, false]);
  },
);

it("is done by a start, which says so, and takes away the copy that a kill left", async () => {
  const directory = temporaryDirectory();
  const path = join(directory, "journal.mdb");
  const retention = { ageMs: 3_600_000, bytes: 512 * 1024 };
  const first = await openRig({ directory });
  for (let group = 0; group < 8; group += 1)
    await first.journal.append(
      Array.from({ length: 200 }, (_, index) => newEvent(`${group}.${index}`, { text: "x".repeat(4000) })),
    ).durable;
  first.journal.retain(retention);
  while (first.journal.status().bytes > retention.bytes)
    await first.journal.append([newEvent(`more${first.journal.head()}`)]).durable;
  const events = first.journal.read(first.journal.oldest() - 1, 1000);
  await first.journal.close();
  const { size } = statSync(path);
  writeFileSync(`${path}.compacting`, "left");
  const { journal, log } = await openRig({ directory, retention });
  expect(log.lines.map(({ message }) => message)).toEqual(["the journal was compacted"]);
  expect(statSync(path).size).toBeLessThan(size / 2);
  expect(existsSync(`${path}.compacting`)).toBe(false);
  const epochs = (read: typeof events) => ("events" in read ? read.events.map(({ epoch }) => epoch) : []);
  expect(epochs(journal.read(journal.oldest() - 1, 1000))).toEqual(epochs(events));
});
