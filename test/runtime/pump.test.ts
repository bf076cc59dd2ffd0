import { describe, expect, it } from "vitest";
import type { Fault } from "../../src/base/errors.js";
import type { DeliverySource } from "../../src/contracts/protocol.js";
import { Turns } from "../../src/engine/time/turns.js";
import { batchOf, type DeliveryBatch } from "../../src/engine/views/delivery.js";
import { Pump } from "../../src/runtime/pump.js";
import { createVirtualClock } from "../support/rigs/virtual-clock.js";

function pumpOver(source: DeliverySource, ...given: ConstructorParameters<typeof Pump>): Pump {
  const pump = new Pump(...given);
  pump.join(source);
  return pump;
}

/** A source of so many runs, and a sink that takes while `isOpen`. */
function stage(count: number) {
  const clock = createVirtualClock();
  const sent: DeliveryBatch[] = [];
  const failures: Fault[] = [];
  const blocked: boolean[] = [];
  let left = count;
  let open: () => void = () => {};
  const state = { isOpen: true, accident: undefined as Error | undefined };
  const pump = pumpOver(
    {
      id: "sub_1",
      subscriberId: "reader",
      take: () => {
        if (state.accident !== undefined) throw state.accident;
        if (left === 0) return { kind: "idle" };
        left -= 1;
        return { kind: "batch", batch: batchOf([]), isAll: false };
      },
      setBlocked: (isBlocked) => blocked.push(isBlocked),
      terms: { checkpoints: false },
      checkpoint: () => undefined,
    },
    {
      send: (batch) => {
        sent.push(batch);
        return state.isOpen;
      },
      writable: () =>
        new Promise((resolve) => {
          open = resolve;
        }),
      failed: (fault) => failures.push(fault),
      ended: () => undefined,
    },
    { clock, sendingTurns: new Turns(clock) },
  );
  return {
    clock,
    pump,
    sent,
    failures,
    blocked,
    state,
    letGo: async () => {
      open();
      await Promise.resolve();
      await Promise.resolve();
    },
  };
}

describe("the pump", () => {
  it("pulls once at the end of a turn, however often it is woken", () => {
    const { clock, pump, sent } = stage(3);
    pump.wake();
    pump.wake();
    expect(sent).toHaveLength(0);
    clock.settle();
    expect(sent).toHaveLength(3);
  });

  it("pulls nothing while the peer takes nothing, and goes on when it does", async () => {
    const { clock, pump, sent, blocked, state, letGo } = stage(5);
    state.isOpen = false;
    pump.wake();
    clock.settle();
    pump.wake();
    clock.settle();
    expect([sent.length, blocked]).toEqual([1, [true]]);
    state.isOpen = true;
    await letGo();
    expect([sent.length, blocked]).toEqual([5, [true, false]]);
  });

  it("an accident in making an event ends this pump and nothing else", () => {
    const { clock, pump, sent, failures, state } = stage(5);
    state.accident = new RangeError("broken");
    pump.wake();
    clock.settle();
    expect(failures.map(({ code, cause }) => [code, cause])).toEqual([["internal", state.accident]]);
    state.accident = undefined;
    pump.wake();
    clock.settle();
    expect([sent.length, failures.length]).toEqual([0, 1]);
  });

  it("does nothing after it was stopped, whatever is still to come", async () => {
    const { clock, pump, sent, state, letGo } = stage(5);
    state.isOpen = false;
    pump.wake();
    clock.settle();
    pump.stop();
    state.isOpen = true;
    await letGo();
    pump.wake();
    clock.settle();
    expect(sent).toHaveLength(1);
  });
});
