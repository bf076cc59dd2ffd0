// A reader beside a writer, in one turn of the event loop.
import { expect, it } from "vitest";
import { openJournalReader } from "../../src/storage/journal-reader.js";
import { newEvent, openRig } from "../support/rigs/journal-rig.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

it("each call sees what was written by then, also in the turn in which another one looked", async () => {
  const directory = temporaryDirectory();
  const { journal } = await openRig({ directory });
  await journal.append([newEvent("a")]).durable;
  const reader = await openJournalReader(directory);
  const heads: number[] = [];
  const seen: number[] = [];
  for (const id of Array.from({ length: 40 }, (_, index) => `b${index}`)) {
    const { durable, events } = journal.append([newEvent(id)]);
    await durable?.then(() => {
      seen.push([...reader.entries()].at(-1)?.epoch ?? 0);
      heads.push(events[0]?.epoch ?? 0);
    });
    expect([...reader.entries()]).toHaveLength(seen.length + 1);
  }
  expect(seen).toEqual(heads);
  await reader.close();
});
