import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { StateKey } from "../../src/contracts/journal.js";
import { notedEpoch, noteEpoch, SystemBootMark } from "../../src/storage/lmdb/notes.js";
import { recordKeyOf } from "../../src/storage/state/state-keys.js";
import { anyCharacter } from "../support/any-character.js";
import { casesOf } from "../support/extent.js";
import { newEvent, openRig } from "../support/rigs/journal-rig.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

describe("keys of state", () => {
  it("are equal for equal keys alone, and LMDB takes them all", async () => {
    const { journal } = await openRig({ directory: temporaryDirectory() });
    let before: readonly StateKey[] = [];
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
        for (const one of before) journal.durableState.put(one, () => undefined);
        before = keys;
        keys.forEach((one, index) => {
          journal.durableState.put(one, () => index);
        });
        await journal.durable();
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
    expect(new SystemBootMark(path, "another start").isOfAnotherBoot()).toBe(true);
    await journal.close();
    expect(new SystemBootMark(path, "another start").isThere(), "closed in order").toBe(false);

    const killed = await openRig({ directory, policy: "none" });
    expect(killed.journal.append([newEvent("b")]).durable, "at once").toBeUndefined();
    await killed.journal.close();
    new SystemBootMark(path, "another start").make();
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
  expect(new SystemBootMark(path, now).isOfAnotherBoot()).toBe(false);
  new SystemBootMark(path, made).make();
  const mark = new SystemBootMark(path, now);
  expect([mark.isThere(), mark.isOfAnotherBoot()]).toEqual([true, isAnother]);
  mark.remove();
  expect([mark.isThere(), mark.isOfAnotherBoot()]).toEqual([false, false]);
});
