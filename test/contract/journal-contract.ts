// What every journal does, in memory or on disk. One function, called by a small test file of each.
import { describe, expect, it } from "vitest";
import type { Journal, JournalRead } from "../../src/contracts/journal.js";
import type { Epoch } from "../../src/engine/event/event.js";
import { newEvent } from "../support/rigs/journal-rig.js";

interface JournalUnderTest {
  readonly journal: Journal;
}

export interface JournalContract {
  /** An empty journal that keeps at least a thousand small events. */
  readonly open: () => Promise<JournalUnderTest>;
  /** An empty journal that lets go of events before 20,000 of them, of 500 bytes each, are in it. */
  readonly openSmall: () => Promise<JournalUnderTest>;
  readonly keepsState: boolean;
}

async function eventsOf(read: JournalRead | Promise<JournalRead>): Promise<readonly string[]> {
  const answer = await read;
  if (answer.kind === "gap") throw new Error(`a gap up to ${answer.oldest}`);
  return answer.events.map(({ event }) => event.event_id);
}

/** Appends `count` events in groups, each of which is safe before the next one. */
async function fill({ journal }: JournalUnderTest, count: number, text = ""): Promise<void> {
  for (let from = 0; from < count; from += 100) {
    const group = Array.from({ length: Math.min(100, count - from) }, (_, index) =>
      newEvent(`${from + index}`, { text }, { ordinal: from + index + 1 }),
    );
    await journal.append(group).durable;
  }
}

export function journalContract(name: string, { open, openSmall, keepsState }: JournalContract): void {
  describe(`the contract of a journal: ${name}`, () => {
    it("an empty one has nothing to read, and its head is before its first epoch", async () => {
      const { journal } = await open();
      expect(journal.oldest()).toBe(journal.head() + 1);
      expect(await eventsOf(journal.read(journal.head(), 10))).toEqual([]);
      expect(journal.find("evt_0")).toBeUndefined();
      expect(journal.status()).toMatchObject({ eventCount: 0, oldestAt: undefined, failure: undefined });
      await journal.close();
    });

    it("R29: epochs are given at once, in order and without holes", async () => {
      const { journal } = await open();
      const before = journal.head();
      const first = journal.append([newEvent("a"), newEvent("b")]).events;
      const second = journal.append([newEvent("c")]).events;
      expect([...first, ...second].map(({ epoch }) => epoch - before)).toEqual([1, 2, 3]);
      expect([journal.oldest(), journal.head()]).toEqual([before + 1, before + 3]);
      await journal.durable();
      expect(journal.status()).toMatchObject({ eventCount: 3, durableEpoch: before + 3 });
      expect(journal.durable(), "all of it is safe").toBeUndefined();
      await journal.close();
    });

    it("is read from any place, a part at a time", async () => {
      const under = await open();
      const { journal } = under;
      const first = journal.head() + 1;
      await fill(under, 250);
      expect(await eventsOf(journal.read(first + 9, 3))).toEqual(["evt_10", "evt_11", "evt_12"]);
      expect(await eventsOf(journal.read(journal.head() - 1, 3))).toEqual(["evt_249"]);
      expect(await eventsOf(journal.read(journal.head(), 3))).toEqual([]);
      expect(await eventsOf(journal.read(first - 1, 1000))).toHaveLength(250);
      await journal.close();
    });

    it("finds by id and by epoch what is among what is looked for", async () => {
      const { journal } = await open();
      const [said] = journal.append([
        newEvent("said", { output_id: "out_1", text: "語 🎉" }, { kind: "output.streaming", sent: "{}", ordinal: 7 }),
      ]).events;
      const epoch: Epoch = said?.epoch ?? 0;
      const same = { epoch, kind: "output.streaming", ordinal: 7, sent: "{}", made: undefined };
      expect(journal.find("evt_said")).toMatchObject(same);
      expect(journal.at(epoch)).toMatchObject({ ...same, source: said?.source, event: said?.event });
      expect(journal.at(epoch, { sessionId: "sess_1", kind: "output.streaming", outputId: "out_1" })).toMatchObject(
        same,
      );
      expect(journal.at(epoch, { sessionId: "sess_2" })).toBeUndefined();
      expect(journal.at(epoch, { sessionId: "sess_1", kind: "tool.invoked" })).toBeUndefined();
      expect(journal.at(epoch, { sessionId: "sess_1", outputId: "" })).toBeUndefined();
      expect([journal.at(epoch + 1), journal.at(epoch - 1)]).toEqual([undefined, undefined]);
      await journal.close();
    });

    it("R27: it lets go of the oldest first, which is a gap for readers", async () => {
      const under = await openSmall();
      const { journal } = under;
      const first = journal.head() + 1;
      await fill(under, 20_000, "x".repeat(500));
      // What is let go of goes in slices.
      for (let turn = 0; turn < 1000 && journal.durable() !== undefined; turn += 1) await journal.durable();
      const goneCount = journal.oldest() - first;
      expect(goneCount).toBeGreaterThan(1000);
      expect(await journal.read(first - 1, 10)).toEqual({ kind: "gap", oldest: journal.oldest() });
      expect(await eventsOf(journal.read(journal.oldest() - 1, 1))).toEqual([`evt_${goneCount}`]);
      expect(journal.find("evt_0")).toBeUndefined();
      expect(journal.at(first)).toBeUndefined();
      expect(journal.find("evt_19999")?.epoch).toBe(journal.head());
      expect(journal.status().eventCount).toBe(20_000 - goneCount);
      await journal.close();
    });

    it("keeps state where it says so", async () => {
      const { journal } = await open();
      expect(journal.durableState.isDurable).toBe(keepsState);
      journal.durableState.put(["token", "a"], () => ({ used: true }));
      journal.durableState.put(["token", "b"], () => 2);
      journal.durableState.put(["tokens", "c"], () => 3);
      await journal.durable();
      const all = [
        [["token", "a"], { used: true }],
        [["token", "b"], 2],
      ];
      expect([...journal.durableState.recovered(["token"])]).toEqual(keepsState ? all : []);
      journal.durableState.put(["token", "a"], () => undefined);
      await journal.durable();
      expect([...journal.durableState.recovered(["token"])]).toEqual(keepsState ? all.slice(1) : []);
      expect([...journal.durableState.recovered(["tokens"])]).toEqual(keepsState ? [[["tokens", "c"], 3]] : []);
      await journal.close();
    });
  });
}
