// R17: from where one that comes back has to read. Looks are counted: with many that wait, asking must not look at each of them.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LowestEpochs } from "../../../src/engine/views/lowest-epochs.js";
import { casesOf } from "../../support/extent.js";

interface Thing {
  epoch: number | undefined;
}

function counting(): { readonly epochs: LowestEpochs<Thing>; readonly lookCount: () => number } {
  let looks = 0;
  const epochs = new LowestEpochs<Thing>((thing) => {
    looks += 1;
    return thing.epoch;
  });
  return { epochs, lookCount: () => looks };
}

describe("R17: the lowest epoch of many", () => {
  it("looks at one of ten thousand to know the lowest of them", () => {
    const { epochs, lookCount } = counting();
    const count = 10_000;
    for (let epoch = 1; epoch <= count; epoch += 1) epochs.add({ epoch });
    const before = lookCount();
    for (let asked = 0; asked < count; asked += 1) expect(epochs.lowest()).toBe(1);
    expect(lookCount() - before).toBe(count);
  });

  it("looks a few times at each of ten thousand that go one after the other", () => {
    const { epochs, lookCount } = counting();
    const count = 10_000;
    const things = Array.from({ length: count }, (_, index): Thing => ({ epoch: index + 1 }));
    for (const thing of things) epochs.add(thing);
    for (const thing of things) {
      expect(epochs.lowest()).toBe(thing.epoch);
      epochs.remove(thing);
    }
    expect(epochs.lowest()).toBeUndefined();
    expect(lookCount()).toBeLessThan(4 * count);
  });

  it("looks twice at each of ten thousand that are empty, however often what is left is asked for", () => {
    const { epochs, lookCount } = counting();
    const count = 10_000;
    const things = Array.from({ length: count }, (_, index): Thing => ({ epoch: index + 1 }));
    for (const thing of things) epochs.add(thing);
    for (const thing of things.slice(0, -2)) thing.epoch = undefined;
    for (let asked = 0; asked < 1000; asked += 1) expect(epochs.lowest()).toBe(count - 1);
    expect(lookCount()).toBeLessThan(4 * count);
  });

  it("says what a look at all of them would, while they come, move on, go and come again", () => {
    const step = fc.tuple(fc.constantFrom("add", "raise", "empty", "remove", "ask"), fc.nat(7), fc.nat(9));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const { epochs } = counting();
        const things = Array.from({ length: 8 }, (): Thing => ({ epoch: undefined }));
        const counted = new Set<Thing>();
        const floors = new Map<Thing, number>();
        for (const [action, index, amount] of steps) {
          const thing = things[index] as Thing;
          if (action === "add") {
            // What was empty goes on where it stood.
            thing.epoch ??= (floors.get(thing) ?? 0) + amount;
            epochs.add(thing);
            counted.add(thing);
          } else if (action === "raise" && thing.epoch !== undefined) thing.epoch += amount;
          else if (action === "empty" && thing.epoch !== undefined) {
            floors.set(thing, thing.epoch);
            thing.epoch = undefined;
            counted.delete(thing);
          } else if (action === "remove") {
            epochs.remove(thing);
            counted.delete(thing);
          } else if (action === "ask") {
            const all = [...counted].map(({ epoch }) => epoch as number);
            expect(epochs.lowest()).toBe(all.length === 0 ? undefined : Math.min(...all));
          }
        }
      }),
      { numRuns: casesOf(300) },
    );
  });
});
