// R17: a journal says which one it is, so that a cursor of another one is told from its own.
import { rmSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { compactJournal } from "../../../src/daemon/journal/copy-journal.js";
import { newEvent, openRig } from "../../support/rigs/journal-rig.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";

async function idOf(directory: string): Promise<string> {
  const { journal } = await openRig({ directory });
  await journal.append([newEvent("a")]).durable;
  await journal.close();
  return journal.id;
}

it("is drawn when a journal is begun, and is the same in each run", async () => {
  const directory = temporaryDirectory();
  const id = await idOf(directory);
  expect(id).toMatch(/^[0-9a-f]{32}$/);
  expect(await idOf(directory)).toBe(id);
  expect(await idOf(temporaryDirectory())).not.toBe(id);
});

it("is there in the next run though its own run made nothing else durable", async () => {
  const directory = temporaryDirectory();
  const first = await openRig({ directory });
  await first.journal.close();
  expect(await idOf(directory)).toBe(first.journal.id);
});

it("stays where the journal is made smaller", async () => {
  const directory = temporaryDirectory();
  const id = await idOf(directory);
  await compactJournal(directory);
  expect(await idOf(directory)).toBe(id);
});

it("is another where the journal was damaged and set aside, or is gone", async () => {
  const directory = temporaryDirectory();
  const { journal, path } = await openRig({ directory });
  await journal.close();
  writeFileSync(path, Buffer.alloc(64 * 1024, 0x5a));
  const after = await idOf(directory);
  expect(after).not.toBe(journal.id);
  rmSync(path);
  expect([journal.id, after]).not.toContain(await idOf(directory));
});
