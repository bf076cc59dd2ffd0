import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Envelope } from "#gen/aaep/types.js";
import { eventText } from "../../../src/cli/terminal/event-text.js";
import { SESSIONS } from "../command-stage.js";

function event(type: string, fields: object): Envelope {
  const base = { "@context": "x", event_id: "evt_1", session_id: "sess_1", timestamp: "2026-01-01T00:00:00Z" };
  return { ...base, producer: { agent_id: "a" }, type, ...fields } as Envelope;
}

test("every event of the example sessions has a text, in one line", () => {
  for (const name of ["retirement-planner", "parallel-tools", "yoruba-market", "japanese-travel", "arabic-library"]) {
    for (const line of readFileSync(join(SESSIONS, `${name}.ndjson`), "utf8")
      .trim()
      .split("\n")) {
      const told = eventText(JSON.parse(line), { quotesText: true });
      expect(told.text, line).not.toBe("");
      expect(told.text).not.toContain("\n");
    }
  }
});

test.each([
  ["session.started", {}, "started", "Says it."],
  ["session.completed", {}, "completed", "Says it."],
  ["session.cancelled", {}, "cancelled", "Says it."],
  ["session.errored", { remediation_hint: "Try again." }, "error", "Says it. Try again."],
  ["state.changed", { to_state: "thinking" }, "state", "thinking: Says it."],
  ["tool.invoked", { tool: "search" }, "tool", "search: Says it."],
  ["handoff.requested", {}, "handoff", "Says it."],
] as const)("%s is told as what it is", (topic, fields, what, text) => {
  expect(eventText(event(`aaep:agent.${topic}`, { summary_normal: "Says it.", ...fields }))).toMatchObject({
    what,
    text,
  });
});

test("what would move a terminal is shown as characters; streamed text is quoted where its white space is to be seen", () => {
  const clearing = "\u001b[2J";
  const summary = event("aaep:agent.session.started", { summary_normal: `Clears${clearing}` });
  for (const quotesText of [false, true]) expect(eventText(summary, { quotesText }).text).not.toContain("\u001b");
  const chunk = event("aaep:agent.output.streaming", { chunk: `two  blanks${clearing}`, complete: false });
  expect(eventText(chunk, { quotesText: true }).text).toContain("two  blanks");
  for (const quotesText of [false, true]) expect(eventText(chunk, { quotesText }).text).not.toContain("\u001b");
});

test("R14: the summary of the verbosity that was sent", () => {
  const summaries = { summary_terse: "T.", summary_normal: "N.", summary_detailed: "D." };
  expect(eventText(event("aaep:agent.session.started", summaries)).text).toBe("N.");
  expect(eventText(event("aaep:agent.session.started", { ...summaries, verbosity: "terse" })).text).toBe("T.");
  expect(eventText(event("aaep:agent.session.started", { summary_detailed: "D.", verbosity: "terse" })).text).toBe(
    "D.",
  );
});

test("A5: a question says what is asked, what the answers are, how long there is and what happens else", () => {
  const question = {
    question: "Which?",
    choices: [
      { value: "1", label: "One" },
      { value: "2", label: "Two" },
    ],
  };
  const terms = { timeout_seconds: 60, default_response: "1" };
  expect(eventText(event("aaep:agent.awaiting.clarification", { ...question, ...terms }))).toEqual({
    what: "question",
    text: "Which? Choices: One; Two. 60 s to answer, then: 1.",
    isCritical: true,
  });
  const confirmation = { action: "Pay.", consequence: "It is gone.", timeout_seconds: 9, default_decision: "reject" };
  expect(eventText(event("aaep:agent.awaiting.confirmation", confirmation)).text).toBe(
    "Pay. It is gone. 9 s to answer, then: reject.",
  );
});

test("R4, R27: gaps and overtaken events are told", () => {
  const extensions = { aaepd: { gap: { events: 14, reason: "aged_out" }, overtook: 3 } };
  const told = eventText(event("aaep:agent.state.changed", { to_state: "thinking", extensions }));
  expect(told.text).toBe("thinking [up to 14 events are missing here: aged_out] [ahead of 3 held back]");
});

test("AAEP ch. 7: an extension's event is told by its summary, under its own type", () => {
  const told = eventText(event("finance:quote.received", { summary_normal: "A quote." }));
  expect(told).toEqual({ what: "finance:quote.received", text: "A quote.", isCritical: false });
});
