// When a subscription is told its place: within a second after a hand-over, not more often, and at no cost while its place stands still (R17, R34).
import { describe, expect, it } from "vitest";
import { createTurnRoom } from "../../src/engine/time/turn-room.js";
import { createCheckpoint } from "../../src/engine/views/checkpoint.js";
import { createDeliveryRun, type DeliveryRun } from "../../src/engine/views/delivery.js";
import { createCheckpoints } from "../../src/runtime/checkpoints.js";
import { createPump } from "../../src/runtime/pump.js";
import { createSendingTurns } from "../../src/runtime/sending-turns.js";
import { createVirtualClock } from "../support/rigs/virtual-clock.js";

function createStage() {
  const clock = createVirtualClock();
  const services = {
    clock,
    sendingTurns: createSendingTurns(clock, createTurnRoom(clock)),
    checkpoints: createCheckpoints(clock),
  };
  const listen = () => {
    const state = { epoch: 0, isMoving: true, isOpen: true, left: 0, lookCount: 0 };
    const toldAt: number[] = [];
    let open: () => void = () => {};
    let told = 0;
    const pump = createPump(
      {
        take: () => {
          if (state.left === 0) return { kind: "idle" };
          state.left -= 1;
          if (state.isMoving) state.epoch += 1;
          return { kind: "run", run: createDeliveryRun([]) };
        },
        setBlocked: () => {},
        wantsCheckpoints: () => true,
        checkpoint: (isDue) => {
          if (!isDue) return undefined;
          state.lookCount += 1;
          if (state.epoch === told) return undefined;
          told = state.epoch;
          return createCheckpoint(`c${told}`, told);
        },
      },
      {
        send: ({ checkpoint }: DeliveryRun) => {
          if (checkpoint !== undefined) toldAt.push(clock.now());
          return state.isOpen;
        },
        writable: () =>
          new Promise((resolve) => {
            open = resolve;
          }),
        failed: () => {},
      },
      services,
    );
    const give = (count = 1): void => {
      state.left += count;
      pump.wake();
      clock.settle();
    };
    const letGo = async (): Promise<void> => {
      state.isOpen = true;
      open();
      await Promise.resolve();
      await Promise.resolve();
    };
    return { pump, state, toldAt, give, letGo };
  };
  return { clock, listen };
}

describe("R17: checkpoints", () => {
  it("come within a second after a hand-over, and no more often", () => {
    const { clock, listen } = createStage();
    const { give, toldAt } = listen();
    give();
    const handed: number[] = [];
    for (let at = 0; at < 5000; at += 70) {
      handed.push(clock.now());
      give();
      clock.advance(70);
    }
    clock.advance(2000);
    for (const [index, at] of toldAt.entries()) expect(at - (toldAt[index - 1] ?? -1000)).toBeGreaterThanOrEqual(999);
    for (const at of handed) expect(toldAt.some((told) => told >= at && told <= at + 1000)).toBe(true);
  });

  it("R34: a place that stands still is looked at once a second, however much is handed over", () => {
    const { clock, listen } = createStage();
    const { give, state, toldAt } = listen();
    give();
    state.isMoving = false;
    clock.advance(2000);
    state.lookCount = 0;
    for (let at = 0; at < 3000; at += 10) {
      give(3);
      clock.advance(10);
    }
    expect(state.lookCount).toBeLessThanOrEqual(5);
    state.isMoving = true;
    give();
    const at = clock.now();
    clock.advance(1000);
    expect(toldAt.at(-1)).toBeGreaterThanOrEqual(at);
  });

  it("P7: one whose first take was told its place hears later of what was kept back from it as well", () => {
    const { clock, listen } = createStage();
    const { give, state, toldAt } = listen();
    give();
    state.epoch += 1;
    clock.advance(31_000);
    expect(toldAt).toHaveLength(2);
  });

  it("one that took and was blocked at once is told in time, though the last of the others leaves", async () => {
    const { clock, listen } = createStage();
    const one = listen();
    one.state.isMoving = false;
    one.state.isOpen = false;
    one.give();
    const other = listen();
    other.give();
    one.state.epoch += 1;
    other.pump.stop();
    await one.letGo();
    clock.advance(1100);
    expect(one.toldAt).toHaveLength(1);
  });

  it("leave no timer behind", () => {
    const { clock, listen } = createStage();
    const listeners = [listen(), listen()];
    for (const { give } of listeners) give(3);
    expect(clock.pending()).toBeGreaterThan(0);
    for (const { pump } of listeners) pump.stop();
    expect(clock.pending()).toBe(0);
  });
});
