// R17, R26: what it costs that the daemon sums up a great many sessions at once. Counted is how often all that is still owed is looked through.
import { beforeEach, describe, expect, it, vi } from "vitest";
import * as reading from "../../../src/engine/catch-up/catch-up-point.js";
import { createEngineRig, type EngineRig, session } from "../../support/rigs/engine-rig.js";

vi.mock(import("../../../src/engine/catch-up/catch-up-point.js"), async (original) => {
  const real = await original();
  return { ...real, catchUpPoint: vi.fn(real.catchUpPoint) };
});

const SESSION_COUNT = 300;
/** Once for each take in which sums leave: so many leave in one. */
const SAID_PER_TAKE = 32;
const MOST_LOOKS = Math.ceil(SESSION_COUNT / SAID_PER_TAKE) + 3;
/** The rig asks for the place after each take. */
const looks = vi.mocked(reading.catchUpPoint);

/** Many sessions of which each has begun, and half a sentence of each where asked for. */
function manySessions(chunk?: string): EngineRig {
  const rig = createEngineRig();
  for (let index = 0; index < SESSION_COUNT; index += 1) {
    const one = session(`sess_${index}`);
    rig.publish(one.started());
    rig.publish(one.state("idle", "thinking"));
    if (chunk !== undefined) rig.publish(one.chunk(chunk));
  }
  return rig;
}

beforeEach(() => {
  looks.mockClear();
});

describe("many sums at once", () => {
  it.each([
    ["no text", undefined],
    ["half a sentence each", "Half a sentence"],
  ] as const)(
    "R17: a newcomer to many sessions has them summed up without a look at all of them for each: %s",
    (_, chunk) => {
      const rig = manySessions(chunk);
      if (chunk !== undefined) rig.listen({ maxEventsPerSecond: undefined }, "first");
      looks.mockClear();
      const listener = rig.listen({ maxEventsPerSecond: undefined });
      expect(listener.received.length).toBeGreaterThanOrEqual(SESSION_COUNT);
      expect(looks.mock.calls.length).toBeLessThan(MOST_LOOKS);
    },
  );

  it("R26: nor for each where all that waits is skipped", () => {
    const rig = manySessions();
    const listener = rig.listen({ maxEventsPerSecond: undefined });
    const before = listener.received.length;
    looks.mockClear();
    listener.subscription.skip(undefined, undefined);
    rig.clock.settle();
    expect(listener.received.length - before).toBe(SESSION_COUNT);
    expect(looks.mock.calls.length).toBeLessThan(MOST_LOOKS);
  });
});
