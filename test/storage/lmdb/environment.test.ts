import { spawnSync } from "node:child_process";
import { chmodSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { loadLmdb, openEnvironment } from "../../../src/storage/lmdb/environment.js";
import { ensureBuilt } from "../../support/built.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";

beforeAll(ensureBuilt);

const accidents: unknown[] = [];
const note = (caught: unknown): void => void accidents.push(caught);
process.on("unhandledRejection", note);
afterAll(() => void process.off("unhandledRejection", note));

it("what cannot be read throws where it is read, and is nobody else's accident", async () => {
  const lmdb = await loadLmdb();
  let isBroken = false;
  const open = ((options: never) => {
    if (isBroken) throw new Error("cannot be opened");
    return lmdb.open(options);
  }) as typeof lmdb.open;
  const path = join(temporaryDirectory(), "journal.mdb");
  const { tables, commit, revive, close } = openEnvironment({ lmdb: { open }, path, policy: "os" });
  await commit((writes) => writes.put("blocks", [1, 1], Buffer.from("one")));
  // As after a failed attempt to open the file anew.
  await close();
  isBroken = true;
  await expect(revive()).rejects.toThrow("cannot be opened");
  expect(() => tables.blocks.keys({ from: [0] })).toThrow();
  expect(() => tables.blocks.get([1, 1])).toThrow();
  expect(() => [...tables.blocks.entries({})]).toThrow();
  await new Promise((resolve) => setImmediate(resolve));
  expect(accidents).toEqual([]);

  isBroken = false;
  await revive();
  expect(tables.blocks.keys({})).toEqual([[1, 1]]);
  await close();
});

it.skipIf(process.platform !== "linux")("a file that grows is mapped once, so that its pages count once", async () => {
  const path = join(temporaryDirectory(), "journal.mdb");
  const { commit, tables, close } = openEnvironment({ lmdb: await loadLmdb(), path, policy: "os" });
  for (let index = 0; index < 40; index += 1) {
    await commit((writes) => writes.put("blocks", [index, 1], Buffer.alloc(512 * 1024, index)));
    expect(tables.blocks.get([index, 1])?.[0]).toBe(index);
  }
  expect(statSync(path).size).toBeGreaterThan(20 * 1024 * 1024);
  const maps = readFileSync("/proc/self/maps", "utf8").split("\n");
  expect(maps.filter((line) => line.endsWith(path))).toHaveLength(1);
  await close();
});

it("a reader that is killed while it reads does not make the file grow", async () => {
  const path = join(temporaryDirectory(), "journal.mdb");
  const { commit, close } = openEnvironment({ lmdb: await loadLmdb(), path, policy: "os" });
  const record = Buffer.alloc(20_000, 7);
  let next = 0;
  /** As retention does it: what comes takes the place of what goes. */
  const churn = async (count: number): Promise<number> => {
    for (let index = 0; index < count; index += 1) {
      await commit((writes) => {
        writes.put("blocks", [next, 1], record);
        if (next >= 20) writes.remove("blocks", [next - 20, 1]);
        next += 1;
      });
    }
    return statSync(path).size;
  };
  const before = await churn(600);
  const module = pathToFileURL(join(import.meta.dirname, "../../../dist/src/storage/lmdb/environment.js")).href;
  const script = `import(${JSON.stringify(module)}).then(async ({ openEnvironment, loadLmdb }) => {
    const { tables } = openEnvironment({ lmdb: await loadLmdb(), path: process.argv[1], policy: "os" }, true);
    for (const _ of tables.blocks.entries({})) process.kill(process.pid, "SIGKILL");
  })`;
  expect(spawnSync(process.execPath, ["-e", script, path]).signal).toBe("SIGKILL");
  // 40 MB are written.
  const after = await churn(2000);
  expect(after).toBeLessThan(before + 15_000_000);
  await close();
});

it.each([
  ["durable", false, false],
  ["os", false, true],
  ["durable", true, false],
  ["os", true, false],
] as const)(
  "R29: under policy %s, read only %s, a commit need not wait for the disk: %s",
  async (policy, isReadOnly, isUnsynced) => {
    const lmdb = await loadLmdb();
    const path = join(temporaryDirectory(), "journal.mdb");
    await openEnvironment({ lmdb, path, policy: "os" }).close();
    const modes = () => [path, `${path}-lock`].map((file) => statSync(file).mode & 0o777);
    expect(modes()).toEqual([0o600, 0o600]);
    for (const file of [path, `${path}-lock`]) chmodSync(file, 0o644);
    const asked: unknown[] = [];
    const open = ((options: never) => {
      asked.push(options);
      return lmdb.open(options);
    }) as typeof lmdb.open;
    await openEnvironment({ lmdb: { open }, path, policy }, isReadOnly).close();
    expect(asked).toMatchObject([{ path, readOnly: isReadOnly, noSync: isUnsynced, overlappingSync: false }]);
    expect(modes()).toEqual(isReadOnly ? [0o644, 0o644] : [0o600, 0o600]);
  },
);
