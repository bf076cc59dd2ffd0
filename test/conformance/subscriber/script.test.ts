// The session of the scripted producer: its events are whole and valid, and each has an id of its own.
import { expect, it } from "vitest";
import { createScript, SUITE_PRODUCER } from "../../../src/conformance/subscriber/script.js";
import { allFaults } from "../../../src/protocols/aaep/validation/validate.js";

it("its events are valid, and have what every event has", () => {
  const { sessionId, event, question, clarification, goesOn } = createScript(8000);
  const events = [event("session.started", { summary_normal: "Begins." }), question(), clarification(), goesOn()];
  for (const one of events) expect(allFaults(one)).toEqual([]);
  expect(events.map(({ type }) => type)).toEqual([
    "aaep:agent.session.started",
    "aaep:agent.awaiting.confirmation",
    "aaep:agent.awaiting.clarification",
    "aaep:agent.state.changed",
  ]);
  expect(new Set(events.map(({ event_id }) => event_id)).size).toBe(4);
  for (const one of events)
    expect(one).toMatchObject({
      session_id: sessionId,
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      producer: { agent_id: "conformance-producer", agent_version: "1.0.0", agent_name: "Conformance producer" },
      localization_hints: { primary_language: "en" },
    });
  expect(events[0]?.producer).toBe(SUITE_PRODUCER);
  expect(event("acme:note", { session_id: "sess_2" })).toMatchObject({ type: "acme:note", session_id: "sess_2" });
});

it("a question outlasts three times the patience, and a minute at least", () => {
  const timeouts = [8000, 20_000, 20_001].map((patienceMs) => createScript(patienceMs).question().timeout_seconds);
  expect(timeouts).toEqual([60, 60, 63]);
  expect(createScript(30_000).clarification()).toMatchObject({ timeout_seconds: 90, urgency: "critical" });
  expect(createScript(8000).question({ risk_level: "low" })).toMatchObject({
    risk_level: "low",
    default_decision: "reject",
    reply_token: expect.stringMatching(/^rpl_[0-9a-f]{32}Zq$/),
  });
});
