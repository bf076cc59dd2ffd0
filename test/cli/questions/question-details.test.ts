// All that an agent says of its question can be heard, whatever shape it has.
import { expect, test } from "vitest";
import type { Envelope } from "#gen/aaep/types.js";
import { detailsLine, detailsPage } from "../../../src/cli/questions/asked-question.js";

const KEYS = { details: "d", repeat: "r" };

function asked(fields: Readonly<Record<string, unknown>>): Envelope {
  return {
    "@context": "https://aaep-protocol.org/context/v1",
    type: "aaep:agent.awaiting.confirmation",
    event_id: "evt_1",
    session_id: "sess_1",
    timestamp: "2026-01-01T00:00:00.000Z",
    producer: { agent_id: "bank" },
    ...fields,
  };
}

test("nested values are told by the names on the way to them, and what is empty is said to be", () => {
  const context = { payee: { iban: "DE89", name: "" }, items: [{ name: "Rent" }, 7], note: null, tags: [], amount: 5 };
  expect(detailsLine(context)).toEqual([
    "Details: payee iban DE89; payee name empty; items 1 name Rent; items 2 7; note none; tags empty; amount 5.",
  ]);
  expect(detailsLine({})).toEqual([]);
  expect(detailsLine(undefined)).toEqual([]);
});

test("ids are told on request only", () => {
  const context = { tool: "delete_photos", tool_call_id: "call_3615fb3e4c7642569520df3709156eed" };
  expect(detailsLine(context)).toEqual(["Details: tool delete_photos."]);
  expect(detailsPage(asked({ extra_context: context }), 0, KEYS).lines).toContain(
    `tool_call_id ${context.tool_call_id}`,
  );
});

test("neither names nor values of them move the cursor or make lines of their own", () => {
  expect(detailsLine({ "to\n\u001b[2J": { "\u202eiban": "a\r\nb\u0007" } })).toEqual([
    "Details: to [control sequence [2J] [right-to-left override]iban a[carriage return] b[control character U+0007].",
  ]);
});

test("what is too long or too much is said to go on, and d tells it whole", () => {
  const long = "word ".repeat(100).trim();
  expect(detailsLine({ memo: long })[0]).toMatch(
    /^Details: memo word .{150,200}\[\d+ characters left out\]\. Some are cut; d tells all\.$/,
  );
  const many = { list: Array.from({ length: 1000 }, (_, index) => `entry ${index}`) };
  const [line = ""] = detailsLine(many);
  expect(line.length).toBeLessThan(900);
  const left = Number(/; and (\d+) more\. d tells all\.$/.exec(line)?.[1]);
  expect(line.match(/list \d+ entry/g)?.length).toBe(1000 - left);
  const page = detailsPage(asked({ extra_context: { memo: long } }), 0, KEYS);
  expect(page).toEqual({ lines: [`memo ${long}`], next: 0 });
});

test("details are told twenty at a time, to the last, and then from the first again", () => {
  const event = asked({ extra_context: Object.fromEntries(Array.from({ length: 45 }, (_, at) => [`n${at}`, at])) });
  const told: string[] = [];
  let from = 0;
  do {
    const { lines, next } = detailsPage(event, from, KEYS);
    expect(lines.length).toBeLessThanOrEqual(21);
    told.push(...lines);
    from = next;
  } while (from !== 0);
  expect(told.filter((line) => line.startsWith("n"))).toHaveLength(45);
  expect(told.filter((line) => !line.startsWith("n"))).toEqual([
    "20 of 45 details. d tells the next.",
    "40 of 45 details. d tells the next.",
    "These were all.",
  ]);
});

test("the most detailed summary comes first", () => {
  const event = asked({ summary_normal: "Pays.", summary_detailed: "Pays the rent.", extra_context: { amount: 5 } });
  expect(detailsPage(event, 0, KEYS).lines).toEqual(["Summary: Pays the rent.", "amount 5"]);
  expect(detailsPage(asked({ summary_normal: "Pays." }), 0, KEYS).lines).toEqual(["Summary: Pays."]);
  expect(detailsPage(asked({}), 0, KEYS).lines).toEqual(["The agent says no more than that. r repeats the question."]);
});

test("nesting without end is told as far as the daemon would have taken it", () => {
  let deep: unknown = "end";
  for (let depth = 0; depth < 50_000; depth += 1) deep = { a: deep };
  expect(detailsPage(asked({ extra_context: deep }), 0, KEYS).lines).toEqual([
    `${"a ".repeat(64)}(more than can be told)`,
  ]);
});
