// R29: epochs that were given out are never given out again, whatever of them became durable.
import { cpSync, fsyncSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { notedEpoch, noteEpoch } from "../../../src/storage/lmdb/notes.js";
import { newEvent, openRig } from "../../support/rigs/journal-rig.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";

vi.mock(import("node:fs"), async (original) => {
  const real = await original();
  const watched = <Call>(call: Call): Call => vi.fn(call as never) as Call;
  return {
    ...real,
    writeSync: watched(real.writeSync),
    fsyncSync: watched(real.fsyncSync),
    renameSync: watched(real.renameSync),
  };
});

const BETWEEN_RUNS = 2 ** 32;

/** A copy of the folder, as a kill would leave it now. */
function killedNow(directory: string): string {
  const left = join(temporaryDirectory(), "left");
  cpSync(directory, left, { recursive: true });
  return left;
}

it("a run's first epoch is on the disk before it gives out any", async () => {
  const directory = temporaryDirectory();
  const { journal, path } = await openRig({ directory });
  expect(notedEpoch(path)).toBe(journal.head() + 1);
  const [first] = journal.append([newEvent("a")]).events;
  expect(first?.epoch).toBe(notedEpoch(path));
});

it("R29: a run that makes nothing durable and is killed uses its epochs up all the same, however many such there are", async () => {
  let directory = temporaryDirectory();
  const begun = await openRig({ directory });
  const durable = begun.journal.append([newEvent("a")]);
  await durable.durable;
  directory = killedNow(directory);
  let first = notedEpoch(begun.path);
  const given = durable.events.map(({ epoch }) => epoch);
  for (const name of ["b", "c", "d"]) {
    const { journal, path } = await openRig({ directory });
    const { events } = journal.append([newEvent(name), newEvent(`${name}2`)]);
    // In the turn in which they are given out.
    const left = killedNow(directory);
    expect(Math.min(...events.map(({ epoch }) => epoch))).toBe(notedEpoch(path));
    expect(notedEpoch(path)).toBe(first + BETWEEN_RUNS);
    first += BETWEEN_RUNS;
    given.push(...events.map(({ epoch }) => epoch));
    directory = left;
  }
  const last = await openRig({ directory });
  const { events, durable: safe } = last.journal.append([newEvent("e")]);
  await safe;
  given.push(...events.map(({ epoch }) => epoch));
  expect(given).toEqual([...new Set(given)].sort((a, b) => a - b));
  // Nothing of those runs is there.
  expect(await last.journal.read((given[0] ?? 0) - 1, 10)).toMatchObject({
    events: [{ event: { event_id: "evt_a" } }, { event: { event_id: "evt_e" } }],
  });
});

it("the disk has the note when it was made: the file before its name, and the folder that has the name", () => {
  const path = join(temporaryDirectory(), "journal.mdb");
  noteEpoch(path, 7);
  expect(notedEpoch(path)).toBe(7);
  for (const call of [writeSync, fsyncSync, renameSync]) vi.mocked(call).mockClear();
  noteEpoch(path, 8);
  const order = ([writeSync, fsyncSync, renameSync] as const).map((call) => vi.mocked(call).mock.invocationCallOrder);
  const [[written = 0] = [], [synced = 0, folderSynced = 0] = [], [renamed = 0] = []] = order;
  const made = [written, synced, renamed, folderSynced];
  expect(made).toEqual([...made].sort((a, b) => a - b));
  expect(order.map(({ length }) => length)).toEqual([1, 2, 1]);
});
