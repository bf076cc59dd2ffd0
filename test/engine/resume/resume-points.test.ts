import { expect, it } from "vitest";
import type { StateKey } from "../../../src/contracts/journal.js";
import { createResumePoints } from "../../../src/engine/resume/resume-points.js";

const SUBSCRIBERS_KEPT = 1000;
const POINTS_KEPT = 65_536;

function pointsOf(recovered: readonly (readonly [StateKey, unknown])[] = []) {
  return createResumePoints({
    journal: { find: () => undefined, head: () => 1_000_000, oldest: () => 0 },
    kept: {
      isKept: recovered.length > 0,
      put: () => {},
      removeAll: () => {},
      recovered: ([name]) => recovered.filter(([key]) => key[0] === name),
    },
    log: { error: () => {} },
    runs: { isBefore: () => false },
    lows: { before: () => undefined, returning: () => undefined, known: () => undefined },
  });
}

it("R17: of more subscribers than are remembered, those that were silent longest are forgotten, over several rounds", () => {
  const points = pointsOf();
  const isKnown = (number: number): boolean =>
    points.after(`listener-${number}`, "evt_unknown", undefined) !== undefined;
  const deliver = (number: number, low: number): void =>
    points.delivered(`listener-${number}`, "sess_1", "evt_1", low, low);
  const count = SUBSCRIBERS_KEPT + 500;
  for (let round = 0; round < 5; round += 1)
    for (let number = 0; number < count; number += 1) deliver(number, round * count + number);
  for (let number = 0; number < count; number += 1)
    expect(isKnown(number), `listener-${number}`).toBe(number >= count - SUBSCRIBERS_KEPT);
  // Spoken to again, it is not the one that is forgotten next.
  deliver(count - SUBSCRIBERS_KEPT, 9_000_000);
  deliver(count, 9_000_001);
  expect(isKnown(count - SUBSCRIBERS_KEPT)).toBe(true);
  expect(isKnown(count - SUBSCRIBERS_KEPT + 1)).toBe(false);
});

it("R17: of more points than are remembered, those of the subscriber that was silent longest are forgotten, and never the last one's", () => {
  const points = pointsOf();
  const isKnown = (name: string): boolean => points.after(name, "evt_unknown", undefined) !== undefined;
  const deliver = (name: string, sessions: number, events: number): void => {
    for (let session = 0; session < sessions; session += 1)
      for (let event = 0; event < events; event += 1)
        points.delivered(name, `sess_${session}`, `evt_${event}`, event + 1, event);
  };
  // 272 each: 16 sessions with 17.
  for (let number = 0; number < 300; number += 1) deliver(`listener-${number}`, 16, 20);
  const known = Array.from({ length: 300 }, (_, number) => isKnown(`listener-${number}`));
  const kept = Math.floor(POINTS_KEPT / 272);
  expect(known).toEqual([...Array(300 - kept).fill(false), ...Array(kept).fill(true)]);
  // What is forgotten with a session makes room.
  for (let session = 0; session < 8; session += 1) points.forgetSession(`sess_${session}`);
  for (let number = 0; number < 60; number += 1) deliver(`listener-${number}`, 16, 20);
  expect(Array.from({ length: 300 }, (_, number) => isKnown(`listener-${number}`)).every(Boolean)).toBe(true);
});

it("R17: after a restart the sessions and the subscribers that were spoken to longest ago are forgotten first, whatever their names", () => {
  // By name the newest comes first, as it does on the disk.
  const name = (kind: string, place: number): string => `${kind}-${String(9000 - place)}`;
  const pointAt = (subscriberId: string, sessionId: string, low: number): readonly [StateKey, unknown] => [
    ["point", subscriberId, sessionId],
    [subscriberId, sessionId, `evt_${low}`, low],
  ];
  const sessions = Array.from({ length: 80 }, (_, place) => pointAt("listener", name("sess", place), place));
  const others = Array.from({ length: SUBSCRIBERS_KEPT - 1 }, (_, place) =>
    pointAt(name("other", place), "sess_1", 100 + place),
  );
  const points = pointsOf([...others.reverse(), ...sessions.reverse()]);
  points.restore(() => true);
  const isKnown = (subscriberId: string, low: number): boolean => points.knows(subscriberId, `evt_${low}`);
  points.delivered("listener", "sess_new", "evt_new", 5000, 4999);
  expect([79, 78, 1, 0].map((low) => isKnown("listener", low))).toEqual([true, true, true, false]);
  points.delivered("newcomer", "sess_new", "evt_new", 5001, 5000);
  expect(isKnown(name("other", 0), 100)).toBe(false);
  expect(isKnown(name("other", SUBSCRIBERS_KEPT - 2), 100 + SUBSCRIBERS_KEPT - 2)).toBe(true);
});
