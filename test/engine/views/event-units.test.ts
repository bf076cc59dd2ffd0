// R11: two changes of state that wait become one.
import { describe, expect, it } from "vitest";
import type { AgentEvent, JournaledEvent } from "../../../src/engine/event/event.js";
import type { Delivery } from "../../../src/engine/views/delivery.js";
import { collapse, gapOf } from "../../../src/engine/views/event-units.js";
import type { SharedRendering } from "../../../src/engine/views/shared-rendering.js";
import type { EventUnit, Unit } from "../../../src/engine/views/unit.js";

function unit(epoch: number, role: EventUnit["role"], fields: object = {}): EventUnit {
  const event = { session_id: "s", producer: { agent_id: "a" }, ...fields } as unknown as AgentEvent;
  const entry = { kind: "state.changed", epoch, at: epoch, event, source: "{}" } as unknown as JournaledEvent;
  const delivery = { event, epoch } as unknown as Delivery;
  return {
    kind: "event",
    session: "s",
    agent: "a",
    at: epoch,
    firstEpoch: epoch,
    epoch,
    role,
    terminal: false,
    entry,
    delivery,
  };
}

describe("R11: collapsed states", () => {
  const made = { event_id: "made" } as unknown as AgentEvent;
  const collapsed = (first: EventUnit, last: EventUnit) => {
    const asked: unknown[] = [];
    const one = collapse(
      first,
      last,
      (...given) => {
        asked.push(given);
        return made;
      },
      (entry) => ({ deliveryIn: () => ({ event: entry.event }) }) as unknown as SharedRendering,
    );
    return { one, asked };
  };

  it("reach from the first to the last, and nothing of either text is left", () => {
    const [first, last] = [unit(3, "state"), unit(7, "state")];
    const { one, asked } = collapsed(first, last);
    expect(asked).toEqual([[first.delivery.event, last.delivery.event, { first: 3, last: 7 }]]);
    expect(one).toMatchObject({ firstEpoch: 3, epoch: 7, at: 7, entry: { event: made, epoch: 7 } });
    expect(one.entry.source).toBeUndefined();
    expect(one.delivery.event).toBe(made);
  });

  it.each([
    ["state", "state", "state"],
    ["state", "background-state", "state"],
    ["background-state", "state", "state"],
    ["background-state", "background-state", "background-state"],
  ] as const)("%s and %s are %s", (first, last, role) => {
    expect(collapsed(unit(1, first), unit(2, last)).one.role).toBe(role);
  });
});

describe("R27: the gap of a unit", () => {
  const withGap = (gap: unknown): Unit => unit(1, "plain", { extensions: { aaepd: { gap } } });

  it("is its number of events, or 0 if it names none", () => {
    expect(
      [{ events: 5 }, { events: 0 }, { reason: "aged_out" }, { events: "5" }].map((gap) => gapOf(withGap(gap))),
    ).toEqual([5, 0, 0, 0]);
  });

  it("of others is none", () => {
    expect([undefined, null, 5].map((gap) => gapOf(withGap(gap)))).toEqual([undefined, undefined, undefined]);
    expect(gapOf(unit(1, "plain"))).toBeUndefined();
    expect(gapOf({ kind: "text" } as unknown as Unit)).toBeUndefined();
  });
});
