// R14: an event is encoded once for every shape and wire format, whatever the number of subscriptions.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AgentEvent } from "../../../src/engine/event/event.js";
import type { Terms } from "../../../src/engine/terms/terms.js";
import type { WireFormat } from "../../../src/engine/views/delivery.js";
import { CASES, type Plan, plans, publishOperation } from "../../support/rigs/delivery-plans.js";
import { live } from "../../support/rigs/delivery-world.js";
import { createEngineRig, session } from "../../support/rigs/engine-rig.js";

interface CountingFormat {
  readonly name: string;
  readonly format: WireFormat<string>;
  readonly encoded: AgentEvent[];
}

function countingFormat(name: string): CountingFormat {
  const encoded: AgentEvent[] = [];
  const encode = (event: AgentEvent): string => {
    encoded.push(event);
    return `${name} ${JSON.stringify(event)}`;
  };
  return { name, format: { encode }, encoded };
}

/** How often each format encoded, when every listener encodes all that it received, in each of them. */
function encodingsOf(plan: Plan): { readonly counts: readonly number[]; readonly received: number } {
  const world = live(plan);
  const formats = [countingFormat("a"), countingFormat("b"), countingFormat("c")];
  let received = 0;
  for (const { listener } of world.connections) {
    for (const { event, delivery } of listener.received) {
      received += 1;
      for (const { name, format } of formats) expect(delivery.encoded(format)).toBe(`${name} ${JSON.stringify(event)}`);
    }
  }
  for (const { encoded } of formats) expect(new Set(encoded).size).toBe(encoded.length);
  return { counts: formats.map(({ encoded }) => encoded.length), received };
}

const shaped: fc.Arbitrary<Partial<Terms>> = fc.record({
  coalesceBoundaries: fc.constantFrom<Terms["coalesceBoundaries"][]>(["sentence", "completion"], ["none"]),
  preferredVerbosity: fc.constantFrom("terse", "normal"),
});

const chunkOf = (session_id: string) => ({
  type: "aaep:agent.output.streaming",
  session_id,
  output_id: "out_1",
  complete: false,
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

  it("R9, R14: texts held back for the budget are joined for all who wait equally long, also where more waits than one event may carry", () => {
    const rig = createEngineRig();
    const seats = 20;
    const words = "Twenty subscribers wait for one event a second while more is said than fits. ".repeat(3);
    const listeners = Array.from({ length: seats }, () => rig.listen({ maxEventsPerSecond: 1, maxChars: 4096 }));
    const { started } = session();
    rig.publish(started());
    let position = 0;
    for (let turn = 0; turn < 400; turn += 1) {
      const chunk = words.slice(turn % 80);
      rig.publish({ ...chunkOf("sess_1"), chunk, position });
      position += chunk.length;
      rig.advance(25);
    }
    const received = listeners.map((listener) => listener.received.map(({ delivery }) => delivery));
    const first = received[0] ?? [];
    expect(first.length).toBeGreaterThan(8);
    expect(first.some(({ event }) => String(event.chunk).length > 4000)).toBe(true);
    expect(new Set(received.flat()).size).toBe(first.length);
  });
});
