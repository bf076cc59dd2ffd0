// R27, R34: a subscription that fell behind so far that a great many sessions lost something. What a turn does is counted, not timed.
import { describe, expect, it } from "vitest";
import {
  createEngineRig,
  type EngineRig,
  type Listener,
  type RigOptions,
  session,
} from "../../support/rigs/engine-rig.js";

const SESSION_COUNT = 300;
const KEPT_COUNT = 50;
const LOST = Array.from({ length: SESSION_COUNT - KEPT_COUNT }, (_, index) => `sess_${index}`);

/** A listener that took nothing while all sessions began, of which the journal has only the last few. A turn has room for one step. */
function lateListener(around?: RigOptions["around"]): { readonly rig: EngineRig; readonly listener: Listener } {
  const rig = createEngineRig({
    journal: { maxEvents: KEPT_COUNT },
    engine: { queueLimitCount: 8, viewWindowCount: 16, turnRoomMs: 0 },
    turnsBetween: 1,
    ...(around && { around }),
  });
  const listener = rig.listen({ maxEventsPerSecond: undefined });
  listener.block(true);
  for (let index = 0; index < SESSION_COUNT; index += 1) rig.publish(session(`sess_${index}`).started());
  rig.clock.settle();
  return { rig, listener };
}

function gapsIn({ received }: Listener): readonly string[] {
  return received
    .filter(({ event }) => event.extensions?.aaepd?.gap !== undefined)
    .map(({ event }) => event.session_id);
}

describe("gaps of a great many sessions", () => {
  it("R27, R34: are made one a turn, each session's once, before what follows", () => {
    const { rig, listener } = lateListener();
    listener.block(false);
    expect(gapsIn(listener).length).toBeLessThan(4);
    for (let turns = 0; gapsIn(listener).length < LOST.length; turns += 1) {
      const before = gapsIn(listener).length;
      rig.clock.turn();
      expect(gapsIn(listener).length - before).toBeLessThan(4);
      expect(listener.subscription.status().readAheadCount).toBeLessThan(4);
      expect(turns).toBeLessThan(10 * SESSION_COUNT);
    }
    rig.clock.settle();
    expect(new Set(gapsIn(listener))).toEqual(new Set(LOST));
    expect(gapsIn(listener)).toHaveLength(LOST.length);
    const firstGap = listener.received.findIndex(({ event }) => event.extensions?.aaepd?.gap !== undefined);
    const after = listener.received.slice(firstGap + LOST.length);
    expect(after.map(({ event }) => event.session_id)).toEqual(
      Array.from({ length: KEPT_COUNT }, (_, index) => `sess_${LOST.length + index}`),
    );
  });

  it("R27, R32: those that are still to be told are told by new terms", () => {
    const { rig, listener } = lateListener();
    listener.block(false);
    for (let turn = 0; turn < 60; turn += 1) rig.clock.turn();
    expect(gapsIn(listener).length).toBeGreaterThan(0);
    listener.subscription.retune({ ...listener.subscription.terms(), maxChars: 200 });
    rig.clock.settle();
    expect(new Set(gapsIn(listener))).toEqual(new Set(LOST));
    expect(listener.received.at(-1)?.event.session_id).toBe(`sess_${SESSION_COUNT - 1}`);
  });

  it("R27: are all told where the journal has nothing behind them", () => {
    const { rig, listener } = lateListener((journal) => ({
      read: (after, limit) => {
        const oldest = journal.head() + 1;
        return after + 1 < oldest ? { kind: "gap", oldest } : journal.read(after, limit);
      },
    }));
    listener.block(false);
    rig.clock.settle();
    expect(new Set(gapsIn(listener))).toEqual(new Set(LOST));
    rig.publish(session("sess_later").started());
    rig.clock.settle();
    expect(listener.received.at(-1)?.event.session_id).toBe("sess_later");
  });

  it("R27: one that ends while they are told, and ages out, is told to have ended once", () => {
    const { rig, listener } = lateListener();
    listener.block(false);
    for (let turn = 0; turn < 20; turn += 1) rig.clock.turn();
    rig.publish(session("sess_200").completed());
    for (let index = 0; index < KEPT_COUNT; index += 1) rig.publish(session(`sess_late${index}`).started());
    rig.clock.settle();
    const ends = listener.received.filter(({ event }) => event.type === "aaep:agent.session.completed");
    expect(ends.map(({ event }) => event.session_id)).toEqual(["sess_200"]);
  });
});
