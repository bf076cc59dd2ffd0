// R17, R34: what a subscription is owed is known without looking at all the text that its view holds.
import { describe, expect, it } from "vitest";
import { lowestIn } from "../../../src/engine/catch-up/reading-point.js";
import type { View } from "../../../src/engine/views/view.js";

/** A view of which nothing but these is asked. */
function viewWith(owedFrom: number, units: readonly object[]): View {
  const log = { from: (index: number) => units.slice(index) };
  return { owedFrom: () => owedFrom, log } as unknown as View;
}

describe("the lowest epoch that a place in a view has not given", () => {
  const text = { kind: "text", firstEpoch: 7, epoch: 9 };
  const event = { kind: "event", firstEpoch: 3, epoch: 8 };

  it.each([
    ["what the view holds", 5, [text], 0, 5],
    ["the first part of a text", 20, [event, text], 0, 7],
    ["an event, as it stands", 20, [event], 0, 8],
    ["what stands before the place does not count", 20, [text], 1, 20],
  ] as const)("%s", (_, owedFrom, units, cursor, lowest) => {
    expect(lowestIn({ view: viewWith(owedFrom, units), cursor })).toBe(lowest);
  });
});
