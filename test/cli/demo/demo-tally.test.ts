// The demo's account of a listener, and its words.
import { expect, it } from "vitest";
import type { Envelope } from "#gen/aaep/types.js";
import { createTally, outputKey } from "../../../src/cli/demo/demo-tally.js";

const AT = Date.parse("2026-05-24T14:00:00.000Z");
const event = (fields: object): Envelope =>
  ({ session_id: "s", urgency: "normal", timestamp: "2026-05-24T14:00:00.000Z", ...fields }) as unknown as Envelope;

it("begins with nothing", () => {
  const tally = createTally();
  expect([tally.eventCount(), tally.textCount(), tally.charCount(), tally.criticalCount(), tally.lateCount()]).toEqual([
    0, 0, 0, 0, 0,
  ]);
  expect([tally.longestWaitMs(), tally.longestCriticalWaitMs(), tally.mostInAWindow()]).toEqual([0, 0, 0]);
  expect(tally.texts()).toEqual([]);
});

it("keeps the longest wait, of critical events apart, and none below 0", () => {
  const tally = createTally();
  tally.note(event({}), 0, AT - 5);
  expect(tally.longestWaitMs()).toBe(0);
  tally.note(event({}), 0, AT + 300);
  tally.note(event({}), 0, AT + 200);
  tally.note(event({ urgency: "critical" }), 0, AT + 250);
  expect([tally.longestWaitMs(), tally.longestCriticalWaitMs()]).toEqual([300, 250]);
});

it("counts events within ten seconds, critical ones aside, until the pace ends", () => {
  const tally = createTally();
  for (const at of [0, 1, 9999, 10_000, 10_001]) tally.note(event({}), at, AT);
  tally.note(event({ urgency: "critical" }), 10_001, AT);
  expect(tally.mostInAWindow()).toBe(3);
  tally.endPace();
  for (let count = 0; count < 5; count += 1) tally.note(event({}), 10_002, AT + 9000);
  expect([tally.mostInAWindow(), tally.lateCount(), tally.longestWaitMs()]).toEqual([3, 5, 0]);
  expect([tally.eventCount(), tally.criticalCount()]).toEqual([11, 1]);
});

it("joins the text of each output, and counts characters by code points", () => {
  const tally = createTally();
  const chunk = (output: string | undefined, text: string) =>
    event({ type: "aaep:agent.output.streaming", ...(output === undefined ? {} : { output_id: output }), chunk: text });
  for (const one of [chunk("a", "Hi "), chunk(undefined, "…"), chunk("a", "👍")]) tally.note(one, 0, AT);
  expect(tally.texts()).toEqual(["Hi 👍", "…"]);
  expect([tally.textCount(), tally.charCount()]).toEqual([3, 5]);
  expect([outputKey({ session_id: "s", output_id: "a" }), outputKey({ session_id: "s" })]).toEqual(["s a", "s "]);
});
