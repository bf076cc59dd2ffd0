// AAEP §5.7.2, §8.2.3, R30: text that new terms release sooner than the old ones did.
import { describe, expect, it } from "vitest";
import type { Terms } from "../../../src/engine/terms/terms.js";
import { createEngineRig, session } from "../../support/rigs/engine-rig.js";

const { started, chunk, progress, state } = session();

describe("R30, P1: a renegotiation in the middle of an output", () => {
  it.each([
    ["word", { coalesceBoundaries: ["word"] }],
    ["none", { coalesceBoundaries: ["none"] }],
    ["a shorter max_chars", { maxChars: 80 }],
  ] satisfies [string, Partial<Terms>][])(
    "the text that it releases stands with the last event sent: %s",
    (_, terms) => {
      const rig = createEngineRig();
      const reader = rig.listen({ coalesceBoundaries: ["paragraph", "completion"] });
      rig.publish(started());
      rig.publish(chunk(`Some words ${"and more of them ".repeat(9)}`));
      rig.advance(1000);
      rig.publish(progress(10));
      rig.advance(1000);
      rig.publish(state("idle", "thinking", "background"));
      reader.subscription.retune({ ...reader.subscription.terms(), ...terms });
      rig.advance(0);
      const events = reader.received.map(({ event }) => event);
      const quiet = events.findIndex(({ type }) => type.endsWith("state.changed"));
      const released = events.slice(quiet + 1);
      expect(released.length).toBeGreaterThan(0);
      for (const { timestamp } of released) expect(timestamp).toBe(events[quiet]?.timestamp);
    },
  );

  it("also where terms change again before anything could leave", () => {
    const rig = createEngineRig();
    const reader = rig.listen({ coalesceBoundaries: ["completion"] });
    rig.publish(started());
    rig.publish(chunk("One two "));
    rig.advance(6000);
    rig.publish(state("idle", "thinking"));
    const changed: Partial<Terms> = { coalesceBoundaries: ["sentence", "completion"] };
    reader.subscription.retune({ ...reader.subscription.terms(), ...changed, maxEventsPerSecond: 5 });
    rig.advance(0);
    reader.subscription.retune({ ...reader.subscription.terms(), maxEventsPerSecond: undefined, maxChars: 100 });
    rig.advance(0);
    const times = reader.received.map(({ event }) => event.timestamp);
    expect(reader.received.at(-1)?.event.chunk).toBe("One two ");
    expect(times).toEqual([...times].sort());
  });
});
