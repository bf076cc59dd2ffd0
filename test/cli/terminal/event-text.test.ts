import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Envelope } from "#gen/aaep/types.js";
import { coreTopicOf, endsSession, eventText } from "../../../src/cli/terminal/event-text.js";
import { SESSIONS } from "../command-stage.js";

function event(type: string, fields: object): Envelope {
  const base = { "@context": "x", event_id: "evt_1", session_id: "sess_1", timestamp: "2026-01-01T00:00:00Z" };
  return { ...base, producer: { agent_id: "a" }, type, ...fields } as Envelope;
}

test("every event of the example sessions has a text, in one line, except the end of a text", () => {
  for (const name of ["retirement-planner", "parallel-tools", "yoruba-market", "japanese-travel", "arabic-library"]) {
    for (const line of readFileSync(join(SESSIONS, `${name}.ndjson`), "utf8")
      .trim()
      .split("\n")) {
      const told = eventText(JSON.parse(line), { quotesText: true });
      expect(told.text === "", line).toBe(JSON.parse(line).chunk === "");
      expect(told.text).not.toContain("\n");
    }
  }
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

test("a question says what is asked, what the answers are, how long there is and what happens else", () => {
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

test.each([
  ["session.started", { summary_normal: "Hello." }, "started", "Hello."],
  ["session.completed", { summary_normal: "Done." }, "completed", "Done."],
  ["session.cancelled", { summary_normal: "Stopped." }, "cancelled", "Stopped."],
  [
    "session.errored",
    { summary_normal: "It failed.", remediation_hint: "Try again." },
    "error",
    "It failed. Try again.",
  ],
  ["state.changed", { to_state: "thinking", summary_normal: "It thinks." }, "state", "It thinks."],
  ["state.changed", { to_state: "idle", summary_normal: "Current state: Idle." }, "state", "Current state: Idle."],
  ["state.changed", { to_state: "calling_tool" }, "state", "calling tool"],
  ["state.changed", { summary_normal: "It thinks." }, "state", "It thinks."],
  ["progress.updated", { progress: { percent: 40, step: 2, description: "of all" } }, "progress", "40% of all"],
  ["progress.updated", { progress: { step: 2, total_steps: 5 } }, "progress", "step 2 of 5"],
  ["progress.updated", { progress: { step: 2 }, summary_normal: "Two." }, "progress", "step 2: Two."],
  [
    "progress.updated",
    { progress: { percent: 20, description: "Part 1 of 3" }, summary_normal: "20 percent." },
    "progress",
    "Part 1 of 3: 20 percent.",
  ],
  [
    "progress.updated",
    { progress: { percent: 20, description: "Part 1 of 3" }, summary_normal: "Part 1 of 3, 20 percent done." },
    "progress",
    "Part 1 of 3, 20 percent done.",
  ],
  ["tool.invoked", { tool: "search", summary_normal: "It looks." }, "tool", "search: It looks."],
  ["tool.invoked", { tool: "tool.list", summary_normal: "It uses Tool.list." }, "tool", "It uses Tool.list."],
  ["tool.invoked", { tool: "add", summary_normal: "It looks at an address." }, "tool", "add: It looks at an address."],
  ["tool.completed", { tool: "search", status: "ok", duration_ms: 1250 }, "tool", "search ok after 1.3 s"],
  ["tool.completed", { tool: "search", status: "failed", error_message: "No net." }, "tool", "search failed: No net."],
  ["output.streaming", { chunk: "Some text." }, "text", "Some text."],
  ["output.streaming", { chunk: "The end.", complete: true }, "text", "The end."],
  ["output.streaming", { chunk: "", complete: true }, "text", ""],
  ["awaiting.confirmation", { action: "Pay.", timeout_seconds: 9 }, "confirm", "Pay. 9 s to answer."],
  ["awaiting.confirmation", { action: "Pay.", summary_normal: "May it pay?" }, "confirm", "May it pay?"],
  ["awaiting.clarification", { question: "Which?", summary_normal: "One of two." }, "question", "One of two."],
  ["handoff.requested", { reason: "A person is needed." }, "handoff", "A person is needed."],
  ["handoff.requested", { reason: "A person is needed.", summary_normal: "To you." }, "handoff", "To you."],
])("AAEP ch. 4: %s with %j", (topic, fields, what, text) => {
  const told = eventText(event(`aaep:agent.${topic}`, fields));
  expect(told).toEqual({ what, text, isCritical: /errored|awaiting|handoff/.test(topic) });
  expect(eventText(event(`https://aaep-protocol.org/types/agent.${topic}`, fields))).toEqual(told);
});

test("an extension's event is critical by its urgency alone, and ends no session, whatever its type resembles", () => {
  const resembling = [
    "medai:agent.session.completed",
    "medai:agent.awaiting.confirmation",
    "medai:agent.session.errored",
  ];
  for (const type of resembling) {
    const foreign = event(type, { urgency: "normal" });
    expect([type, eventText(foreign).isCritical, endsSession(foreign), coreTopicOf(foreign)]).toEqual([
      type,
      false,
      false,
      undefined,
    ]);
    expect(eventText({ ...foreign, urgency: "critical" }).isCritical).toBe(true);
  }
  for (const type of ["aaep:agent.session.errored", "https://aaep-protocol.org/types/agent.session.cancelled"])
    expect(endsSession(event(type, {}))).toBe(true);
});

test("streamed text is shown with its white space where that is asked for; no other text is", () => {
  const chunk = event("aaep:agent.output.streaming", { chunk: " two\n words" });
  expect(eventText(chunk).text).toBe("two words");
  expect(eventText(chunk, { quotesText: true }).text).toBe('" two\\n words"');
  expect(eventText({ ...chunk, chunk: "" }, { quotesText: true }).text).toBe("");
  const state = event("aaep:agent.state.changed", { to_state: "idle", summary_normal: "Two\n\u001b[31mlines." });
  expect(eventText(state, { quotesText: true }).text).toBe("Two [control sequence [31m]lines.");
});

test("R4, R27: gaps and overtaken events are told", () => {
  const extensions = { aaepd: { gap: { events: 14, reason: "aged_out" }, overtook: true } };
  const told = eventText(event("aaep:agent.state.changed", { to_state: "thinking", extensions }));
  expect(told.text).toBe("thinking [up to 14 events are missing here: aged_out] [ahead of events held back]");
  const unknown = { aaepd: { gap: { reason: "unknown_place" } } };
  expect(eventText(event("aaep:agent.state.changed", { to_state: "idle", extensions: unknown })).text).toBe(
    "idle [events are missing here: unknown_place]",
  );
});

test("AAEP ch. 7: an extension's event is told by its summary, under its own type", () => {
  const told = eventText(event("finance:quote.received", { summary_normal: "A quote." }));
  expect(told).toEqual({ what: "finance:quote.received", text: "A quote.", isCritical: false });
});
