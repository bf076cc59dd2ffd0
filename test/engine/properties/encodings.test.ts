// R14: an event is encoded once for every shape and wire format, whatever the number of subscriptions.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { WireFormat } from "../../../src/engine/delivery.js";
import type { AgentEvent } from "../../../src/engine/event.js";
import type { Terms } from "../../../src/engine/terms.js";
import { CASES, type Plan, plans, publishOperation } from "../../support/delivery-plans.js";
import { live } from "../../support/delivery-world.js";

interface CountingFormat {
  readonly format: WireFormat<string>;
  readonly encoded: AgentEvent[];
}

function countingFormat(name: string): CountingFormat {
  const encoded: AgentEvent[] = [];
  const encode = (event: AgentEvent): string => {
    encoded.push(event);
    return `${name} ${JSON.stringify(event)}`;
  };
  return { format: { name, encode }, encoded };
}

/** How often each format encoded, when every listener encodes all that it received, in each of them. */
function encodingsOf(plan: Plan): { readonly counts: readonly number[]; readonly received: number } {
  const world = live(plan);
  const formats = [countingFormat("a"), countingFormat("b"), countingFormat("c")];
  let received = 0;
  for (const { listener } of world.connections) {
    for (const { event, delivery } of listener.received) {
      received += 1;
      for (const { format } of formats)
        expect(delivery.encoded(format)).toBe(`${format.name} ${JSON.stringify(event)}`);
    }
  }
  for (const { encoded } of formats) expect(new Set(encoded).size).toBe(encoded.length);
  return { counts: formats.map(({ encoded }) => encoded.length), received };
}

const shaped: fc.Arbitrary<Partial<Terms>> = fc.record({
  coalesceBoundaries: fc.constantFrom<Terms["coalesceBoundaries"][]>(["sentence", "completion"], ["none"]),
  preferredVerbosity: fc.constantFrom("terse", "normal"),
});

describe("encoding", () => {
  it("R14: is done once a shape and format; more subscriptions of the same terms cost no more", () => {
    fc.assert(
      fc.property(plans(publishOperation, { seats: shaped, most: 18 }), (drawn) => {
        const plan = { ...drawn, viewWindowCount: 1024 };
        const once = encodingsOf(plan);
        const thrice = encodingsOf({ ...plan, seats: [...plan.seats, ...plan.seats, ...plan.seats] });
        expect(thrice.counts).toEqual(once.counts);
        expect(new Set(once.counts).size).toBe(1);
        expect(thrice.received).toBe(once.received * 3);
        // One view and one shape: as many encodings as events.
        const alone = encodingsOf({ ...plan, seats: plan.seats.slice(0, 1) });
        expect(alone.counts[0]).toBe(alone.received);
      }),
      { numRuns: CASES },
    );
  });
});
