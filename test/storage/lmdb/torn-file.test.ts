// a file that was cut off, or in which something flipped, never ends the daemon: whatever cannot be used is set aside, and all else is there.
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Journal } from "../../../src/contracts/journal.js";
import { openJournalReader } from "../../../src/storage/journal-reader.js";
import { DATA_FILE, inspectDataFile } from "../../../src/storage/lmdb/data-file.js";
import { isWhole, itInFull } from "../../support/extent.js";
import { newEvent, openRig } from "../../support/rigs/journal-rig.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";

/** A journal of a few groups, some with pages of their own, and what was put into it. */
async function recorded(): Promise<{ readonly file: string; readonly ids: readonly string[]; readonly head: number }> {
  const directory = temporaryDirectory();
  const { journal } = await openRig({ directory });
  const ids: string[] = [];
  for (let group = 0; group < 6; group += 1) {
    const events = Array.from({ length: group % 2 === 0 ? 2 : 12 }, (_, index) =>
      newEvent(`${group}.${index}`, { text: "x".repeat(400) }, { ordinal: ids.length + index + 1 }),
    );
    ids.push(...events.map(({ event }) => event.event_id));
    journal.durableState.put(["session", group], () => ({ group }));
    await journal.append(events).durable;
  }
  const head = journal.head();
  await journal.close();
  return { file: join(directory, DATA_FILE), ids, head };
}

function everything(journal: Journal): readonly string[] {
  const found: string[] = [];
  let after = journal.oldest() - 1;
  for (;;) {
    const read = journal.read(after, 100);
    if (read instanceof Promise) throw new Error("reads of a journal on disk answer at once");
    if (read.kind === "gap") {
      after = read.oldest - 1;
      continue;
    }
    const last = read.events.at(-1);
    if (last === undefined) return found;
    found.push(...read.events.map(({ event }) => event.event_id));
    after = last.epoch;
  }
}

describe("a file that was cut off", () => {
  it("is set aside, or was long enough: at every 2,048th byte and around each page in a whole run, twice", async () => {
    const { file, ids, head } = await recorded();
    const { size } = statSync(file);
    const cuts = new Set<number>();
    for (let at = 0; at < size; at += isWhole ? 2048 : 8192) cuts.add(at);
    for (let page = 4096; page <= size; page += isWhole ? 4096 : 16_384) for (const by of [-1, 1]) cuts.add(page + by);
    for (const cut of cuts) {
      if (cut > size) continue;
      const directory = temporaryDirectory();
      const path = join(directory, DATA_FILE);
      copyFileSync(file, path);
      truncateSync(path, cut);
      const first = await openRig({ directory, wasLeft: cut % 1024 === 0 });
      const setAside = readdirSync(directory).filter((name) => name.includes("damaged-") && !name.endsWith("-lock"));
      if (setAside.length === 0) {
        // Nothing but pages at the end that were never written may be missing; an empty file is a new one.
        expect(everything(first.journal), `cut at ${cut}`).toEqual(cut === 0 ? [] : ids);
      } else {
        expect(statSync(join(directory, setAside[0] ?? "")).size).toBe(cut);
        expect(first.log.lines.filter(({ level }) => level === "error")).toHaveLength(1);
        expect(everything(first.journal)).toEqual([]);
      }
      const { events, durable } = first.journal.append([newEvent("new")]);
      await durable;
      expect(events[0]?.epoch, "R29: epochs are never used again").toBeGreaterThan(head);
      await first.journal.close();

      // The second time.
      const before = readFileSync(path);
      writeFileSync(path, before.subarray(0, Math.min(before.length - 1, Math.max(1, cut))));
      const second = await openRig({ directory });
      await second.journal.append([newEvent("again")]).durable;
      expect(second.journal.find("evt_again")).toBeDefined();
      await second.journal.close();
    }
  });
});

describe("a page that was emptied after an orderly end", () => {
  it("costs no start: the file is set aside where a start needs the page; a reader says that it is damaged", async () => {
    const { file } = await recorded();
    const whole = readFileSync(file);
    let setAside = 0;
    for (let page = 2; (page + 1) * 4096 <= whole.length; page += 1) {
      const directory = temporaryDirectory();
      const path = join(directory, DATA_FILE);
      writeFileSync(path, Buffer.from(whole).fill(0, page * 4096, (page + 1) * 4096), { mode: 0o600 });
      if (inspectDataFile(path, true).kind !== "damaged") continue;
      const damaged = { code: "storage_unavailable", sentence: expect.stringContaining("is damaged: page") };
      await expect(openJournalReader(directory, undefined, false)).rejects.toMatchObject(damaged);
      const { journal } = await openRig({ directory, wasLeft: false });
      if (readdirSync(directory).some((name) => name.includes("damaged-"))) {
        setAside += 1;
        await journal.append([newEvent("new")]).durable;
        expect(journal.find("evt_new")).toBeDefined();
      }
      await journal.close();
    }
    expect(setAside).toBeGreaterThan(0);
  });
});

describe("bytes that flipped", () => {
  itInFull("cost at most what they were in, and are told", async () => {
    const { file, ids } = await recorded();
    const whole = readFileSync(file);
    const outcomes = { whole: 0, partly: 0, setAside: 0 };
    for (let at = 5; at < whole.length; at += 419) {
      const directory = temporaryDirectory();
      mkdirSync(directory, { recursive: true });
      const bytes = Buffer.from(whole);
      bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << (at % 8)), at);
      const path = join(directory, DATA_FILE);
      writeFileSync(path, bytes, { mode: 0o600 });
      const { journal, log } = await openRig({ directory, wasLeft: true });
      const found = everything(journal);
      const state = [...journal.durableState.recovered(["session"])];
      const isSetAside = readdirSync(directory).some((name) => name.includes("damaged-"));
      const errors = log.lines.filter(({ level }) => level === "error").length;
      expect(ids).toEqual(expect.arrayContaining([...found]));
      if (isSetAside) outcomes.setAside += 1;
      else if (found.length < ids.length || state.length < 6) outcomes.partly += 1;
      else outcomes.whole += 1;
      // Whatever is missing was told of.
      if (found.length < ids.length || isSetAside) expect(errors, `flipped at ${at}`).toBeGreaterThan(0);
      await journal.append([newEvent("new")]).durable;
      await journal.close();
    }
    expect(outcomes.whole).toBeGreaterThan(0);
    expect(outcomes.partly).toBeGreaterThan(0);
    expect(outcomes.setAside).toBeGreaterThan(0);
  });

  it("the journal that is not damaged is said to be sound", async () => {
    const { file } = await recorded();
    expect(inspectDataFile(file, true)).toEqual({ kind: "sound" });
    expect(existsSync(file)).toBe(true);
  });
});
