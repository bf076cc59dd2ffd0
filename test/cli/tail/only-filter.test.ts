// `tail --only`: kinds of events, types of extensions, and agents.
import { expect, it } from "vitest";
import type { Envelope } from "#gen/aaep/types.js";
import { createOnlyFilter } from "../../../src/cli/tail/only-filter.js";

const LIBRARIAN = { agent_id: "librarian-1", agent_name: "Librarian" };

function event(type: string, producer: object = LIBRARIAN): Envelope {
  return { "@context": "x", event_id: "evt_1", session_id: "sess_1", timestamp: "t", type, producer } as Envelope;
}

const EVENTS = [
  event("aaep:agent.output.streaming"),
  event("aaep:agent.session.errored"),
  event("https://aaep-protocol.org/types/agent.tool.invoked"),
  event("finance:quote.received", { agent_id: "broker" }),
];

it.each([
  [undefined, [true, true, true, true]],
  [["text"], [true, false, false, false]],
  [["TEXT"], [true, false, false, false]],
  [
    ["text", "tool"],
    [true, false, true, false],
  ],
  [["librarian"], [true, true, true, false]],
  [
    ["LIBRARIAN-1", "tool", "error"],
    [false, true, true, false],
  ],
  [["broker"], [false, false, false, true]],
  [["finance:*"], [false, false, false, true]],
  [["finance:quote"], [false, false, false, false]],
  [
    ["finance:quote.received", "text"],
    [true, false, false, true],
  ],
  [
    ["finance:quote.received", "Librarian"],
    [false, false, false, false],
  ],
  [["Nobody"], [false, false, false, false]],
] as const)("%j shows %j", (names, shown) => {
  expect(EVENTS.map(createOnlyFilter(names).admits)).toEqual(shown);
});

it("R6: a notice of a question counts as the question, and critical is a word of its own", () => {
  const notice = {
    ...event("aaep:agent.state.changed"),
    urgency: "critical",
    extensions: { aaepd: { by: "daemon", asks: "clarification" } },
  } as Envelope;
  const admitting = ["question", "confirm", "critical", "state", "text"].filter((name) =>
    createOnlyFilter([name]).admits(notice),
  );
  expect(admitting).toEqual(["question", "critical", "state"]);
  expect(createOnlyFilter(["critical"]).admits(event("aaep:agent.output.streaming"))).toBe(false);
});

it("takes what is nearly a word for the word, shows an agent of that name besides, and says so", () => {
  expect(createOnlyFilter(["Text", "Librarian", "finance:*"]).warnings).toEqual([]);
  // A name with a capital is an agent's.
  expect(createOnlyFilter(["Tom"]).warnings).toEqual(['"Tom" counts as the name of an agent. Did you mean tool?']);
  const { admits, warnings } = createOnlyFilter(["errors", "librarian"]);
  expect(warnings).toEqual(['"errors" is taken for error, and for the name of an agent.']);
  expect(EVENTS.map(admits)).toEqual([false, true, false, false]);
  const start = createOnlyFilter(["start"]);
  const events = [event("aaep:agent.session.started"), event("aaep:agent.output.streaming", { agent_id: "start" })];
  expect([...events, ...EVENTS].map(start.admits)).toEqual([true, true, false, false, false, false]);
});
