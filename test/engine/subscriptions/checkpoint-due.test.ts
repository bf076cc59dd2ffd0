// R17: the place that a subscription is told, if it asked for places.
import { describe, expect, it } from "vitest";
import { createEngineRig, session } from "../../support/rigs/engine-rig.js";

const { started, progress } = session();

/** A subscription that has been given its place, and that hides what moves its place on. */
function subscribed(checkpoints: boolean) {
  const rig = createEngineRig();
  const eventFilters = { include: ["aaep:agent.session.*"], exclude: [] };
  const { subscription } = rig.listen({ checkpoints, eventFilters });
  rig.publish(started());
  rig.advance(0);
  const moveOn = (): void => {
    rig.publish(progress(10));
    rig.advance(0);
  };
  return { subscription, moveOn };
}

describe("R17: a checkpoint", () => {
  it("is due where the place has moved since the last, and names each place once", () => {
    const { subscription, moveOn } = subscribed(true);
    expect(subscription.checkpoint(true)).toBeUndefined();
    moveOn();
    expect(subscription.checkpoint(false)).toBeUndefined();
    const first = subscription.checkpoint(true);
    expect(first?.cursor).toMatch(/^c1\./);
    expect(subscription.checkpoint(true)).toBeUndefined();
    moveOn();
    const next = subscription.checkpoint(true);
    expect(next?.after).toBe((first?.after ?? Number.NaN) + 1);
    expect(subscription.cursor()).toBe(next?.cursor);
  });

  it("is none for a subscription that did not ask, and for one that has closed", () => {
    const strange = subscribed(false);
    strange.moveOn();
    expect(strange.subscription.checkpoint(true)).toBeUndefined();
    const closed = subscribed(true);
    closed.moveOn();
    closed.subscription.close();
    expect(closed.subscription.checkpoint(true)).toBeUndefined();
  });
});
