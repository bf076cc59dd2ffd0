import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Evicted } from "../../../src/engine/event/event.js";
import { createEvictions } from "../../../src/engine/journal/evictions.js";
import { casesOf } from "../../support/extent.js";

function evictedAt(sessionId: string, epoch: number, ordinal: number): Evicted {
  return { sessionId, epoch, ordinal };
}

/** Events of three sessions in one journal, of which the first `evicted` have left it. */
const pasts = fc
  .record({
    sessions: fc.array(fc.nat({ max: 2 }), { minLength: 1, maxLength: 400 }),
    evicted: fc.nat({ max: 400 }),
    after: fc.nat({ max: 420 }),
  })
  .map(({ sessions, evicted, after }) => {
    const ordinals = new Map<number, number>();
    const entries = sessions.map((session, index) => {
      const ordinal = (ordinals.get(session) ?? 0) + 1;
      ordinals.set(session, ordinal);
      return evictedAt(`sess_${session}`, index + 1, ordinal);
    });
    return { entries, evicted: Math.min(evicted, entries.length), after };
  });

describe("losses (R27)", () => {
  it("never declare less than was lost, nor a loss where there is none", () => {
    fc.assert(
      fc.property(pasts, ({ entries, evicted, after }) => {
        const losses = createEvictions();
        for (const entry of entries.slice(0, evicted)) losses.evicted(entry);
        const declared = new Map(losses.since(after, () => undefined).map((loss) => [loss.sessionId, loss.eventCount]));
        for (const session of ["sess_0", "sess_1", "sess_2"]) {
          const own = entries.filter(({ sessionId }) => sessionId === session);
          const gone = own.filter(({ epoch }) => epoch > after && epoch <= evicted).length;
          expect(declared.get(session) ?? 0).toBeGreaterThanOrEqual(gone);
          if (gone === 0) expect(declared.has(session)).toBe(false);
          expect(losses.upTo(session, own.length, after)).toBeGreaterThanOrEqual(
            own.filter(({ epoch }) => epoch > after).length,
          );
        }
      }),
      { numRuns: casesOf(1000) },
    );
  });

  it("are exact where the last event given is known", () => {
    const losses = createEvictions();
    for (let epoch = 1; epoch <= 100; epoch += 1) losses.evicted(evictedAt("sess_1", epoch, epoch));
    expect(losses.since(40, () => 40)).toEqual([{ sessionId: "sess_1", eventCount: 60, lastEpoch: 100 }]);
    losses.forget("sess_1");
    expect(losses.since(0, () => undefined)).toEqual([]);
  });
});
