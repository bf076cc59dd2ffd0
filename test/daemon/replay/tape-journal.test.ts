// The journal of a listener to a replay answers as one in memory would that holds everything, though it holds little.
import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, it } from "vitest";
import { createTape, type RecordedEvent, type RecordedSession } from "../../../src/daemon/replay/recorded-session.js";
import { createSharedReads } from "../../../src/daemon/replay/shared-reads.js";
import { createTapeJournal } from "../../../src/daemon/replay/tape-journal.js";
import type { Evicted } from "../../../src/engine/event/event.js";
import { createJournalRing } from "../../../src/engine/journal/journal-ring.js";
import { casesOf } from "../../support/extent.js";
import { session } from "../../support/rigs/engine-rig.js";
import { record, sessionOf } from "../../support/rigs/replay-stage.js";

const { started, state, chunk } = session();
const RECORDED = record(({ publish }) => {
  publish(started(), state("idle", "writing_output"));
  for (let index = 0; index < 1200; index += 1) publish(chunk(`Text ${index}. `));
});
const IDS = { sha256Hex: (text: string) => createHash("sha256").update(text).digest("hex") };
const ID = "a".repeat(32);
const MOST = { maxEvents: 900, maxHeldEvents: 50 };

/** Plays so many events; the oracle has them all in memory. */
function played(recording: RecordedSession, count: number) {
  const tape = createTape(recording, IDS, "en-US");
  const { firstEpoch } = tape;
  const gone: Evicted[] = [];
  const goneByOracle: Evicted[] = [];
  const noteIn = (list: Evicted[]) => (event: Evicted) => {
    const { sessionId, epoch, ordinal } = event;
    list.push({ sessionId, epoch, ordinal });
  };
  const journal = createTapeJournal({
    id: ID,
    tape,
    startedAt: 0,
    wallTimeOffsetMs: 0,
    evicted: noteIn(gone),
    ...MOST,
  });
  const oracle = createJournalRing({ id: ID, firstEpoch, maxEvents: MOST.maxEvents, evicted: noteIn(goneByOracle) });
  for (let index = 0; index < count; index += 1) {
    const event = tape.next();
    if (event === undefined) break;
    for (const one of [journal, oracle]) one.append([{ ...event, at: 0 }]);
  }
  return { journal, oracle, firstEpoch, gone, goneByOracle };
}

const eventsOf = (read: unknown) => {
  const { kind, events = [], oldest } = read as { kind: string; events?: readonly RecordedEvent[]; oldest?: number };
  return { kind, oldest, events: events.map(({ event, epoch, kind: topic, made }) => ({ event, epoch, topic, made })) };
};

it("R17, R27: reads, looks up and forgets as a journal in memory does that is as long as it can be read", () => {
  const holes = fc.uniqueArray(fc.integer({ min: 0, max: RECORDED.length - 1 }), { maxLength: 6 });
  const place = fc.integer({ min: -5, max: 1300 });
  fc.assert(
    fc.property(holes, place, fc.array(fc.tuple(place, fc.nat(300))), (missing, count, reads) => {
      const rest = RECORDED.filter((_, index) => !missing.includes(index));
      const { journal, oracle, firstEpoch, gone, goneByOracle } = played(createSharedReads(sessionOf(rest)), count);
      expect([journal.head(), journal.oldest()]).toStrictEqual([oracle.head(), oracle.oldest()]);
      expect(gone).toStrictEqual(goneByOracle);
      expect(journal.status().eventCount).toBe(oracle.status().eventCount);
      for (const [index, limit] of reads) {
        const epoch = firstEpoch + index;
        expect(eventsOf(journal.read(epoch, limit))).toStrictEqual(eventsOf(oracle.read(epoch, limit)));
        for (const only of [undefined, { sessionId: "sess_1", kind: "output.streaming", outputId: "out_1" } as const])
          expect(journal.at(epoch, only)?.event).toStrictEqual(oracle.at(epoch, only)?.event);
      }
    }),
    { numRuns: casesOf(60) },
  );
});

it("R27: what retention has taken since is a gap, and what is in memory is still there", () => {
  let rest: readonly RecordedEvent[] = RECORDED;
  const { journal, firstEpoch, gone } = played(
    { sessionId: "sess_1", read: (...asked) => sessionOf(rest).read(...asked) },
    800,
  );
  expect(journal.at(firstEpoch + 10)).toBeDefined();
  rest = RECORDED.slice(790);
  expect(journal.at(firstEpoch + 10)).toBeUndefined();
  const inMemory = firstEpoch + 800 - MOST.maxHeldEvents;
  expect(journal.read(firstEpoch, 100)).toStrictEqual({ kind: "gap", oldest: inMemory });
  expect(gone.map(({ epoch }) => epoch)).toStrictEqual(
    Array.from({ length: inMemory - firstEpoch }, (_, index) => firstEpoch + index),
  );
  expect(eventsOf(journal.read(inMemory - 1, 100)).events).toHaveLength(MOST.maxHeldEvents);
});
