// The listeners of the demo, the account of what each got, and the summary of both.
import { expect, it } from "vitest";
import type { Envelope, SubscriptionAccepted } from "#gen/aaep/types.js";
import { demoListeners } from "../../../src/cli/demo/demo-listeners.js";
import { type DemoSession, readDemoSession } from "../../../src/cli/demo/demo-session.js";
import { summaryLines } from "../../../src/cli/demo/demo-summary.js";
import { createTally, outputKey } from "../../../src/cli/demo/demo-tally.js";

const AT = Date.parse("2026-05-24T14:00:00.000Z");
const chunk = (text: string, urgency = "normal") => ({
  type: "aaep:agent.output.streaming",
  session_id: "s",
  output_id: "o",
  timestamp: "2026-05-24T14:00:00.000Z",
  urgency,
  chunk: text,
});
const session = { events: [chunk("One. Two.")], charCount: 9 } as unknown as DemoSession;
const accepted = {
  honored_capabilities: { max_events_per_second: 3 },
  negotiation_notes: "a note",
} as unknown as SubscriptionAccepted;

function summary(note: (tally: ReturnType<typeof createTally>) => void): readonly string[] {
  const tally = createTally();
  note(tally);
  const [listener] = demoListeners("en");
  return summaryLines([{ listener, tally, accepted }], session);
}
const got = (text: string, urgency?: string) => chunk(text, urgency) as unknown as Envelope;

it("tells counts and waits, and that all came", () => {
  const lines = summary((tally) => {
    tally.note(got("One. "), 0, AT + 60_000);
    tally.note(got("Two."), 1, AT + 40);
  });
  expect(lines[0]).toBe("Published: 1 event, 9 characters of text.");
  expect(lines.slice(4)).toEqual([
    "  notes: a note",
    "  got: 2 events, 2 of text with 9 characters, 0 critical",
    "  pace: 2 events in the busiest ten seconds, critical ones aside; longest wait 60.0 s",
    "  text: complete, every character once and in order",
  ]);
});

it("tells critical events and late ones apart, and that something is missing", () => {
  const lines = summary((tally) => {
    tally.note(got("One. ", "critical"), 0, AT + 7);
    tally.endPace();
    tally.note(got("two."), 1, AT + 99_000);
  });
  expect(lines.slice(5)).toEqual([
    "  got: 2 events, 2 of text with 9 characters, 1 critical; 1 of all at the end, handed out whatever the rate, as the daemon was stopped",
    "  pace: 0 events in the busiest ten seconds, critical ones and those at the end aside; longest wait 0.0 s, of a critical event 7 ms",
    "  text: NOT complete",
  ]);
});

it("three listeners subscribe under names of their own, and only the debugging tool gets text in pieces", () => {
  const listeners = demoListeners("yo");
  expect(listeners.map(({ id }) => id)).toEqual(["demo-screen-reader", "demo-braille", "demo-debugger"]);
  expect(listeners.map(({ getsPieces }) => getsPieces)).toEqual([false, false, true]);
  expect(listeners.map(({ capabilities }) => capabilities.max_events_per_second)).toEqual([undefined, 1, undefined]);
});

it("the braille display prefers English, the others the session's language; an English session has one language", () => {
  expect(demoListeners("yo").map(({ capabilities }) => capabilities.languages)).toEqual([
    ["yo", "en"],
    ["en", "yo"],
    ["yo", "en"],
  ]);
  for (const { capabilities } of demoListeners("en-GB")) expect(capabilities.languages).toEqual(["en-GB"]);
});

it("a session that is not there is answered with those that are", async () => {
  await expect(readDemoSession("parallel-tool")).rejects.toThrow(
    'There is no session "parallel-tool". Did you mean parallel-tools? There are: arabic-library, japanese-travel, parallel-tools, retirement-planner, yoruba-market.',
  );
});

const event = (fields: object): Envelope =>
  ({ session_id: "s", urgency: "normal", timestamp: "2026-05-24T14:00:00.000Z", ...fields }) as unknown as Envelope;

it("the account begins with nothing", () => {
  const tally = createTally();
  expect([tally.eventCount(), tally.textCount(), tally.charCount(), tally.criticalCount(), tally.lateCount()]).toEqual([
    0, 0, 0, 0, 0,
  ]);
  expect([tally.longestWaitMs(), tally.longestCriticalWaitMs(), tally.mostInAWindow()]).toEqual([0, 0, 0]);
  expect(tally.texts()).toEqual([]);
});

it("the account keeps the longest wait, of critical events apart, and none below 0", () => {
  const tally = createTally();
  tally.note(event({}), 0, AT - 5);
  expect(tally.longestWaitMs()).toBe(0);
  tally.note(event({}), 0, AT + 300);
  tally.note(event({}), 0, AT + 200);
  tally.note(event({ urgency: "critical" }), 0, AT + 250);
  expect([tally.longestWaitMs(), tally.longestCriticalWaitMs()]).toEqual([300, 250]);
});

it("the account counts events within ten seconds, critical ones aside, until the pace ends", () => {
  const tally = createTally();
  for (const at of [0, 1, 9999, 10_000, 10_001]) tally.note(event({}), at, AT);
  tally.note(event({ urgency: "critical" }), 10_001, AT);
  expect(tally.mostInAWindow()).toBe(3);
  tally.endPace();
  for (let count = 0; count < 5; count += 1) tally.note(event({}), 10_002, AT + 9000);
  expect([tally.mostInAWindow(), tally.lateCount(), tally.longestWaitMs()]).toEqual([3, 5, 0]);
  expect([tally.eventCount(), tally.criticalCount()]).toEqual([11, 1]);
});

it("the account joins the text of each output, and counts characters by code points", () => {
  const tally = createTally();
  const chunk = (output: string | undefined, text: string) =>
    event({ type: "aaep:agent.output.streaming", ...(output === undefined ? {} : { output_id: output }), chunk: text });
  for (const one of [chunk("a", "Hi "), chunk(undefined, "…"), chunk("a", "👍")]) tally.note(one, 0, AT);
  expect(tally.texts()).toEqual(["Hi 👍", "…"]);
  expect([tally.textCount(), tally.charCount()]).toEqual([3, 5]);
  expect([outputKey({ session_id: "s", output_id: "a" }), outputKey({ session_id: "s" })]).toEqual(["s a", "s "]);
});
