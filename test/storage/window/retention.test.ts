// R27, R29: what is kept is bounded by age and by bytes, and letting go holds nobody up.
import { statSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Clock } from "../../../src/contracts/clock.js";
import { createClock } from "../../../src/daemon/platform/clock.js";
import { SLICE_EVENTS } from "../../../src/storage/window/expiry.js";
import { itInFull } from "../../support/extent.js";
import { DAY_MS, MEBIBYTE, newEvent, openRig } from "../../support/rigs/journal-rig.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";

/** The real clock, whose wall may be moved. */
function movableClock(): Clock & { skip: (ms: number) => void } {
  const clock = createClock();
  let skipped = 0;
  return {
    ...clock,
    wallTime: () => clock.wallTime() + skipped,
    skip: (ms) => {
      skipped += ms;
    },
  };
}

describe("retention", () => {
  itInFull(
    "R29: pages are used again: ten times as much as may be kept makes the file no larger than two and a half times of it",
    async () => {
      const directory = temporaryDirectory();
      const limit = 4 * MEBIBYTE;
      const { journal, path } = await openRig({ directory, retention: { ageMs: DAY_MS, bytes: limit } });
      let count = 0;
      for (let group = 0; group < 200; group += 1) {
        const from = count;
        const events = Array.from({ length: 100 }, (_, index) =>
          newEvent(`${from + index}`, { text: "x".repeat(2000) }),
        );
        count += events.length;
        journal.durableState.put(["session", "sess_1"], () => ({ count, padding: "y".repeat(500) }));
        await journal.append(events).durable;
      }
      expect(journal.status().bytes).toBeLessThan(limit + MEBIBYTE);
      expect(count - journal.status().eventCount).toBeGreaterThan(15_000);
      expect(statSync(path).size).toBeLessThan(2.5 * limit);
    },
  );

  it("R29: a large part that has reached its age goes in slices, each as small as the last, and what they lost is written with them", async () => {
    const directory = temporaryDirectory();
    const clock = movableClock();
    const options = { directory, clock, retention: { ageMs: DAY_MS, bytes: 512 * MEBIBYTE } };
    const { journal } = await openRig(options);
    const first = journal.oldest();
    const goneCount = (): number => journal.oldest() - first;
    for (let group = 0; group < 40; group += 1) {
      await journal.append(Array.from({ length: 200 }, (_, index) => newEvent(`${group}.${index}`))).durable;
    }
    clock.skip(2 * DAY_MS);
    // What is let go of in one go, without anybody else getting a turn.
    const slices: number[] = [];
    const watching = (async () => {
      for (let before = 0; before < 8000; ) {
        const gone = goneCount();
        if (gone > before) slices.push(gone - before);
        before = gone;
        await nextTurn();
      }
    })();
    for (let group = 0; goneCount() < 8000; group += 1) {
      journal.durableState.put(["loss"], goneCount);
      await journal.append([newEvent(`new.${group}`, {}, { at: clock.now() })]).durable;
    }
    await watching;
    expect(Math.max(...slices)).toBeLessThanOrEqual(SLICE_EVENTS + 256);
    expect(slices.length).toBeGreaterThan(10);
    const gone = goneCount();
    expect(gone).toBe(8000);
    await journal.durable();
    await journal.close();
    const again = await openRig(options);
    expect(again.log.lines).toEqual([]);
    expect([...again.journal.durableState.recovered(["loss"])].map(([, value]) => value)).toEqual([gone]);
    expect(again.journal.oldest()).toBe(first + gone);
  });

  it("R8b: another retention holds at once, without anybody publishing, and a longer one keeps what was to go", async () => {
    const clock = movableClock();
    const retention = { ageMs: DAY_MS, bytes: 512 * MEBIBYTE };
    const { journal } = await openRig({ directory: temporaryDirectory(), clock, retention });
    await journal.append([newEvent("a"), newEvent("b")]).durable;
    journal.retain({ ...retention, ageMs: 9 * DAY_MS });
    clock.skip(2 * DAY_MS);
    await journal.append([newEvent("c", {}, { at: clock.now() })]).durable;
    expect(journal.status().eventCount).toBe(3);
    journal.retain({ ...retention, ageMs: DAY_MS });
    await expect.poll(() => journal.status().eventCount).toBe(1);
    journal.retain({ ...retention, bytes: 1 });
    await expect.poll(() => journal.status().eventCount).toBe(0);
  });

  it("R29: age is kept without anybody publishing", async () => {
    const directory = temporaryDirectory();
    const { journal } = await openRig({ directory, retention: { ageMs: 50, bytes: 512 * MEBIBYTE } });
    await journal.append([newEvent("a"), newEvent("b")]).durable;
    await expect.poll(() => journal.status().eventCount).toBe(0);
    expect(journal.oldest()).toBe(journal.head() + 1);
    expect(journal.find("evt_a")).toBeUndefined();
  });
});
