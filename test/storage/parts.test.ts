import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { StateKey } from "../../src/contracts/journal.js";
import { createIdIndex } from "../../src/storage/ids/id-index.js";
import { notedEpoch, noteEpoch } from "../../src/storage/lmdb/epoch-note.js";
import { createBootMark } from "../../src/storage/lmdb/system-boot-mark.js";
import type { Table, TableKey } from "../../src/storage/lmdb/tables.js";
import { recordKeyOf } from "../../src/storage/state/state-keys.js";
import { anyCharacter } from "../support/any-character.js";
import { casesOf } from "../support/extent.js";
import { newEvent, openRig } from "../support/rigs/journal-rig.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

/** A table in memory. */
function memoryTable() {
  const entries = new Map<string, { key: TableKey; value: Buffer }>();
  let reads = 0;
  const table: Table = {
    get: (key) => {
      reads += 1;
      return entries.get(JSON.stringify(key))?.value;
    },
    keys: () => [...entries.values()].map(({ key }) => key),
    entries: ({ prefix }) => [...entries.values()].filter(({ key }) => prefix === undefined || key[0] === prefix[0]),
  };
  const writes = {
    put: (_: string, key: TableKey, value: Buffer) => void entries.set(JSON.stringify(key), { key, value }),
    remove: (_: string, key: TableKey) => void entries.delete(JSON.stringify(key)),
  };
  return { table, writes, count: () => entries.size, reads: () => reads };
}

describe("ids of older events", () => {
  it("are found in every run, the newest first; what is not there costs next to no reading, and memory 2 to 3 bytes each", () => {
    const { table, writes, reads, count } = memoryTable();
    const index = createIdIndex(table);
    const total = 200_000;
    for (let epoch = 1; epoch <= total; epoch += 1) {
      index.add(`evt_${epoch % 150_000}`, epoch);
      if (epoch % 256 === 0) index.write(writes)();
    }
    const found = (id: string, from: ReturnType<typeof createIdIndex>) =>
      from.find(id, (epoch) => (`evt_${epoch % 150_000}` === id ? epoch : undefined));
    expect(found("evt_7", index)).toBe(150_007);
    expect(found("evt_100000", index)).toBe(100_000);
    expect(index.heldBytes()).toBeLessThan(2.5 * total + 1024 * 1024);
    const before = reads();
    for (let miss = 0; miss < 100_000; miss += 1) expect(found(`evt_x${miss}`, index)).toBeUndefined();
    // Twelve filters, each wrong once in some hundred times at most.
    expect(reads() - before).toBeLessThan(5000);

    const again = createIdIndex(table);
    expect(again.knownThrough()).toBeGreaterThan(total - 17_000);
    expect(found("evt_100000", again)).toBe(100_000);
    again.removeBefore(total + 1, writes)();
    expect(count()).toBe(0);
    expect(found("evt_100000", again)).toBeUndefined();
  });
});

describe("a damaged run of ids", () => {
  const COUNT = 20_000;

  function filled() {
    const stage = memoryTable();
    const index = createIdIndex(stage.table);
    for (let epoch = 1; epoch <= COUNT; epoch += 1) {
      index.add(`evt_${epoch}`, epoch);
      if (epoch % 256 === 0) index.write(stage.writes)();
    }
    return stage;
  }
  const find = (table: Table, wanted: number) =>
    createIdIndex(table).find(`evt_${wanted}`, (epoch) => (epoch === wanted ? epoch : undefined));

  it("is known from its first id to its last", () => {
    const { table } = filled();
    const last = createIdIndex(table).knownThrough();
    expect(last).toBeGreaterThanOrEqual(16_384);
    for (const wanted of [1, 2, last - 1, last]) expect(find(table, wanted)).toBe(wanted);
    expect(find(table, last + 1)).toBeUndefined();
  });

  it.each([
    ["cut short", (value: Buffer) => value.subarray(0, 10)],
    ["empty", () => Buffer.alloc(0)],
    [
      "with another bit",
      (value: Buffer) => Buffer.concat([value.subarray(0, -1), Buffer.from([value.readUInt8(value.length - 1) ^ 1])]),
    ],
  ] as const)("whose filter is %s rules out nothing, and its ids are added again", (_, damage) => {
    const { table, writes } = filled();
    for (const { key, value } of table.entries({ prefix: ["filter"] })) writes.put("ids", key, damage(value));
    const index = createIdIndex(table);
    expect(index.knownThrough()).toBe(1);
    expect(find(table, 2)).toBe(2);
  });
});

describe("keys of state", () => {
  it("are equal for equal keys alone, and LMDB takes them all", async () => {
    const { journal } = await openRig({ directory: temporaryDirectory() });
    const part = fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 20 }),
      fc.string({ minLength: 100, maxLength: 5000 }),
      fc.constantFrom("#sha256:", "a\0b", "\ud800", "\ud801", ""),
      fc.double({ noNaN: true }),
      fc.integer(),
    );
    const key = fc.tuple(fc.constant("kind"), part, part) as unknown as fc.Arbitrary<StateKey>;
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(key, { maxLength: 20, selector: (one) => JSON.stringify(one) }), async (keys) => {
        journal.durableState.removeAll(["kind"]);
        keys.forEach((one, index) => {
          journal.durableState.put(one, () => index);
        });
        await journal.append([]).durable;
        const values = [...journal.durableState.recovered(["kind"])].map(([, value]) => value as number);
        expect(values.sort((a, b) => a - b)).toEqual(keys.map((_, index) => index));
      }),
      { numRuns: casesOf(30) },
    );
    expect(recordKeyOf(["a", 1])).toEqual(["a", 1]);
  });
});

it("R29: after a lost journal epochs go on above those of the last run, however often it was started", async () => {
  const directory = temporaryDirectory();
  let head = 0;
  for (let start = 0; start < 3; start += 1) {
    const { journal } = await openRig({ directory });
    await journal.append([newEvent(`${start}`)]).durable;
    head = journal.head();
    await journal.close();
  }
  const path = join(directory, "journal.mdb");
  expect(notedEpoch(path)).toBeLessThanOrEqual(head);
  writeFileSync(path, "nothing of the kind");
  const { journal } = await openRig({ directory });
  expect(journal.head()).toBeGreaterThan(head);
  noteEpoch(path, 5);
  expect(notedEpoch(path)).toBe(5);
  writeFileSync(`${path}-epoch`, "x");
  expect(notedEpoch(path)).toBe(0);
});

describe("policies that leave the disk to the system", () => {
  it("R29: what a killed process left is there, and what a power cut left is set aside", async () => {
    const directory = temporaryDirectory();
    const path = join(directory, "journal.mdb");
    const { journal } = await openRig({ directory, policy: "os" });
    await journal.append([newEvent("a")]).durable;
    expect(createBootMark(path, "another start").isOfAnotherBoot()).toBe(true);
    await journal.close();
    expect(createBootMark(path, "another start").isThere(), "closed in order").toBe(false);

    const killed = await openRig({ directory, policy: "none" });
    expect(killed.journal.append([newEvent("b")]).durable, "at once").toBeUndefined();
    await killed.journal.close();
    createBootMark(path, "another start").make();
    const after = await openRig({ directory, policy: "os" });
    expect(after.journal.find("evt_b")).toBeUndefined();
    expect(after.log.lines).toMatchObject([
      { level: "error", fields: { reason: "the system stopped before the disk had all of it" } },
    ]);
    await after.journal.append([newEvent("c")]).durable;
    await after.journal.close();
    const last = await openRig({ directory });
    expect(last.journal.find("evt_c")).toBeDefined();
    expect(last.log.lines).toEqual([]);
  });
});

it.each([
  ["a start with an id", "5f0c-11", "5f0c-11", false],
  ["another id", "5f0c-11", "5f0c-12", true],
  ["the same second", "1700000000", "1700000000", false],
  ["a clock that was set by two minutes", "1700000000", "1700000120", false],
  ["a later start", "1700000000", "1700000121", true],
])("the mark beside a data file tells %s from another", (_, made, now, isAnother) => {
  const path = join(temporaryDirectory(), "journal.mdb");
  expect(createBootMark(path, now).isOfAnotherBoot()).toBe(false);
  createBootMark(path, made).make();
  const mark = createBootMark(path, now);
  expect([mark.isThere(), mark.isOfAnotherBoot()]).toEqual([true, isAnother]);
  mark.remove();
  expect([mark.isThere(), mark.isOfAnotherBoot()]).toEqual([false, false]);
});
