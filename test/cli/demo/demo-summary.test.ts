// The listeners of the demo, the account of what each got, and the summary of both.
import { expect, it } from "vitest";
import type { Envelope, SubscriptionAccepted } from "#gen/aaep/types.js";
import { demoListeners, Got, summaryLines } from "../../../src/cli/demo/demo-listeners.js";
import { type DemoSession, readDemoSession } from "../../../src/cli/demo/demo-session.js";

const chunk = (text: string, urgency = "normal") => ({
  type: "aaep:agent.output.streaming",
  session_id: "s",
  output_id: "o",
  timestamp: "2026-05-24T14:00:00.000Z",
  urgency,
  chunk: text,
});
const session = { events: [chunk("One. Two.")], charCount: 9 } as unknown as DemoSession;
const accepted = { negotiation_notes: "a note" } as unknown as SubscriptionAccepted;

function summary(...events: readonly object[]): readonly string[] {
  const got = new Got();
  for (const event of events) got.note(event as Envelope);
  const [listener] = demoListeners("en");
  return summaryLines([{ listener, got, accepted }], session);
}

it("tells what came, and that all came", () => {
  expect(summary(chunk("One. "), chunk("Two."))).toEqual([
    "Published: 1 event, 9 characters of text.",
    "",
    "Screen reader",
    "  notes: a note",
    "  got: 2 events, 2 of text, 0 critical",
    "  text: complete, every character once and in order",
  ]);
});

it("tells that something is missing", () => {
  expect(summary(chunk("One. ", "critical"), chunk("two.")).slice(4)).toEqual([
    "  got: 2 events, 2 of text, 1 critical",
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
