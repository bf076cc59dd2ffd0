import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RateBudget } from "../../../src/engine/subscriptions/rate-budget.js";
import { casesOf } from "../../support/extent.js";

interface Change {
  readonly at: number;
  readonly rate: number | undefined;
}

/** How much may have leaked in between `from` and `to` (ms) under rates that changed; infinite where there was no limit at some time. */
function replenished(changes: readonly Change[], from: number, to: number): number {
  let events = 0;
  for (const [index, change] of changes.entries()) {
    const end = Math.min(to, changes[index + 1]?.at ?? to);
    const start = Math.max(from, change.at);
    if (end < start) continue;
    if (change.rate === undefined) return Number.POSITIVE_INFINITY;
    events += ((end - start) * change.rate) / 1000;
  }
  return events;
}

/** What the clock itself cannot tell apart, as events: four units in the last place of its latest reading, at the highest rate. */
function clockRounding(sent: readonly number[], changes: readonly Change[]): number {
  const highest = Math.max(1, ...changes.map((change) => change.rate ?? 0));
  return (Math.max(1, ...sent) * Number.EPSILON * 4 * highest) / 1000;
}

function expectWithinBudget(sent: readonly number[], changes: readonly Change[], burst: number): void {
  const tolerance = clockRounding(sent, changes);
  for (let first = 0; first < sent.length; first += 1) {
    for (let last = first; last < sent.length; last += 1) {
      const allowed = replenished(changes, sent[first] ?? 0, sent[last] ?? 0) + burst;
      expect(last - first + 1).toBeLessThanOrEqual(allowed + tolerance);
    }
  }
}

const rate = fc.oneof(fc.integer({ min: 1, max: 10 }), fc.integer({ min: 1, max: 100_000 }));
const burst = fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 20 }));
const wait = fc.oneof(fc.constant(0), fc.nat(500), fc.double({ min: 0, max: 3000, noNaN: true }));
const start = fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1e10, noNaN: true }));

describe("RateBudget", () => {
  test("R9: in any window of T seconds at most rate × T + burst leave, however greedily they are taken", () => {
    fc.assert(
      fc.property(
        rate,
        burst,
        start,
        fc.array(wait, { minLength: 1, maxLength: 40 }),
        (perSecond, most, from, waits) => {
          const budget = new RateBudget(perSecond, most, from);
          const sent: number[] = [];
          let now = from;
          for (const pause of waits) {
            now += pause;
            // As many as there are, then at the very moment the next one is due.
            for (let more = 0; more < 3; more += 1) {
              if (budget.availableAt() > now && more === 2) now = budget.availableAt();
              if (budget.availableAt() > now) continue;
              budget.spend(now);
              sent.push(now);
            }
          }
          expectWithinBudget(sent, [{ at: from, rate: perSecond }], most);
        },
      ),
      { numRuns: casesOf(1500) },
    );
  });

  test("R9: nothing is given away: under constant pressure the rate is reached", () => {
    fc.assert(
      fc.property(rate, burst, start, (perSecond, most, from) => {
        const budget = new RateBudget(perSecond, most, from);
        let now = from;
        const count = most + 50;
        for (let event = 0; event < count; event += 1) {
          now = Math.max(now, budget.availableAt());
          budget.spend(now);
        }
        const ideal = (50 * 1000) / perSecond;
        expect(now - from).toBeCloseTo(ideal, 3);
      }),
      { numRuns: casesOf(1000) },
    );
  });

  test("R9: a change of terms never grants more than the old and the new rate in their own times", () => {
    const step = fc.oneof(
      { weight: 4, arbitrary: wait.map((pause) => ({ kind: "wait" as const, pause })) },
      { weight: 1, arbitrary: fc.option(rate, { nil: undefined }).map((next) => ({ kind: "retune" as const, next })) },
    );
    fc.assert(
      fc.property(rate, burst, fc.array(step, { minLength: 2, maxLength: 40 }), (first, most, steps) => {
        const budget = new RateBudget(first, most, 0);
        const changes: Change[] = [{ at: 0, rate: first }];
        const sent: number[] = [];
        let now = 0;
        for (const one of steps) {
          if (one.kind === "retune") {
            budget.retune(one.next, now);
            changes.push({ at: now, rate: one.next });
          } else {
            now += one.pause;
          }
          for (let more = 0; more < 3 && budget.availableAt() <= now; more += 1) {
            budget.spend(now);
            sent.push(now);
          }
        }
        expectWithinBudget(sent, changes, most);
      }),
      { numRuns: casesOf(1500) },
    );
  });

  test("R4: a debt is repaid before the next event", () => {
    const budget = new RateBudget(2, 1, 0);
    for (let event = 0; event < 4; event += 1) budget.spend(100);
    expect(budget.availableAt()).toBe(2100);
    budget.retune(4, 1100);
    // One second at 2/s repaid two of four; half a second at 4/s repays the other two.
    expect(budget.availableAt()).toBe(1600);
  });
});
