// What is kept of where subscribers are: what it costs, and when a subscription that has come back must go on in order (R17).
import { describe, expect, it } from "vitest";
import { Fault } from "../../../src/base/errors.js";
import type { StateKey } from "../../../src/contracts/journal.js";
import type { OrderedReturn } from "../../../src/engine/catch-up/ordered-return.js";
import { createSubscriberLows } from "../../../src/engine/resume/subscriber-lows.js";
import { wakeUpsOf } from "../../../src/engine/time/wake-ups.js";
import { SILENT_LOG, session } from "../../support/rigs/engine-rig.js";
import { createRuns, told } from "../../support/rigs/restart-rig.js";
import { begin } from "../../support/rigs/restart-session.js";
import { createVirtualClock } from "../../support/rigs/virtual-clock.js";

const SAFE = 2000;

interface Subscription {
  owed: number;
  order: OrderedReturn | undefined;
  keptCount: number;
  askedCount: number;
}

function rig(before: readonly (readonly [string, number, number])[] = []) {
  const clock = createVirtualClock();
  const puts = new Map<string, () => unknown>();
  const waiting: ((fault?: Fault) => void)[] = [];
  const lows = createSubscriberLows({
    kept: {
      isKept: true,
      put: (key, value) => void puts.set(JSON.stringify(key), value),
      removeAll: () => undefined,
      recovered: (): Iterable<readonly [StateKey, unknown]> => (before.length === 0 ? [] : [[["low", 0], before]]),
    },
    log: SILENT_LOG,
    clock,
    wakeUps: wakeUpsOf(clock),
    safe: () => SAFE,
    safety: () =>
      new Promise((resolve, reject) => {
        waiting.push((fault) => (fault === undefined ? resolve() : reject(fault)));
      }),
    keepMoved: () => undefined,
  });
  return {
    clock,
    lows,
    /** The groups that are waited for, oldest first. */
    waiting,
    write: (): readonly unknown[] => [...puts.values()].map((value) => value()),
    open: (name: string, owed: number): Subscription => {
      const subscription: Subscription = { owed, order: undefined, keptCount: 0, askedCount: 0 };
      lows.opened(name, {
        owedFrom: () => {
          subscription.askedCount += 1;
          return subscription.owed;
        },
        readsBack: () => true,
        keepOrder: (order) => {
          subscription.order = order;
        },
        placeKept: () => {
          subscription.order = undefined;
          subscription.keptCount += 1;
        },
        placeRefused: () => subscription.order !== undefined,
      });
      return subscription;
    },
  };
}

const full = new Fault("storage_unavailable", "The disk takes nothing.", { rule: "R29" });

describe("a subscription that comes back", () => {
  it("goes on in order up to what the disk remembers, until the disk has its own place", async () => {
    const { open, waiting } = rig([["reader", 1500, 0]]);
    const back = open("reader", 1200);
    expect(back.order).toEqual({ upTo: SAFE, until: 1500, isRefused: false });
    waiting[0]?.();
    await told();
    expect(back.order).toBeUndefined();
    expect(open("reader", 1200).order).toBeUndefined();
    expect(open("reader", 1100).order).toMatchObject({ until: 1200 });
  });

  it("need not, where the disk remembers no later place", () => {
    expect(rig([["reader", 1500, 0]]).open("reader", 1500).order).toBeUndefined();
  });

  it("does so up to all that the disk has, where nothing is remembered of it", () => {
    expect(rig().open("stranger", 1200).order).toMatchObject({ until: SAFE + 1 });
    expect(rig().open("newcomer", SAFE + 1).order).toBeUndefined();
  });

  it("is held to the highest place that may be on the disk by then, where another has moved on meanwhile", async () => {
    const { open, waiting, lows, clock } = rig([["reader", 1500, 0]]);
    const first = open("reader", 1200);
    first.owed = 1400;
    lows.moved();
    clock.advance(1000);
    waiting[0]?.();
    await told();
    expect(open("reader", 1300).order).toMatchObject({ until: 1400 });
  });

  it("asks once a second whether the disk has its place, as long as it takes nothing and it is there", async () => {
    const { open, waiting, clock, lows } = rig([["reader", 1500, 0]]);
    const back = open("reader", 1200);
    waiting[0]?.(full);
    await told();
    clock.advance(1000);
    expect(waiting).toHaveLength(2);
    waiting[1]?.();
    await told();
    expect(back.keptCount).toBe(1);
    open("reader", 1100);
    waiting[2]?.(full);
    await told();
    lows.close();
    clock.advance(10_000);
    expect(waiting).toHaveLength(3);
  });
});

describe("what it costs that many are there", () => {
  it("is nothing for each event: they are asked once a second where they are", () => {
    const { open, lows, clock } = rig();
    const all = Array.from({ length: 100 }, (_, index) => open(`reader ${index}`, SAFE + 1));
    const asked = (): number => all.reduce((sum, { askedCount }) => sum + askedCount, 0);
    const before = asked();
    for (let count = 0; count < 10_000; count += 1) lows.moved();
    expect(asked()).toBe(before);
    clock.advance(1000);
    expect(asked()).toBe(before + all.length);
  });

  it("is no work at all for those whose filters exclude what is published", () => {
    const run = createRuns().start();
    begin(run);
    const terms = run.listen().subscription.terms();
    let wokenCount = 0;
    for (let index = 0; index < 100; index += 1) {
      run.engine
        .subscribe({
          subscriberId: `reader ${index}`,
          terms: { ...terms, eventFilters: { include: [], exclude: [] } },
          resumeAfter: undefined,
          wake: () => {
            wokenCount += 1;
          },
          ended: () => undefined,
        })
        .take();
    }
    const before = wokenCount;
    for (let count = 0; count < 50; count += 1) run.publish(session().progress(count));
    expect(wokenCount).toBe(before);
  });
});
