// R8a, R34: the end of a subscription from this side, as its peer takes it.
import { describe, expect, it } from "vitest";
import type { Drained, PendingDeliveries } from "../../src/engine/subscriptions/subscription-spec.js";
import { Turns } from "../../src/engine/time/turns.js";
import type { DeliveryBatch } from "../../src/engine/views/delivery.js";
import { type DeliverySink, Pump, type PumpServices } from "../../src/runtime/pump.js";
import { createVirtualClock, type VirtualClock } from "../support/rigs/virtual-clock.js";

const servicesOf = (clock: VirtualClock, turnRoomMs?: number) => ({
  clock,
  sendingTurns: new Turns(clock, { mostMs: turnRoomMs }),
});

const handOver = (
  pending: PendingDeliveries,
  { send, writable }: Pick<DeliverySink, "send" | "writable">,
  until: number,
  services: PumpServices,
): Promise<number> =>
  new Pump({ send, writable, failed: () => undefined, ended: () => undefined }, services).handOver(pending, until);

const runOf = (length: number): DeliveryBatch => ({ deliveries: Array.from({ length }), memo: new Map() }) as never;

/** A debt in these parts; each event of a part that was not asked for is left. */
function owing(parts: readonly (number | "later")[]): PendingDeliveries & { readonly askedFor: () => number } {
  let next = 0;
  return {
    askedFor: () => next,
    drain: (): Drained => {
      const part = parts[next];
      next += 1;
      if (part === undefined) return { kind: "done" };
      return part === "later" ? { kind: "later" } : { kind: "batch", batch: runOf(part) };
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
    send: (batch: DeliveryBatch) => {
      sent.push(batch.deliveries.length);
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

describe("R8a: the last that a peer is handed over", () => {
  it("follows as it takes it, and nothing is asked for before", async () => {
    const clock = createVirtualClock();
    const owed = owing([10, 10, 10]);
    const slow = peer(() => false);
    const done = handOver(owed, slow, 1000, servicesOf(clock));
    expect([owed.askedFor(), slow.sent]).toEqual([1, [10]]);
    for (const sentCount of [2, 3]) {
      await breathe();
      slow.takeMore();
      await breathe();
      expect(slow.sent).toHaveLength(sentCount);
    }
    await breathe();
    slow.takeMore();
    expect(await done).toBe(0);
    expect(clock.pending()).toBe(0);
  });

  it("ends a quarter of a short time before it is over, and tells how much is left", async () => {
    const clock = createVirtualClock();
    const stuck = peer(() => false);
    const done = handOver(owing([10, 20, 30]), stuck, 1000, servicesOf(clock));
    clock.advance(749);
    await breathe();
    expect(stuck.sent).toEqual([10]);
    clock.advance(1);
    expect(await done).toBe(50);
  });

  it("R34: shares the turns of those that are sent to, and gives way to what is still being read", async () => {
    const clock = createVirtualClock();
    const services = servicesOf(clock, 0);
    const first = peer(() => true);
    const second = peer(() => true);
    const done = [
      handOver(owing([64, 64, "later", 64]), first, 1000, services),
      handOver(owing([32]), second, 1000, services),
    ];
    const sentByTurn: number[] = [];
    for (let turn = 0; turn < 12; turn += 1) {
      await breathe();
      sentByTurn.push(first.sent.length + second.sent.length);
      clock.turn();
    }
    // One piece of work a turn: the first one's part, then the second one's, and so on.
    expect(sentByTurn.slice(0, 3)).toEqual([1, 2, 3]);
    expect(sentByTurn.every((count, turn) => turn === 0 || count - (sentByTurn[turn - 1] ?? 0) <= 1)).toBe(true);
    expect(await Promise.all(done)).toEqual([0, 0]);
    expect([first.sent, second.sent]).toEqual([[64, 64, 64], [32]]);
  });

  it("R8a: keeps the end of the time for the close", async () => {
    const clock = createVirtualClock();
    const stuck = peer(() => false);
    const done = handOver(owing([10, 20]), stuck, 10_000, servicesOf(clock));
    clock.advance(9_499);
    await breathe();
    expect(clock.pending()).toBe(1);
    clock.advance(1);
    expect(await done).toBe(20);
  });
});
