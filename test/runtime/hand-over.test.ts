// R8a, R34: the end of a subscription from this side, as its peer takes it.
import { describe, expect, it } from "vitest";
import type { DeliveryRun } from "../../src/engine/delivery.js";
import type { Drained, Owed } from "../../src/engine/stream.js";
import { handOver } from "../../src/runtime/hand-over.js";
import { createVirtualClock } from "../support/virtual-clock.js";

const runOf = (length: number): DeliveryRun => ({ deliveries: Array.from({ length }), memo: new Map() }) as never;

/** A debt in these parts; each event of a part that was not asked for is left. */
function owing(parts: readonly (number | "later")[]): Owed & { readonly askedFor: () => number } {
  let next = 0;
  return {
    askedFor: () => next,
    drain: (): Drained => {
      const part = parts[next];
      next += 1;
      if (part === undefined) return { kind: "done" };
      return part === "later" ? { kind: "later" } : { kind: "run", run: runOf(part) };
    },
    leftCount: () => parts.slice(next).reduce<number>((sum, part) => sum + (part === "later" ? 0 : part), 0),
  };
}

/** A peer that takes what it is told to. */
function peer(isTaken: () => boolean) {
  const sent: number[] = [];
  let goOn: () => void = () => {};
  return {
    sent,
    takeMore: () => goOn(),
    send: (run: DeliveryRun) => {
      sent.push(run.deliveries.length);
      return isTaken();
    },
    writable: () =>
      new Promise<void>((resolve) => {
        goOn = resolve;
      }),
  };
}

/** Lets everything that waits for promises go on. */
const breathe = async (): Promise<void> => {
  for (let count = 0; count < 20; count += 1) await Promise.resolve();
};

describe("R8a, S7: the last that a peer is handed over", () => {
  it("follows as it takes it, and nothing is asked for before", async () => {
    const clock = createVirtualClock();
    const owed = owing([10, 10, 10]);
    const slow = peer(() => false);
    const done = handOver(owed, slow, 1000, clock);
    expect([owed.askedFor(), slow.sent]).toEqual([1, [10]]);
    for (const sentCount of [2, 3]) {
      slow.takeMore();
      await breathe();
      expect(slow.sent).toHaveLength(sentCount);
    }
    slow.takeMore();
    expect(await done).toBe(0);
    expect(clock.pending()).toBe(0);
  });

  it("ends when the time is over, and tells how much is left", async () => {
    const clock = createVirtualClock();
    const stuck = peer(() => false);
    const done = handOver(owing([10, 20, 30]), stuck, 1000, clock);
    clock.advance(999);
    await breathe();
    expect(stuck.sent).toEqual([10]);
    clock.advance(1);
    expect(await done).toBe(50);
  });

  it("R34: gives way between turns, to others and to what is still being read", async () => {
    const clock = createVirtualClock();
    const quick = peer(() => true);
    const done = handOver(owing([64, 64, 64, "later", 64]), quick, 1000, clock);
    expect(quick.sent).toEqual([64, 64]);
    clock.turn();
    await breathe();
    expect(quick.sent).toEqual([64, 64, 64]);
    clock.turn();
    await breathe();
    expect(quick.sent).toEqual([64, 64, 64, 64]);
    clock.turn();
    expect(await done).toBe(0);
  });
});
