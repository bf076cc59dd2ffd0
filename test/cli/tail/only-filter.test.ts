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

// The names, and the numbers of the events that they show.
it.each([
  [undefined, "0123"],
  [["text"], "0"],
  [["TEXT"], "0"],
  [["text", "tool"], "02"],
  [["librarian"], "012"],
  [["LIBRARIAN-1", "tool", "error"], "12"],
  [["broker"], "3"],
  [["finance:*"], "3"],
  [["finance:quote"], ""],
  [["finance:quote.received", "text"], "03"],
  [["finance:quote.received", "Librarian"], ""],
  [["Nobody"], ""],
])("%j shows %j", (names, shown) => {
  const { admits } = createOnlyFilter(names);
  expect(EVENTS.flatMap((one, index) => (admits(one) ? [index] : [])).join("")).toBe(shown);
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
