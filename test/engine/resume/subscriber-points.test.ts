// What is remembered of one subscriber's deliveries stays small, however many sessions it hears (R17).
import { describe, expect, it } from "vitest";
import { SubscriberPoints } from "../../../src/engine/resume/subscriber-points.js";
import type { Delivery } from "../../../src/engine/views/delivery.js";
import { RunLows } from "../../../src/engine/views/run-lows.js";
import type { Unit } from "../../../src/engine/views/unit.js";

const RECENT = 16;
const OLDER = 64;
const wentAhead = ({ low, epoch = 0 }: { readonly low: number; readonly epoch?: number }): boolean => low <= epoch;
/** Counted anew. */
const countOf = (points: SubscriberPoints, sessions: number): number =>
  Array.from({ length: sessions }, (_, index) => points.of(`sess_${index}`).length).reduce((sum, one) => sum + one, 0);
/** So many events that left in order. */
const runOf = (first: number, count: number): RunLows => {
  const epochs = Array.from({ length: count }, (_, index) => first + index);
  const units = epochs.map((epoch) => ({ low: epoch + 1 }));
  const deliveries = epochs.map((epoch) => ({ event: { event_id: `evt_${epoch}` } }));
  return new RunLows(units as Unit[], deliveries as Delivery[]);
};
const inOrder = (epoch: number) => ({ eventId: `evt_${epoch}`, low: epoch + 1, epoch });

function hear(points: SubscriberPoints, sessions: number, from = 0, events = 20): readonly string[] {
  const reduced: string[] = [];
  for (let session = from; session < from + sessions; session += 1)
    for (let event = 0; event < events; event += 1)
      reduced.push(...points.delivered(`sess_${session}`, inOrder(session * 1000 + event), wentAhead));
  return reduced;
}

describe("R17: a subscriber's points", () => {
  it("are those of the sessions that it heard last; the journal's places do for the others", () => {
    const points = new SubscriberPoints();
    const reduced = hear(points, 5000);
    expect(reduced).toEqual(Array.from({ length: 5000 - RECENT }, (_, index) => `sess_${index}`));
    const known = Array.from({ length: 5000 }, (_, index) => points.of(`sess_${index}`).length);
    expect(known.slice(0, -RECENT).every((count) => count === 0)).toBe(true);
    expect(known.slice(-RECENT)).toEqual(Array(RECENT).fill(17));
    expect(points.count()).toBe(RECENT * 17);
  });

  it("stay where an event went ahead of something that was owed", () => {
    const points = new SubscriberPoints();
    hear(points, 1);
    points.delivered("sess_0", { eventId: "evt_alarm", low: 3, epoch: 500 }, wentAhead);
    hear(points, 100, 1);
    expect(points.of("sess_0")).toEqual([{ eventId: "evt_alarm", low: 3, epoch: 500 }]);
    expect(points.lowOf("evt_alarm")).toBe(3);
    expect(points.lowOf("evt_19")).toBe(undefined);
    // Heard again, it is one of the last, and what went ahead is not forgotten.
    hear(points, 1, 0, 1);
    expect(points.of("sess_0").map(({ eventId }) => eventId)).toEqual(["evt_alarm", "evt_0"]);
    expect(points.count()).toBe(countOf(points, 101));
  });

  it("stay of so many such sessions, and no more", () => {
    const points = new SubscriberPoints();
    for (let session = 0; session < 1000; session += 1)
      points.delivered(`sess_${session}`, { eventId: `evt_${session}`, low: 3, epoch: session + 3 }, wentAhead);
    const known = Array.from({ length: 1000 }, (_, index) => points.of(`sess_${index}`).length);
    expect(known).toEqual([...Array(1000 - OLDER - RECENT).fill(0), ...Array(OLDER + RECENT).fill(1)]);
    expect(points.count()).toBe(OLDER + RECENT);
  });

  it("are kept of a session that goes on between others", () => {
    const points = new SubscriberPoints();
    hear(points, 1);
    for (let other = 1; other < 200; other += 1) {
      hear(points, 1, other, 2);
      points.delivered("sess_0", inOrder(other * 1000 + 500), wentAhead);
    }
    expect(points.of("sess_0")).toHaveLength(17);
    expect(points.lastLow("sess_0")).toBe(199_501);
    expect(points.lastLow(undefined)).toBe((200 - RECENT + 1) * 1000 + 2);
  });

  it("are forgotten with their session", () => {
    const points = new SubscriberPoints();
    hear(points, 1);
    points.delivered("sess_0", { eventId: "evt_alarm", low: 3, epoch: 500 }, wentAhead);
    hear(points, 100, 1);
    expect(points.forget("sess_0")).toBe(true);
    expect(points.forget("sess_0")).toBe(false);
    expect(points.forget("sess_100")).toBe(true);
    expect(points.of("sess_100")).toEqual([]);
    expect(points.count()).toBe(countOf(points, 101));
  });

  it("are taken over from the run before", () => {
    const points = new SubscriberPoints();
    const kept = Array.from({ length: 30 }, (_, index) => ({ eventId: `evt_${index}`, low: index }));
    points.restore("sess_0", kept);
    expect(points.of("sess_0")).toEqual(kept);
    expect(points.count()).toBe(30);
    points.restore("sess_0", kept.slice(20));
    expect(points.of("sess_0")).toEqual(kept.slice(20));
    expect(points.count()).toBe(10);
  });

  it("count what left in runs, of which the last ones are kept", () => {
    const points = new SubscriberPoints();
    hear(points, 1, 0, 3);
    points.ran(Array.from({ length: 12 }, (_, index) => runOf(index * 10, 10)));
    expect(points.count()).toBe(3 + 120);
    points.ran(Array.from({ length: 10 }, (_, index) => runOf(1000 + index * 2, 2)));
    expect(points.count()).toBe(3 + 7 * 10 + 10 * 2);
    expect([points.lowOf("evt_49"), points.lowOf("evt_50"), points.lowOf("evt_1019")]).toEqual([undefined, 51, 1020]);
  });
});
