// The demo's summary: the terms of each listener, and whether it got everything.
import { expect, it } from "vitest";
import type { Envelope, SubscriptionAccepted } from "#gen/aaep/types.js";
import { demoListeners } from "../../../src/cli/demo/demo-listeners.js";
import type { DemoSession } from "../../../src/cli/demo/demo-session.js";
import { summaryLines } from "../../../src/cli/demo/demo-summary.js";
import { createTally } from "../../../src/cli/demo/demo-tally.js";

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
