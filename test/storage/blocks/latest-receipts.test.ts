// R29: when a block was received at the latest, by its stamp and by what stands behind it.
import { expect, it } from "vitest";
import type { BlockFound, LoadedBlock } from "../../../src/storage/blocks/block-reader.js";
import { createLatestReceipts } from "../../../src/storage/blocks/latest-receipts.js";
import { DAY_MS } from "../../support/rigs/journal-rig.js";

const RETENTION_DAYS = 7;

/** Blocks of one event each, stamped at these days; `at` answers in days what is known of one of them on a day. */
function receiptsOf(stampedDays: readonly number[]) {
  let now = 0;
  let loads = 0;
  const blockAt = (first: number): LoadedBlock => {
    loads += 1;
    const wallTime = () => (stampedDays[first - 1] ?? 0) * DAY_MS;
    return { first, count: 1, length: 1, block: { wallTime } as unknown as LoadedBlock["block"] };
  };
  const load = (epoch: number): BlockFound =>
    epoch > stampedDays.length ? { kind: "none" } : { kind: "block", loaded: blockAt(Math.max(1, epoch)), entries: [] };
  const receiptOf = createLatestReceipts({
    reader: { load },
    wallTime: () => now,
    head: () => stampedDays.length,
    retentionMs: () => RETENTION_DAYS * DAY_MS,
  });
  return {
    at: async (day: number, epoch: number) => {
      now = day * DAY_MS;
      return (await receiptOf(blockAt(epoch))) / DAY_MS;
    },
    loads: () => loads,
  };
}

it("ahead by less than the retention, it counts as received before what came after it, also once the clock has passed its stamp", async () => {
  const seenAhead = receiptsOf([4, 1]);
  for (const day of [1, 3, 4, 8.1]) expect(await seenAhead.at(day, 1)).toBe(1);
  const seenLate = receiptsOf([4, 1]);
  expect(await seenLate.at(8.1, 1)).toBe(1);
  expect(await seenLate.at(8.1, 2)).toBe(1);
});

it("so does each of many that were ahead, though a run of the daemon has just begun and much or little follows them", async () => {
  for (const after of [1, 10, 1000]) {
    const ahead = Array.from({ length: 200 }, (_, index) => 4 + index / 1000);
    const sound = Array.from({ length: after }, (_, index) => 1.2 + index / 1000);
    const receipts = receiptsOf([1.1, ...ahead, ...sound]);
    expect(await receipts.at(8.15, 1)).toBe(1.1);
    for (const epoch of [2, 3, 100, 201]) expect(await receipts.at(8.15, epoch)).toBeLessThan(2);
  }
});

it("what was seen ahead with nothing behind it ages from then on, also once the clock has passed its stamp", async () => {
  const receipts = receiptsOf([4]);
  expect(await receipts.at(1, 1)).toBe(1);
  expect(await receipts.at(5, 1)).toBe(1);
});

it("a clock that was far behind for a while takes nothing with it that was stamped soundly before", async () => {
  const receipts = receiptsOf([2, -10_000, 3, 4]);
  expect(await receipts.at(5, 1)).toBe(2);
  expect(await receipts.at(5, 2)).toBe(-10_000);
  expect(await receipts.at(5, 3)).toBe(3);
});

it("blocks that are sound are looked through in a few reads each", async () => {
  const days = Array.from({ length: 4096 }, (_, index) => index / 4096);
  const receipts = receiptsOf(days);
  for (let epoch = 1; epoch <= 1024; epoch += 1) expect(await receipts.at(2, epoch)).toBe(days[epoch - 1]);
  expect(receipts.loads() / 1024).toBeLessThan(6);
});
