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

it("goes on in the file that a compaction puts in the place of its own, and ends in the old one what it had begun there", async () => {
  const directory = temporaryDirectory();
  const { journal, compact } = await openRig({ directory });
  const publish = async (id: string): Promise<void> => void (await journal.append([newEvent(id)]).durable);
  await publish("a");
  await publish("b");
  const reader = await openJournalReader(directory);
  const begun = reader.entries()[Symbol.iterator]();
  expect(begun.next().value?.event.event_id).toBe("evt_a");
  for (const id of ["c", "d"]) {
    await compact();
    await publish(id);
    expect([...reader.entries()].at(-1)?.event.event_id).toBe(`evt_${id}`);
    expect(reader.totals()?.eventCount).toBe([...reader.entries()].length);
  }
  expect(begun.next().value?.event.event_id).toBe("evt_b");
  expect(begun.next().done).toBe(true);
  await reader.close();
});
