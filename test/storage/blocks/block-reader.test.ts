// R14: the reader holds the blocks read lately, up to 2 MiB of them.
import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import type { JournaledEvent } from "../../../src/engine/event/event.js";
import { packBlocks } from "../../../src/storage/blocks/block.js";
import { BlockReader } from "../../../src/storage/blocks/block-reader.js";
import { collectLog } from "../../support/collected-log.js";
import { newEvent } from "../../support/rigs/journal-rig.js";

/** Blocks of one event with `textBytes` of text each, at the epochs 1, 2, …; `loads` are the epochs of the blocks read from the store. */
function stage(textBytes: number, count: number) {
  const blocks = Array.from({ length: count }, (_, index) => {
    const entry: JournaledEvent = { ...newEvent(`${index}`, { text: "x".repeat(textBytes) }), epoch: index + 1 };
    return packBlocks([entry], 0);
  }).flat();
  const loads: number[] = [];
  const reader = new BlockReader({
    store: {
      readBlock: (epoch) => {
        const found = blocks.find(({ first }) => first >= epoch);
        if (found !== undefined) loads.push(found.first);
        return found ?? "none";
      },
    },
    log: collectLog(),
    path: "journal.mdb",
    wallTimeOffset: () => 0,
    now: () => Number.POSITIVE_INFINITY,
    wasGiven: () => false,
  });
  return { reader, loads };
}

it("small blocks are read from the store once", () => {
  const { reader, loads } = stage(100, 20);
  for (let round = 0; round < 3; round += 1)
    expect(reader.read(0, 100, 21)).toMatchObject({ kind: "events", isWhole: true });
  expect(loads).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  expect(reader.at(7)).toBe(reader.at(7));
});

it("blocks are held in whichever order they were read", () => {
  const { reader, loads } = stage(100, 9);
  for (const epoch of [5, 2, 9, 1, 7, 3, 8, 4, 6]) expect(reader.at(epoch)?.epoch).toBe(epoch);
  for (let epoch = 1; epoch <= 9; epoch += 1) expect(reader.at(epoch)?.epoch).toBe(epoch);
  expect(loads).toEqual([5, 2, 9, 1, 7, 3, 8, 4, 6]);
  expect(reader.at(10)).toBeUndefined();
});

it("of more than 2 MiB the blocks used longest ago go first", () => {
  const { reader, loads } = stage(700_000, 4);
  for (const epoch of [1, 2, 1, 3, 1]) expect(reader.at(epoch)?.epoch).toBe(epoch);
  // The third block made it too much. The second block was used before the first.
  expect(loads).toEqual([1, 2, 3]);
  reader.at(2);
  reader.at(1);
  expect(loads).toEqual([1, 2, 3, 2]);
});

it("a block longer than 2 MiB is held until another is read", () => {
  const { reader, loads } = stage(3_000_000, 2);
  reader.at(1);
  reader.at(1);
  expect(loads).toEqual([1]);
  reader.at(2);
  reader.at(1);
  expect(loads).toEqual([1, 2, 1]);
});

it("blocks below the oldest are dropped", () => {
  const { reader, loads } = stage(900_000, 3);
  reader.at(1);
  reader.at(2);
  reader.forgetBefore(2);
  reader.at(3);
  reader.at(2);
  expect(loads).toEqual([1, 2, 3]);
  reader.at(1);
  expect(loads).toEqual([1, 2, 3, 1]);
});

it("kinds and makers have the same numbers on the disk in every version", () => {
  const kinds =
    "session.started session.completed session.errored session.cancelled state.changed progress.updated tool.invoked";
  const others =
    "tool.completed output.streaming awaiting.confirmation awaiting.clarification handoff.requested extension";
  const makers = [undefined, "notice", "resolution", "closing", "state", "reminder", "supplied"];
  const entries = `${kinds} ${others}`.split(" ").map((kind, index) => {
    const made = makers[index % makers.length];
    return { ...newEvent(`${index}`), kind, made, epoch: index + 1 } as JournaledEvent;
  });
  const hash = createHash("sha256");
  for (const { bytes } of packBlocks(entries, 0)) hash.update(bytes);
  expect(hash.digest("hex")).toBe("93ed18a97b71eaf259220299d8b5ea44cd1690a9665379c5e4ba9f041ce4d814");
});
