// One process writes to a journal: a folder that was named is refused, and auto takes the next name.
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { compactJournal } from "../../../src/daemon/journal/copy-journal.js";
import {
  claimJournalFolder,
  defaultJournalDirectory,
  journalOwner,
} from "../../../src/daemon/journal/journal-folder.js";
import { openJournalReader } from "../../../src/storage/journal-reader.js";
import { newEvent, openRig } from "../../support/rigs/journal-rig.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";

it("auto takes -2 where a live process has the name, and the name again when that is given back", async () => {
  const environment = { XDG_STATE_HOME: temporaryDirectory() };
  const claim = () => claimJournalFolder({ kind: "auto" }, environment, "planner");
  const first = await claim();
  const second = await claim();
  expect(first.directory).toBe(defaultJournalDirectory(environment, "planner"));
  expect(second.directory).toBe(`${first.directory}-2`);
  expect(statSync(first.directory).mode & 0o777).toBe(0o700);
  first.release();
  expect((await claim()).directory).toBe(first.directory);
});

it("a folder that was named is refused with the process that has it, and taken from one that has ended", async () => {
  const path = join(temporaryDirectory(), "journal");
  const folder = await claimJournalFolder({ kind: "directory", path }, {}, "planner");
  expect(folder).toMatchObject({ directory: path, wasLeft: false });
  expect(journalOwner(path)).toBe(process.pid);
  await expect(claimJournalFolder({ kind: "directory", path }, {}, "planner")).rejects.toMatchObject({
    code: "address_in_use",
    sentence: `The journal in ${path} is in use by process ${process.pid}. Stop that one, or name another folder (--journal).`,
  });
  // Another process of the same number, as in the next container, and one that is no more.
  for (const owner of [`${process.pid}\nanother-start 1\n`, "4194303\n\n"]) {
    writeFileSync(join(path, ".owner.pid"), owner);
    expect(await claimJournalFolder({ kind: "directory", path }, {}, "planner")).toMatchObject({ wasLeft: true });
  }
});

it("a folder where the owner's file belongs is named, by whoever writes; whoever only reads finds no owner", async () => {
  const path = temporaryDirectory();
  const owner = join(path, ".owner.pid");
  mkdirSync(owner);
  await expect(claimJournalFolder({ kind: "directory", path }, {}, "planner")).rejects.toMatchObject({
    code: "address_invalid",
    sentence: `${owner} is a folder, where the journal has a file. Remove it, or name another folder (--journal).`,
  });
  expect(journalOwner(path)).toBeUndefined();
  expect(statSync(owner).isDirectory()).toBe(true);
});

it("a folder that others can reach is refused", async () => {
  const path = join(temporaryDirectory(), "journal");
  mkdirSync(path);
  chmodSync(path, 0o755);
  await expect(claimJournalFolder({ kind: "directory", path }, {}, "planner")).rejects.toMatchObject({
    code: "permission_denied",
  });
});

it("its files are this user's alone", async () => {
  const directory = temporaryDirectory();
  const { journal } = await openRig({ directory, policy: "os" });
  await journal.append([newEvent("a")]).durable;
  for (const name of readdirSync(directory)) expect(statSync(join(directory, name)).mode & 0o077, name).toBe(0);
});

it("compacting leaves every event and no free pages, and is refused while somebody has it", async () => {
  const directory = temporaryDirectory();
  const { journal } = await openRig({ directory, retention: { ageMs: 3_600_000, bytes: 1024 * 1024 } });
  for (let group = 0; group < 60; group += 1) {
    await journal.append(
      Array.from({ length: 20 }, (_, index) => newEvent(`${group}.${index}`, { text: "x".repeat(3000) })),
    ).durable;
  }
  await journal.close();
  const reader = await openJournalReader(directory);
  const count = reader.totals()?.eventCount;
  await reader.close();
  const folder = await claimJournalFolder({ kind: "directory", path: directory }, {}, "");
  await expect(compactJournal(directory)).rejects.toMatchObject({ code: "address_in_use" });
  folder.release();
  const { bytesBefore, bytesAfter } = await compactJournal(directory);
  expect(bytesAfter).toBeLessThan(bytesBefore);
  expect(journalOwner(directory)).toBeUndefined();
  const again = await openRig({ directory });
  expect(again.log.lines).toEqual([]);
  expect(again.journal.status().eventCount).toBe(count);
  expect(again.journal.find("evt_59.19")).toBeDefined();
  await again.journal.close();

  const damaged = readFileSync(join(directory, "journal.mdb"));
  writeFileSync(join(directory, "journal.mdb"), damaged.subarray(0, 9000));
  await expect(compactJournal(directory)).rejects.toMatchObject({ code: "storage_unavailable" });
  expect(statSync(join(directory, "journal.mdb")).size).toBe(9000);
  await expect(compactJournal(join(directory, "nothing"))).rejects.toMatchObject({ code: "not_found" });
  expect(existsSync(join(directory, "journal.mdb.compacting"))).toBe(false);
});
