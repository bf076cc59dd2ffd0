// R34: what waits to be sent to many is sent over turns of the event loop, one piece a turn here, and what is critical waits for nobody's turn.
import { describe, expect, it } from "vitest";
import type { DeliverySource } from "../../../src/contracts/protocol.js";
import { Turns } from "../../../src/engine/time/turns.js";
import { batchOf } from "../../../src/engine/views/delivery.js";
import { Pump } from "../../../src/runtime/pump.js";
import { createVirtualClock, type VirtualClock } from "../../support/rigs/virtual-clock.js";

const PIECE = batchOf([]);

function pumpOver(source: DeliverySource, ...given: ConstructorParameters<typeof Pump>): Pump {
  const pump = new Pump(...given);
  pump.join(source);
  return pump;
}

/** Pumps that share turns with room for one piece each; `sent` has a letter for each piece, small, and for each critical one, capital. */
function stage(counts: Readonly<Record<string, number>>) {
  const clock = createVirtualClock();
  const turns = new Turns(clock, { mostMs: 0 });
  const sent: string[] = [];
  const left = new Map(Object.entries(counts));
  const critical = new Map<string, number>();
  const open = new Map<string, () => void>();
  const blocked = new Set<string>();
  const pumps = new Map(
    Object.keys(counts).map((name) => [
      name,
      pumpOver(
        {
          id: "sub_1",
          subscriberId: "reader",
          take: (only) => {
            const pool = (critical.get(name) ?? 0) > 0 ? critical : left;
            const count = pool.get(name) ?? 0;
            if (count === 0 || (only === "critical" && pool === left)) return { kind: "idle" };
            pool.set(name, count - 1);
            sent.push(pool === critical ? name.toUpperCase() : name);
            return { kind: "batch", batch: PIECE, isAll: false };
          },
          setBlocked: () => undefined,
          terms: { checkpoints: false },
          checkpoint: () => undefined,
        },
        {
          send: () => !blocked.has(name),
          writable: () => new Promise((resolve) => open.set(name, resolve)),
          failed: () => undefined,
          ended: () => undefined,
        },
        { clock, sendingTurns: turns },
      ),
    ]),
  );
  return {
    clock,
    sent,
    blocked,
    open: (name: string) => open.get(name)?.(),
    wake: (...names: string[]) => {
      for (const name of names) pumps.get(name)?.wake();
    },
    stop: (name: string) => pumps.get(name)?.stop(),
    addCritical: (name: string) => {
      critical.set(name, (critical.get(name) ?? 0) + 1);
      pumps.get(name)?.wake();
    },
  };
}

describe("turns of sending", () => {
  it("R34: go round, a piece a turn", () => {
    const { clock, sent, wake } = stage({ a: 3, b: 2, c: 1 });
    wake("a", "b", "c");
    const perTurn: number[] = [];
    for (let turn = 0; turn < 12; turn += 1) {
      const before = sent.length;
      clock.turn();
      perTurn.push(sent.length - before);
    }
    expect(Math.max(...perTurn)).toBe(1);
    expect(sent.join("")).toBe("aabcab");
  });

  it("R4, R34: what is critical leaves in the turn in which it comes, though its subscription waits for its own", () => {
    const { clock, sent, wake, addCritical } = stage({ a: 50, b: 50, z: 50 });
    wake("a", "b", "z");
    for (let turn = 0; turn < 5; turn += 1) clock.turn();
    const before = sent.length;
    addCritical("z");
    addCritical("z");
    clock.turn();
    expect(sent.slice(before)).toContain("Z");
    expect(sent.slice(before)).toHaveLength(2);
  });
});

it("R34: work that comes all at once is done in order, a few pieces a turn", () => {
  const clock = createVirtualClock();
  const turns = new Turns(clock, { most: 2 });
  const done: number[] = [];
  for (let piece = 0; piece < 5; piece += 1) turns.run(() => done.push(piece));
  expect(done).toEqual([0, 1]);
  clock.turn();
  expect(done).toEqual([0, 1, 2, 3]);
  clock.settle();
  expect(done).toEqual([0, 1, 2, 3, 4]);
});

describe("R34: a piece of work that took longer than a turn", () => {
  const afterWorkOf = (ms: number) => {
    const clock = createVirtualClock();
    const turns = new Turns(clock);
    turns.enter();
    clock.pass(ms);
    turns.over();
    return { clock, turns };
  };

  it.each([
    [0, 0],
    [2, 0],
    [3, 1],
    [4, 1],
    [10, 4],
    [3_600_000, 25],
  ])("of %i ms leaves %i turns to others: heavy work waits, and light work goes on", (ms, left) => {
    const { clock, turns } = afterWorkOf(ms);
    for (let turn = 0; turn < left; turn += 1) {
      clock.turn();
      expect([turns.enter("heavy"), turns.enter("unknown"), turns.enter()]).toEqual([false, false, true]);
    }
    clock.turn();
    expect(turns.enter("heavy")).toBe(true);
  });

  it("lets light work overtake heavy work that waits", () => {
    const { clock, turns } = afterWorkOf(6);
    const done: string[] = [];
    turns.wait(() => done.push("heavy"), "heavy");
    turns.wait(() => done.push("light"));
    clock.settle();
    expect(done).toEqual(["light", "heavy"]);
  });
});

describe("R34: work that waits for other work", () => {
  /** Whether heavy work has room in each of so many turns. */
  function roomByTurn(clock: VirtualClock, turns: Turns, turnCount: number): readonly boolean[] {
    return Array.from({ length: turnCount }, () => {
      clock.turn();
      return turns.enter("heavy");
    });
  }

  it("has room once nobody waits for a turn of the other, if it is heavy", () => {
    const clock = createVirtualClock();
    const sending = new Turns(clock, { most: 1 });
    const turns = new Turns(clock, { goesFirst: sending });
    for (let piece = 0; piece < 3; piece += 1) sending.wait(() => undefined);
    expect([turns.enter("heavy"), turns.enter("unknown")]).toEqual([false, true]);
    expect(roomByTurn(clock, turns, 3)).toEqual([false, false, true]);
  });

  it("has room in one of 26 turns where light work is long again and again", () => {
    const clock = createVirtualClock();
    const turns = new Turns(clock);
    const room = Array.from({ length: 52 }, () => {
      clock.turn();
      const hasRoom = turns.enter("heavy");
      turns.enter();
      clock.pass(20);
      turns.over();
      return hasRoom;
    });
    expect(room.flatMap((hasRoom, turn) => (hasRoom ? [turn] : []))).toEqual([0, 26]);
  });

  it("has room in one of 26 turns where the other never ends", () => {
    const clock = createVirtualClock();
    const sending = new Turns(clock);
    const turns = new Turns(clock, { goesFirst: sending });
    const goOn = (): void => void sending.wait(goOn);
    goOn();
    const room = roomByTurn(clock, turns, 78);
    expect(room.flatMap((hasRoom, turn) => (hasRoom ? [turn] : []))).toEqual([25, 51, 77]);
  });
});
