// R17, R27, R29: a window over a store, and what happens while that writes.
import { expect, it } from "vitest";
import type { Journal, JournalRead } from "../../../src/contracts/journal.js";
import type { Epoch } from "../../../src/engine/event/event.js";
import { createJournalRing } from "../../../src/engine/journal/journal-ring.js";
import { readBlock } from "../../../src/storage/blocks/block.js";
import type { BlockStore, RawBlock } from "../../../src/storage/blocks/block-store.js";
import { DAY_MS, MEBIBYTE, newEvent, openOver } from "../../support/rigs/journal-rig.js";
import { createMemoryBlockStore } from "../../support/rigs/memory-block-store.js";
import { createVirtualClock } from "../../support/rigs/virtual-clock.js";

const small = { window: { maxEvents: 10 } };

function eventsOf(read: JournalRead): readonly Epoch[] {
  if (read.kind === "gap") throw new Error(`a gap up to ${read.oldest}`);
  return read.events.map(({ epoch }) => epoch);
}

/** Appends groups of `size` events, each durable before the next. */
async function fill(journal: Journal, groups: number, size = 5, text = ""): Promise<void> {
  for (let group = 0; group < groups; group += 1) {
    const from = journal.head();
    const events = Array.from({ length: size }, (_, index) => newEvent(`${from + 1 + index}`, { text }));
    await journal.append(events).durable;
  }
}

const idsIn = ({ bytes }: RawBlock): readonly string[] => {
  const block = readBlock(bytes);
  return Array.from({ length: block?.count ?? 0 }, (_, index) => block?.eventId(index) ?? "");
};

const range = (from: Epoch, to: Epoch): readonly Epoch[] => Array.from({ length: to - from + 1 }, (_, at) => from + at);

it("reads older events of the store and newer ones of the window in one piece", async () => {
  const store = createMemoryBlockStore();
  const { journal, log } = await openOver(store, small);
  await fill(journal, 20);
  expect(eventsOf(await journal.read(0, 1000))).toEqual(range(1, 100));
  expect(eventsOf(await journal.read(87, 6))).toEqual(range(88, 93));
  expect(journal.oldest()).toBe(1);
  expect(log.lines).toEqual([]);
});

it("R3: finds an event that only the store has by its epoch and its id", async () => {
  const { journal } = await openOver(createMemoryBlockStore(), small);
  await fill(journal, 20);
  expect(journal.at(7)?.event.event_id).toBe("evt_7");
  expect(journal.find("evt_8")?.epoch).toBe(8);
  expect(journal.find("evt_none")).toBeUndefined();
});

it("R3: knows the newest 65,536 ids, and those that it was given of the runs before", async () => {
  const store = createMemoryBlockStore();
  const ids = Array.from({ length: 65_530 }, (_, index) => [`evt_old${index}`, index - 65_530] as const);
  const { journal } = await openOver(store, { ...small, ids });
  await fill(journal, 2, 5);
  const ring = createJournalRing({ id: "c".repeat(32), firstEpoch: 1, maxEvents: 1, ids });
  ring.append(Array.from({ length: 10 }, (_, index) => newEvent(`${index}`)));
  expect([3, 4, 65_529].map((index) => ring.epochOf(`evt_old${index}`))).toEqual([undefined, -65_526, -1]);
  expect([ring.epochOf("evt_0"), ring.find("evt_0"), ring.find("evt_9")?.epoch]).toEqual([1, undefined, 10]);
  expect(journal.find("evt_1")?.epoch).toBe(1);
});

it("the next journal over the same store has its events, its state and higher epochs", async () => {
  const store = createMemoryBlockStore();
  const first = await openOver(store, small);
  first.journal.durableState.put(["session", "a"], () => ({ ordinal: 3 }));
  await fill(first.journal, 4);
  await first.journal.close();
  const { journal } = await openOver(store, small);
  expect(journal.head()).toBe(20 + 2 ** 32 - 1);
  expect([...journal.durableState.recovered(["session"])]).toEqual([[["session", "a"], { ordinal: 3 }]]);
  await fill(journal, 1);
  expect(eventsOf(await journal.read(18, 10))).toEqual([19, 20, ...range(journal.head() - 4, journal.head())]);
  expect(journal.status().eventCount).toBe(25);
});

it("leaves nothing out of a read while the window moves on", async () => {
  const { journal } = await openOver(createMemoryBlockStore(), small);
  await fill(journal, 4);
  const reads = [journal.read(0, 1000), journal.read(9, 1000), journal.read(journal.oldest() - 1, 3)];
  await fill(journal, 40);
  const [all = [], later = [], three = []] = (await Promise.all(reads)).map(eventsOf);
  expect(all).toEqual(range(1, all.length));
  expect(all.length).toBeGreaterThanOrEqual(10);
  expect(later).toEqual(range(10, 9 + later.length));
  expect(later.length).toBeGreaterThan(0);
  expect(three).toEqual([1, 2, 3]);
});

it("R27: a read that retention overtakes is a gap", async () => {
  const { journal } = await openOver(createMemoryBlockStore(), small);
  await fill(journal, 10, 5, "x".repeat(1000));
  journal.retain({ ageMs: Number.MAX_SAFE_INTEGER, bytes: 20_000 });
  const reads = [journal.read(0, 1000)];
  while (journal.oldest() === 1) {
    await new Promise((resolve) => setImmediate(resolve));
    reads.push(journal.read(0, 1000));
  }
  const last = await reads.at(-1);
  expect(last).toEqual({ kind: "gap", oldest: journal.oldest() });
  for (const read of await Promise.all(reads)) {
    if (read.kind === "events") expect(eventsOf(read)[0]).toBe(1);
    else expect(read.oldest).toBeGreaterThan(1);
  }
});

it("R29: a rejected batch is written again whole, with the state of that moment and what came since", async () => {
  const clock = createVirtualClock();
  const store = createMemoryBlockStore();
  const { journal } = await openOver(store, { clock });
  const untilFailing = async (isFailing: boolean): Promise<void> => {
    while ((journal.status().failure !== undefined) !== isFailing) {
      // It is tried again once a second.
      clock.advance(1000);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  let value = 1;
  journal.durableState.put(["session", "a"], () => value);
  store.setFailing(true);
  const refused = Promise.allSettled([journal.append([newEvent("a"), newEvent("b")]).durable]);
  await untilFailing(true);
  const sentence = expect.stringContaining("The store takes nothing. Let it.");
  expect(await refused).toMatchObject([{ status: "rejected", reason: { code: "storage_unavailable", sentence } }]);
  expect([store.blocks().length, [...journal.durableState.recovered(["session"])].length]).toEqual([0, 0]);
  store.setFailing(false);
  value = 2;
  await untilFailing(false);
  expect(store.blocks().flatMap(idsIn)).toEqual(["evt_a", "evt_b"]);
  expect([...journal.durableState.recovered(["session"])]).toEqual([[["session", "a"], 2]]);
});

it("R27: while the store reads nothing, older events are a gap, and everything is refused", async () => {
  const store = createMemoryBlockStore();
  const { journal } = await openOver(store, small);
  await fill(journal, 20);
  store.setCutOff(true);
  expect(await journal.read(0, 10)).toEqual({ kind: "gap", oldest: 91 });
  expect(journal.oldest()).toBe(91);
  expect(eventsOf(await journal.read(95, 10))).toEqual(range(96, 100));
  expect(journal.status().failure).toEqual({ reason: "The store takes nothing.", remedy: "Let it." });
  expect(journal.refusal()?.sentence).toContain("The store takes nothing.");
  store.setCutOff(false);
  expect(journal.oldest()).toBe(1);
  expect(eventsOf(await journal.read(0, 3))).toEqual([1, 2, 3]);
  await fill(journal, 1);
  expect(journal.status()).toMatchObject({ eventCount: 105, durableEpoch: 105, failure: undefined });
});

it("R29: retention lets go of blocks with the group that says so", async () => {
  const store = createMemoryBlockStore();
  const { journal } = await openOver(store, {
    ...small,
    retention: { ageMs: Number.MAX_SAFE_INTEGER, bytes: MEBIBYTE / 4 },
  });
  journal.durableState.put(["lost"], () => journal.oldest());
  await fill(journal, 100, 5, "x".repeat(1000));
  const first = store.blocks()[0]?.first;
  expect(first).toBeGreaterThan(1);
  expect(first).toBe(journal.oldest());
});

it("the status counts bytes and events that wait as it counts those that the store has", async () => {
  const store = createMemoryBlockStore();
  const { journal } = await openOver(store, small);
  const empty = journal.status();
  expect([empty.eventCount, empty.bytes]).toEqual([0, 0]);
  const { durable } = journal.append([newEvent("a"), newEvent("b")]);
  expect(journal.status().eventCount).toBe(2);
  expect(journal.status().bytes).toBeGreaterThan(0);
  await durable;
  const stored = journal.status();
  expect(stored.eventCount).toBe(2);
  expect(stored.durableEpoch).toBe(journal.head());
  await journal.close();
  expect((await openOver(store, small)).journal.status().bytes).toBe(stored.bytes);
});

/** A store whose writes a test holds back. */
function gated() {
  const store = createMemoryBlockStore();
  const gate = (): { readonly opened: Promise<void>; readonly open: () => void } => {
    let open = (): void => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    return { opened, open };
  };
  let writing: Promise<void> | undefined;
  const held: BlockStore = {
    ...store,
    write: async (batch) => {
      await writing;
      return store.write(batch);
    },
  };
  return {
    store: held,
    inner: store,
    holdWrites: () => {
      const { opened, open } = gate();
      writing = opened;
      return () => {
        writing = undefined;
        open();
      };
    },
  };
}

const isSettled = async (promise: Promise<unknown> | undefined): Promise<boolean> => {
  let settled = false;
  const note = (): void => {
    settled = true;
  };
  void promise?.then(note, note);
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  return settled;
};

it("R29: nothing is safe while its group is on its way, also for those who ask later", async () => {
  const { store, holdWrites } = gated();
  const { journal } = await openOver(store, small);
  const release = holdWrites();
  const { durable } = journal.append([newEvent("a")]);
  expect(await isSettled(durable)).toBe(false);
  const asked = journal.durable();
  expect(asked).toBeInstanceOf(Promise);
  expect(await isSettled(asked)).toBe(false);
  expect(journal.status().durableEpoch).toBe(journal.head() - 1);
  release();
  await Promise.all([durable, asked]);
  expect(journal.durable()).toBeUndefined();
  await journal.close();
});

it("what nobody can read any more is removed also after a rejected batch", async () => {
  const clock = createVirtualClock();
  const store = createMemoryBlockStore();
  const { journal } = await openOver(store, { ...small, clock });
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 10; turn += 1) {
      clock.advance(1000);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  for (let group = 0; group < 10; group += 1) {
    journal.append([newEvent(`${group}`, { text: "x".repeat(2000) })]);
    await settle();
  }
  store.setFailing(true);
  journal.retain({ ageMs: Number.MAX_SAFE_INTEGER, bytes: 10_000 });
  await settle();
  expect(store.blocks()).toHaveLength(10);
  store.setFailing(false);
  await settle();
  expect(store.blocks()[0]?.first).toBe(journal.oldest());
  expect(store.blocks().length).toBeLessThan(10);
  await journal.close();
});

it("R29: nothing is taken once it closes, and what waits is written first", async () => {
  const { store, inner, holdWrites } = gated();
  const { journal } = await openOver(store, small);
  const release = holdWrites();
  journal.append([newEvent("a")]);
  await new Promise((resolve) => setImmediate(resolve));
  const waiting = journal.append([newEvent("b")]).durable;
  const closed = journal.close();
  expect(journal.refusal()?.sentence).toContain("being closed");
  expect(await isSettled(closed)).toBe(false);
  release();
  await closed;
  expect(await isSettled(waiting)).toBe(true);
  expect(inner.blocks().flatMap(idsIn)).toEqual(["evt_a", "evt_b"]);
});

it("R29: publishing is refused while too many bytes wait for the store", async () => {
  const { store, holdWrites } = gated();
  const { journal } = await openOver(store, { ...small, maxPendingBytes: 5000 });
  const release = holdWrites();
  journal.append([newEvent("a", { text: "x".repeat(6000) })]);
  expect(journal.refusal()?.sentence).toContain("The journal's disk is too slow");
  release();
  await journal.durable();
  await journal.append([newEvent("b")]).durable;
  await journal.close();
});

it("a store that reads nothing for a while is asked again, and its oldest block is then known", async () => {
  const store = createMemoryBlockStore();
  const first = await openOver(store, small);
  await fill(first.journal, 3);
  await first.journal.close();
  const clock = createVirtualClock();
  let isCutOff = true;
  const readBlock: BlockStore["readBlock"] = (epoch) => (isCutOff ? "unreadable" : store.readBlock(epoch));
  const { journal } = await openOver({ ...store, readBlock }, { ...small, clock });
  isCutOff = false;
  for (let turn = 0; turn < 5; turn += 1) {
    clock.advance(1000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(journal.oldest()).toBe(1);
  await journal.close();
});

it("R29: retention by age goes on after the clock on the wall was set back", async () => {
  const clock = createVirtualClock();
  const { journal } = await openOver(createMemoryBlockStore(), {
    ...small,
    clock,
    retention: { ageMs: DAY_MS, bytes: MEBIBYTE },
  });
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    for (let turn = 0; turn < 5; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      clock.advance(0);
    }
  };
  journal.append([newEvent("a")]);
  await pass(0);
  await pass(DAY_MS / 2);
  clock.stepWall(-60_000);
  for (let quarter = 0; quarter < 4; quarter += 1) await pass(DAY_MS / 4);
  expect(journal.status().eventCount).toBe(0);
  await journal.close();
  expect(clock.pending()).toBe(0);
});
