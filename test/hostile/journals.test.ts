// Journals where an operator puts, moves and empties them as nobody should. Nothing hangs, nothing is acknowledged that the next run would not find.

import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { compactJournal } from "../../src/daemon/journal/copy-journal.js";
import { claimJournalFolder, journalOwner } from "../../src/daemon/journal/journal-folder.js";
import { createClock } from "../../src/daemon/platform/clock.js";
import { openJournalReader } from "../../src/storage/journal-reader.js";
import { openDataFile } from "../../src/storage/lmdb/open-data-file.js";
import { createLmdbBlockStore } from "../../src/storage/lmdb-block-store.js";
import { runCommandLine } from "../cli/command-stage.js";
import { ensureBuilt } from "../support/built.js";
import { collectLog } from "../support/collected-log.js";
import { itInFull } from "../support/extent.js";
import { cleanEnvironment, PROGRAM } from "../support/peers/program.js";
import { newEvent, openOver, openRig } from "../support/rigs/journal-rig.js";
import { createVirtualClock } from "../support/rigs/virtual-clock.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const isLinux = process.platform === "linux";

describe("a folder that cannot be", () => {
  function serve(...options: readonly string[]) {
    return runCommandLine(["serve", "--socket", join(temporaryDirectory(), "a.sock"), "--audit", "off", ...options]);
  }

  it.runIf(isLinux)("is refused where the system has folders that take none", async () => {
    for (const option of ["--journal", "--socket"]) {
      const { code, stderr } = await serve(option, option === "--socket" ? "/proc/none/a.sock" : "/proc/none");
      expect([code, stderr]).toEqual([73, expect.stringContaining("The folder /proc/none cannot be made.")]);
    }
  });

  it("is refused below a file", async () => {
    const file = join(temporaryDirectory(), "file");
    writeFileSync(file, "mine");
    const { code, stderr } = await serve("--journal", join(file, "sub", "journal"));
    expect(code).toBe(73);
    expect(stderr).toMatch(/cannot be made. Choose another one for the journal/);
  });

  it("is refused with what it is for where others can reach it", async () => {
    const open = join(temporaryDirectory(), "open");
    mkdirSync(open, { mode: 0o755 });
    const { code, stderr } = await serve("--journal", open);
    expect(code).toBe(73);
    expect(stderr).toContain("so that others can reach the journal. Run: chmod 700 ");
  });
});

itInFull("a page that holds something else is told in a sentence, whichever part of a journal it is of", async () => {
  ensureBuilt();
  const directory = temporaryDirectory();
  const { journal, path } = await openRig({ directory });
  for (let group = 0; group < 4; group += 1) {
    await journal.append([newEvent(String(group), { text: "x".repeat(1000) })]).durable;
  }
  await journal.close();
  const whole = readFileSync(path);
  const told: string[] = [];
  for (let page = 2; page * 4096 < whole.length; page += 1) {
    const damaged = Buffer.from(whole).fill(0, page * 4096, (page + 1) * 4096);
    writeFileSync(path, damaged);
    const argv = [PROGRAM, "journal", "inspect", "--journal", directory];
    const { stderr } = spawnSync(process.execPath, argv, { env: cleanEnvironment(directory), encoding: "utf8" });
    told.push(...stderr.split("\n").filter((line) => line.startsWith("Error:")));
  }
  expect(told).not.toEqual([]);
  for (const line of told) expect(line).toMatch(/ is damaged: .* \(storage_unavailable\)$/);
});

describe("what is no file", () => {
  const put: Readonly<Record<string, (path: string, target: string) => void>> = {
    "a pipe": (path) => void spawnSync("mkfifo", [path]),
    "a folder": (path) => mkdirSync(path),
    "a symbolic link": (path, target) => symlinkSync(target, path),
  };
  const names = [
    ".owner.pid",
    ...["", "-lock", "-epoch", "-epoch-new", "-unsynced", ".compacting"].map((end) => `journal.mdb${end}`),
  ];

  describe.each(Object.keys(put))("%s in the journal's folder", (kind) => {
    it("is refused by whoever writes or reads, under each name, and nothing is touched", async () => {
      for (const name of names) {
        const directory = temporaryDirectory();
        const target = join(temporaryDirectory(), "mine");
        writeFileSync(target, "mine");
        const path = join(directory, name);
        if (name !== "journal.mdb") writeFileSync(join(directory, "journal.mdb"), "");
        put[kind]?.(path, target);
        const refused = { code: "address_invalid", sentence: expect.stringContaining(`${path} is ${kind}, where `) };
        await expect(claimJournalFolder({ kind: "directory", path: directory }, {}, ""), name).rejects.toMatchObject(
          refused,
        );
        await expect(compactJournal(directory), name).rejects.toMatchObject(refused);
        await expect(openJournalReader(directory), name).rejects.toMatchObject(refused);
        await expect(openRig({ directory }), name).rejects.toMatchObject(refused);
        expect(journalOwner(directory)).toBeUndefined();
        expect(readFileSync(target, "utf8")).toBe("mine");
      }
    });
  });
});

describe("a data file", () => {
  it("that is no file is told", async () => {
    const directory = temporaryDirectory();
    mkdirSync(join(directory, "journal.mdb"));
    await expect(openRig({ directory })).rejects.toMatchObject({
      code: "address_invalid",
      sentence: `${join(directory, "journal.mdb")} is a folder, where the journal has a file. Remove it, or name another folder (--journal).`,
    });
  });

  it("that is empty has nothing to be read", async () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, "journal.mdb"), "");
    await expect(openJournalReader(directory)).rejects.toMatchObject({ code: "storage_unavailable" });
  });

  /** A journal whose next look at its file is due when `later` is called. */
  async function journalLookedAt(directory: string) {
    const real = createClock();
    let aheadMs = 0;
    const clock = {
      ...real,
      now: () => real.now() + aheadMs,
      wakeAt: (at: number, wake: () => void) => real.wakeAt(at - aheadMs, wake),
    };
    const rig = await openRig({ directory, clock });
    return {
      ...rig,
      later: () => {
        aheadMs += 1000;
      },
    };
  }

  it("R29: that is taken away takes no acknowledgement with it, and all is written when it is back", async () => {
    const directory = temporaryDirectory();
    const { journal, path, later } = await journalLookedAt(directory);
    await journal.append([newEvent("a")]).durable;
    renameSync(path, `${path}-away`);
    later();
    expect(journal.refusal()?.sentence).toContain("Its file was deleted");
    expect(() => journal.durable()).toThrow("Its file was deleted");
    expect(journal.status().failure?.remedy).toContain("Put it back");

    renameSync(`${path}-away`, path);
    await vi.waitFor(() => expect(journal.status().failure).toBeUndefined(), 60_000);
    await journal.append([newEvent("d")]).durable;
    await journal.close();
    const { journal: next } = await openRig({ directory });
    expect(["a", "b", "c", "d"].filter((id) => next.find(`evt_${id}`) !== undefined)).toEqual(["a", "d"]);
  });

  it("R29: that is taken away while it is written takes no acknowledgement with it, and has each event once when it is back", async () => {
    const directory = temporaryDirectory();
    const path = join(directory, "journal.mdb");
    const log = collectLog();
    const clock = createVirtualClock();
    const file = await openDataFile({ directory, path, policy: "os", wallTime: clock.wallTime, log });
    let isTaken = false;
    const taken: typeof file = {
      ...file,
      commit: async (work) => {
        await file.commit(work);
        if (!isTaken) return;
        isTaken = false;
        renameSync(path, `${path}-away`);
      },
    };
    const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));
    const store = createLmdbBlockStore(taken, path);
    const { journal } = await openOver(store, { clock, closeStore: file.close });
    isTaken = true;
    const first = journal.append([newEvent("a")]).durable;
    clock.advance(0);
    await Promise.resolve();
    journal.append([newEvent("b")]);
    await expect(first).rejects.toMatchObject({ sentence: expect.stringContaining("Its file was deleted") });
    renameSync(`${path}-away`, path);
    while (journal.status().failure !== undefined) {
      clock.advance(1000);
      await turn();
    }
    await journal.durable();
    await journal.close();
    const reader = await openJournalReader(directory);
    expect(Array.from(reader.entries(), ({ event }) => event.event_id)).toEqual(["evt_a", "evt_b"]);
    await reader.close();
    const { journal: next } = await openRig({ directory });
    expect(["a", "b"].map((id) => next.find(`evt_${id}`)?.event.event_id)).toEqual(["evt_a", "evt_b"]);
  });

  it("R27: that was cut short to what it had when it was opened takes nothing, and nothing is read of it", () => {
    ensureBuilt();
    const script = join(import.meta.dirname, "../fixtures/cut-journal.mjs");
    const { stdout, status, signal } = spawnSync(process.execPath, [script, temporaryDirectory()], {
      encoding: "utf8",
    });
    expect([status, signal]).toEqual([0, null]);
    const refused = { code: "storage_unavailable", sentence: expect.stringContaining("replaced or cut short") };
    expect(JSON.parse(stdout)).toMatchObject({
      grown: true,
      read: { kind: "gap" },
      isOldestInMemory: true,
      found: [null, null, "evt_2001"],
      refused,
      refusedAgain: refused,
      failure: { remedy: expect.stringContaining("Put it back") },
    });
  });

  it("R29: that was replaced is told before anything is published", async () => {
    const directory = temporaryDirectory();
    const { journal, path } = await journalLookedAt(directory);
    await journal.append([newEvent("a")]).durable;
    renameSync(path, `${path}-away`);
    writeFileSync(path, "another");
    expect(journal.status().failure?.reason).toBe("Its file was deleted, replaced or cut short.");
    renameSync(`${path}-away`, path);
    expect(journal.status().failure).toBeUndefined();
  });
});
