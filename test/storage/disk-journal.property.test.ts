// R17, R27, R29: whatever is appended, let go of, read, looked for, compacted and reopened, the journal on disk says what a list in memory would.
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { MOST_READ_UNITS } from "../../src/base/most-read-units.js";
import type { JournaledEvent } from "../../src/engine/event/event.js";
import { copyDataFile } from "../../src/storage/lmdb/copy.js";
import { casesOf } from "../support/extent.js";
import { DAY_MS, type JournalRig, newEvent, openRig } from "../support/rigs/journal-rig.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

type Step =
  | { readonly kind: "append"; readonly count: number; readonly length: number; readonly waits: boolean }
  | { readonly kind: "put"; readonly key: number; readonly value: number | undefined }
  | { readonly kind: "look"; readonly place: number; readonly limit: number }
  | { readonly kind: "reopen"; readonly isCompacted: boolean };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("append" as const),
      count: fc.integer({ min: 1, max: 300 }),
      length: fc.constantFrom(0, 10, 300, 5000),
      waits: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("put" as const),
      key: fc.nat(5),
      value: fc.option(fc.nat(), { nil: undefined }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("look" as const),
      place: fc.nat(5000),
      limit: fc.integer({ min: 1, max: 400 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("reopen" as const), isCompacted: fc.boolean() }) },
);

const LIMIT_BYTES = 1024 * 1024;

it("agrees with a list", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
      const directory = temporaryDirectory();
      const open = (): Promise<JournalRig> =>
        openRig({ directory, retention: { ageMs: DAY_MS, bytes: LIMIT_BYTES }, window: { maxEvents: 100 } });
      let rig = await open();
      const all: JournaledEvent[] = [];
      const state = new Map<number, number>();
      let gone = 0;
      let id = 0;

      /** What the journal has let go of is the beginning, and never comes back. No more goes than the limit asks for. */
      const noteGone = (): void => {
        const { journal } = rig;
        const before = gone;
        gone = Math.max(gone, all.filter(({ epoch }) => epoch < journal.oldest()).length);
        if (gone > before) expect(journal.status().bytes).toBeGreaterThan(LIMIT_BYTES / 2);
      };

      const look = (place: number, limit: number): void => {
        noteGone();
        const { journal } = rig;
        expect(journal.status().eventCount).toBe(all.length - gone);
        const index = all.length === 0 ? -1 : place % all.length;
        const one = all[index];
        if (one === undefined) return;
        const isThere = index >= gone;
        expect(journal.find(one.event.event_id)?.epoch).toBe(isThere ? one.epoch : undefined);
        expect(journal.at(one.epoch)?.source).toBe(isThere ? one.source : undefined);
        const read = journal.read(one.epoch - 1, limit);
        if (isThere) {
          expect(read).toMatchObject({ kind: "events" });
          const events = "events" in read ? read.events : [];
          const expected = all.slice(index, index + limit);
          // A read ends early where its text is long (R34).
          const isLong = events.reduce((sum, { source = "" }) => sum + source.length, 0) >= MOST_READ_UNITS;
          const count = isLong ? events.length : expected.length;
          expect(events.length).toBeGreaterThan(0);
          expect(events.map(({ epoch }) => epoch)).toEqual(expected.slice(0, count).map(({ epoch }) => epoch));
        } else expect(read).toEqual({ kind: "gap", oldest: journal.oldest() });
        expect(journal.find("evt_never")).toBeUndefined();
      };

      for (const one of steps) {
        const { journal } = rig;
        switch (one.kind) {
          case "append": {
            const events = Array.from({ length: one.count }, () => {
              id += 1;
              return newEvent(`${id}`, { text: "é".repeat(one.length) }, { ordinal: id });
            });
            const appended = journal.append(events);
            all.push(...appended.events);
            if (one.waits) await appended.durable;
            break;
          }
          case "put":
            journal.durableState.put(["state", one.key], () => one.value);
            if (one.value === undefined) state.delete(one.key);
            else state.set(one.key, one.value);
            break;
          case "look":
            look(one.place, one.limit);
            break;
          case "reopen": {
            await journal.close();
            if (one.isCompacted) await copyDataFile(join(directory, "journal.mdb"), join(directory, "journal.mdb"));
            const head = all.at(-1)?.epoch ?? 0;
            rig = await open();
            noteGone();
            expect(rig.log.lines.filter(({ message }) => message !== "the journal was compacted")).toEqual([]);
            expect(rig.journal.head()).toBeGreaterThan(head);
            const kept = [...rig.journal.durableState.recovered(["state"])].map(([key, value]) => [key[1], value]);
            expect(kept).toEqual([...state].sort(([a], [b]) => a - b));
            break;
          }
        }
      }
      await rig.journal.durable();
      for (let place = 0; place < all.length; place += 97) look(place, 50);
      await rig.journal.close();
    }),
    { numRuns: casesOf(25) },
  );
});
