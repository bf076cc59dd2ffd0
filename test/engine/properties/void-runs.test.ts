// R17, R27, R29: places of runs that made nothing durable, or not all that they gave out, and of journals that are gone.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { casesOf } from "../../support/extent.js";
import { cursorFacts } from "../../support/oracles/cursor-reading.js";
import { expectNoFaults, gapOf, isSummary } from "../../support/oracles/delivery-facts.js";
import { type PublishedEvent, publishedEvent, publishedRecord } from "../../support/oracles/place-facts.js";
import { placeFaults } from "../../support/oracles/place-oracle.js";
import { arrivedAt } from "../../support/rigs/arrivals.js";
import { createEngineRig, type EngineRig, session } from "../../support/rigs/engine-rig.js";
import { createRuns } from "../../support/rigs/restart-rig.js";

describe("runs that make nothing durable", () => {
  it("R17: a place in one is met with a gap, however many such runs follow, and none is that was kept", async () => {
    const runs = createRuns();
    const places: (string | undefined)[] = [];
    const cursors = (run: EngineRig): void => void places.push(run.listen().subscription.cursor());
    const first = runs.start();
    first.publish(session().started());
    await first.flush();
    cursors(first);
    for (const id of ["sess_2", "sess_3"]) {
      const run = runs.start();
      run.publish(session(id).started());
      cursors(run);
    }
    const last = runs.start();
    last.publish(session("sess_4").started());
    await last.flush();
    cursors(last);
    const met = places.map((place) => last.listen({}, "listener", place).subscription.resumed);
    expect(met).toStrictEqual(["all", "gap", "gap", "all"]);
  });
});

/** One of three sessions begins, speaks or ends. */
interface Said {
  readonly s: number;
  readonly what: "chunk" | "progress" | "end";
}

const said = fc.array(
  fc.record<Said>({ s: fc.nat({ max: 2 }), what: fc.constantFrom("chunk", "chunk", "progress", "end") }),
  { maxLength: 12 },
);

function speak(rig: EngineRig, words: readonly Said[], prefix: string): void {
  const begun = new Set<number>();
  const ended = new Set<number>();
  for (const [index, { s: which, what }] of words.entries()) {
    if (ended.has(which)) continue;
    const one = session(`sess_${prefix}${which}`);
    if (!begun.has(which)) rig.publish(one.started());
    begun.add(which);
    if (what === "chunk") rig.publish(one.chunk(`Words ${index}. `, true, `out_${index}`));
    else rig.publish(what === "progress" ? one.progress(index) : one.completed());
    if (what === "end") ended.add(which);
  }
}

describe("a journal in memory that is gone", () => {
  it("R17, R27: makes its places unknown: what is received, and what is declared lost, is what was published meanwhile", () => {
    fc.assert(
      fc.property(said, said, said, (before, meanwhile, after) => {
        const terms = { coalesceBoundaries: ["none" as const] };
        const old = createEngineRig({ journal: { id: "a".repeat(32) } });
        const listener = old.listen(terms);
        speak(old, before, "a");
        const cursor = listener.subscription.cursor();
        const published: PublishedEvent[] = [];
        const rig = createEngineRig({
          journal: { id: "b".repeat(32) },
          journaled: ({ epoch, event }) => void published.push(publishedEvent(epoch, event)),
        });
        speak(rig, meanwhile, "b");
        const head = published.at(-1)?.epoch ?? 0;
        const back = rig.listen(terms, "listener", cursor);
        speak(rig, after, "c");
        rig.advance(1000);
        const { resumed } = back.subscription;
        expect(resumed).toBe("unknown");
        // A session that has ended by then is over because nobody speaks of it.
        const over = meanwhile.filter(({ what }) => what === "end").map(({ s: which }) => `sess_b${which}`);
        const isMissing = ({ sessionId }: PublishedEvent, hasCome: boolean): boolean =>
          !hasCome && !over.includes(sessionId);
        const connection = { named: cursor, resumed, head, items: arrivedAt(back) };
        expectNoFaults(...placeFaults(publishedRecord(published), [connection], isMissing, true));
        // A loss by itself says nothing of the session that it names (R27).
        const told = back.received.filter(({ event }) => isSummary(event) || gapOf(event) === undefined);
        const spoken = new Set(told.map(({ event }) => event.session_id));
        const open = published.map(({ sessionId }) => sessionId).filter((id) => !over.includes(id));
        expect([...spoken].sort()).toStrictEqual([...new Set(open)].sort());
        // Its next place is one of the journal that is there.
        expect(cursorFacts(back.subscription.cursor() ?? "").journal).toBe("b".repeat(32));
      }),
      { numRuns: casesOf(250) },
    );
  });
});
