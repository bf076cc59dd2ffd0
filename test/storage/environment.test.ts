import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { loadLmdb, openEnvironment } from "../../src/storage/environment.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

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
