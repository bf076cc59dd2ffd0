import { describe, expect, it } from "vitest";
import type { JournaledEvent } from "../../../src/engine/event/event.js";
import { ParsedEntries } from "../../../src/engine/journal/parsed-entries.js";
import { BATCH_COUNT, type Reader, ReadTurns } from "../../../src/engine/time/read-turns.js";
import { createVirtualClock } from "../../support/rigs/virtual-clock.js";

const reader = (wake: () => void = () => {}): Reader => ({ wake, isInvited: false });

describe("the turns in which readers read on", () => {
  it("go round, one batch a turn", () => {
    const clock = createVirtualClock();
    const turns = new ReadTurns(clock);
    const order: string[] = [];
    const left = new Map([
      ["a", 3],
      ["b", 3],
      ["c", 1],
    ]);
    const readers = new Map<string, Reader>();
    const read = (name: string): void => {
      const one = readers.get(name) ?? reader();
      for (let count = left.get(name) ?? 0; count > 0 && turns.mayRead(one, true); count -= 1) {
        order.push(name);
        left.set(name, count - 1);
        turns.hasRead(one, BATCH_COUNT);
      }
    };
    for (const name of left.keys())
      readers.set(
        name,
        reader(() => clock.afterTurn(() => read(name))),
      );
    for (const name of left.keys()) read(name);
    expect(order).toEqual(["a"]);
    const perTurn: number[] = [];
    for (let turn = 0; turn < 12; turn += 1) {
      const before = order.length;
      clock.turn();
      perTurn.push(order.length - before);
    }
    expect(Math.max(...perTurn)).toBe(1);
    expect(order.join("")).toBe("aabcabb");
    expect([...left.values()]).toEqual([0, 0, 0]);
  });

  it("are not needed for a few events", () => {
    const clock = createVirtualClock();
    const turns = new ReadTurns(clock);
    const readers = Array.from({ length: 5 }, () => reader());
    for (const one of readers) {
      expect(turns.mayRead(one, true)).toBe(true);
      turns.hasRead(one, 10);
    }
    expect(readers.some((one) => turns.isWaiting(one))).toBe(false);
  });

  it("R34: end when the reading has taken its time, and what passed before it was allowed does not count", () => {
    const clock = createVirtualClock();
    const turns = new ReadTurns(clock, 2);
    const [one, other] = [reader(), reader()];
    clock.pass(60_000);
    for (const next of [one, other]) {
      expect([turns.mayRead(next, true), turns.mayRead(next, false)]).toEqual([true, true]);
      clock.pass(1);
      turns.hasRead(next, 1);
      clock.pass(60_000);
    }
    expect([turns.mayRead(one, false), turns.isWaiting(one)]).toEqual([false, true]);
    clock.settle();
    expect([turns.isWaiting(one), turns.mayRead(one, false)]).toEqual([false, true]);
  });

  it("pass by one that does not come, which may read whenever it does, and one that left", () => {
    const clock = createVirtualClock();
    const turns = new ReadTurns(clock);
    const woken: string[] = [];
    const named = (name: string): Reader => reader(() => void woken.push(name));
    const [first, absent, gone, last] = [named("first"), named("absent"), named("gone"), named("last")];
    turns.hasRead(first, BATCH_COUNT);
    for (const one of [absent, gone, last]) expect(turns.mayRead(one, true)).toBe(false);
    turns.leave(gone);
    clock.settle();
    expect(woken).toEqual(["absent", "last"]);
    turns.hasRead(last, BATCH_COUNT);
    expect([turns.mayRead(absent, true), turns.mayRead(last, true)]).toEqual([true, false]);
  });
});

describe("entries that were parsed", () => {
  const entry = (epoch: number): JournaledEvent => ({
    event: {
      "@context": "https://aaep-protocol.org/context/v1",
      type: "acme:report.made",
      event_id: `evt_${epoch}`,
      session_id: "sess_1",
      timestamp: "2026-05-24T14:22:11.342Z",
      producer: { agent_id: "planner" },
    },
    kind: "extension",
    source: undefined,
    at: 0,
    ordinal: epoch,
    made: undefined,
    epoch,
  });

  it("are parsed once while they are at hand, and anew once they were let go of", () => {
    const entries = new ParsedEntries();
    let parses = 0;
    const get = (epoch: number, size = 100): JournaledEvent =>
      entries.get(epoch, size, () => {
        parses += 1;
        return entry(epoch);
      });
    expect(get(1)).toBe(get(1));
    expect(parses).toBe(1);
    entries.drop(1);
    expect(get(1).epoch).toBe(1);
    expect(parses).toBe(2);
  });

  it.each([
    ["their count", 100, 1024],
    ["their text", 64 * 1024, 16],
  ])("are bounded by %s, oldest first", (_, size, most) => {
    const entries = new ParsedEntries();
    const parsed: number[] = [];
    const get = (epoch: number): JournaledEvent =>
      entries.get(epoch, size, () => {
        parsed.push(epoch);
        return entry(epoch);
      });
    for (let epoch = 1; epoch <= most + 1; epoch += 1) get(epoch);
    parsed.length = 0;
    for (let epoch = 2; epoch <= most + 1; epoch += 1) get(epoch);
    expect(parsed).toEqual([]);
    get(1);
    expect(parsed).toEqual([1]);
  });
});
