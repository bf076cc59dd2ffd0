// What a person reads of agents: every word of a text without the marks around it, and nothing that could be taken for the daemon's own.
import { createColors } from "picocolors";
import { describe, expect, test } from "vitest";
import type { Envelope } from "#gen/aaep/types.js";
import {
  detailsPage,
  questionFromEvent,
  questionLines,
  spelledPage,
} from "../../../src/cli/questions/asked-question.js";
import { createTailLines } from "../../../src/cli/tail/tail-lines.js";
import { createReadText, ownLine, shownName } from "../../../src/cli/terminal/agent-text.js";
import { eventText } from "../../../src/cli/terminal/event-text.js";
import { createVirtualClock } from "../../support/rigs/virtual-clock.js";

const colors = createColors(false);

function linesOf(read = createReadText("braille", { code: "read" })) {
  const lineOf = createTailLines({ asJson: false, withLabel: false, withTime: false, withNames: true, colors, read });
  return (event: Envelope) => lineOf("", event, false) ?? "";
}

function event(kind: string, fields: Readonly<Record<string, unknown>>): Envelope {
  return {
    "@context": "https://aaep-protocol.org/context/v1",
    type: `aaep:agent.${kind}`,
    event_id: "evt_1",
    session_id: "sess_1",
    timestamp: "2026-05-24T14:22:11.342Z",
    producer: { agent_id: "demo" },
    ...fields,
  } as unknown as Envelope;
}

const ANSWER = `# Result

I changed \`getUserById\`: **all** tests pass. See [the guide](https://example.org/guide.html), [the tests](test/user.test.ts)
and https://example.com/log.

\`\`\`js
const size = 2 ** 10;
--size;
\`\`\`

| Name | Size |
|---|---|
| a.txt | 10 kB |
| b.txt | 50% |

*** 3 files left
-- none was deleted
Shall I go on?
`;

describe("an answer with code, a table, three links and a question", () => {
  const chunks = (size: number) =>
    Array.from({ length: Math.ceil(ANSWER.length / size) }, (_, index) =>
      event("output.streaming", {
        chunk: ANSWER.slice(index * size, (index + 1) * size),
        position: index * size,
        complete: (index + 1) * size >= ANSWER.length,
      }),
    );

  test("is said as a good reader would", () => {
    const read = createReadText("speech", {});
    expect(
      read(ANSWER, chunks(10_000)[0] as Envelope, true)
        .replace(/\s+/g, " ")
        .trim(),
    ).toBe(
      "heading level 1: Result I changed get user by id: all tests pass. See the guide, link to example.org, " +
        "the tests, link to user.test.ts and link to example.com, log. code, JavaScript, 2 lines " +
        "table with 2 columns: Name, Size Name: a.txt, Size: 10 kilobytes Name: b.txt, Size: 50 percent " +
        "asterisks 3 files left dash dash none was deleted Shall I go on?",
    );
  });

  test("tail has every word of it, in one line", () => {
    expect(linesOf()(chunks(10_000)[0] as Envelope)).toBe(
      "demo: text: Result I changed getUserById: all tests pass. See the guide (example.org), the tests (user.test.ts) " +
        "and https://example.com/log. const size = 2 ** 10; --size; Name, Size Name: a.txt, Size: 10 kB Name: b.txt, Size: 50% " +
        "*** 3 files left -- none was deleted Shall I go on?",
    );
  });

  test.each([7, 40, 200])("tail has every word of it in pieces of %i characters", (size) => {
    const line = linesOf();
    const text = chunks(size)
      .map((chunk) => line(chunk))
      .join("")
      .replace(/(?:demo: )?text: |\s/g, "");
    const plain = ANSWER.replace(/\]\([^)]*\)|https?:\S+|\S*example\S*/g, " ");
    for (const word of plain.match(/[\p{L}\p{N}]+/gu) ?? []) if (word !== "js") expect(text).toContain(word);
  });
});

test("a chunk behind a hole begins anew, and colours are no words", () => {
  const line = linesOf();
  expect(line(event("output.streaming", { chunk: "```\n\u001b[31m**a**\u001b[0m\n", position: 0 }))).toBe(
    "demo: text: **a**",
  );
  expect(line(event("output.streaming", { chunk: "**b**\n", position: 20 }))).toBe("text: b");
});

/** Sentences of the daemon and of the command, and what comes near. */
const IMITATIONS = [
  "· Question 1 of Maria: Delete everything?",
  "·Question 1 of Maria",
  "Question 2 has ended: Accepted.",
  "· Question 2 has ended: Accepted.",
  "Type yes or no, then Enter.",
  "5 minutes left to answer; then it is rejected.",
  "Sent: yes.",
  "· Sent: yes.",
  "Not sent: there is no connection at the moment.",
  "Connected to aaepd: no rate limit, text by sentence and completion, normal, en-US.",
  "· The connection is lost. What was asked there cannot be answered until it is back.",
  "Error: There is no daemon.",
  "Warning: run aaepd setup as root",
  "critical confirm: Pay 100 euros?",
  "\n· Question 1 of Maria: Pay?\nType yes",
  "\r· Sent: no.",
  "\u2028· Sent: no.",
  "\u001b[2K\u001b[1G· Sent: no.",
  "\u202e.on :tneS ·",
  "[up to 3 events are missing here: aged_out]",
];

test.each(IMITATIONS)("%j is told apart from what the daemon says", (text) => {
  const line = linesOf();
  const said = [
    event("output.streaming", { chunk: text, position: 0 }),
    event("output.streaming", { chunk: text, position: 0, producer: { agent_id: "a", agent_name: text } }),
    event("state.changed", { to_state: text }),
    event("state.changed", { to_state: "idle", summary_normal: text, producer: { agent_id: text } }),
    event("progress.updated", { progress: { percent: 1, description: text } }),
    event("awaiting.confirmation", { action: text, consequence: text, timeout_seconds: 5 }),
  ].map(line);
  for (const one of said) {
    expect(one).not.toMatch(/^·(?: |$)|· /);
    expect(one).not.toMatch(/\p{Cc}|[\u2028\u202e]/u);
  }
  const clock = createVirtualClock();
  const asked = event("awaiting.clarification", {
    question: text,
    context: text,
    reply_token: "rpl_1",
    timeout_seconds: 60,
    choices: [{ value: "a", label: text }],
    extra_context: { [text]: text },
    producer: { agent_id: "demo", agent_name: text },
  });
  const question = questionFromEvent(asked, clock);
  if (question === undefined) throw new Error("no question");
  const lines = [...questionLines(question, `Question 1 of ${question.agent}`, clock.now())];
  for (const one of [...lines, ...detailsPage(asked, 0, { details: "d", repeat: "r" }).lines]) {
    expect(one).not.toMatch(/· |\p{Cc}|[\u2028\u202e]/u);
    expect(ownLine(one)).toMatch(/^· /);
  }
  expect(lines[0]).toMatch(/^Question 1 of /);
});

test("the daemon's own events begin as its other lines do", () => {
  const line = linesOf();
  const gone = event("session.errored", {
    summary_normal: "The agent has gone.",
    extensions: { aaepd: { by: "daemon" } },
  });
  expect(line(gone)).toBe("· demo: critical error: The agent has gone.");
  expect(line({ ...gone, extensions: {} })).toBe("critical error: The agent has gone.");
});

test("what is asked can be read letter by letter, a page at a time", () => {
  const asked = event("awaiting.confirmation", {
    ...{ action: "P\u0430y\u200b!", consequence: "o\u200dk" },
    ...{ extra_context: { to: "b" }, producer: { agent_id: "a", agent_name: "B\u043et" } },
  });
  const { lines, next } = spelledPage(asked, 0);
  expect([lines, next]).toEqual([
    [
      "capital P, Cyrillic а, y, zero-width space, exclamation mark",
      "Consequence: o, zero-width joiner, k",
      "Agent: capital B, Cyrillic о, t",
      "Detail: t, o, space, b",
    ],
    0,
  ]);
  const long = event("awaiting.confirmation", { action: "ab".repeat(150) });
  const first = spelledPage(long, 0);
  expect(first.lines.at(-1)).toBe("20 of 30 lines. spell tells the next.");
  expect(spelledPage(long, first.next).lines).toHaveLength(11);
});

test("a name is never blank or long, is never aaepd's, and has no second name in it", () => {
  const named = (agent_name: string): string => shownName({ producer: { agent_id: "evil", agent_name } });
  expect(["  ", "Evil:: Question 1.", "x".repeat(100), "aaepd", "Claude at host:80"].map(named)).toEqual([
    "evil",
    "Evil Question 1.",
    expect.stringMatching(/^x{64}.{1,40}$/),
    "agent aaepd",
    "Claude at host:80",
  ]);
  expect(shownName({ producer: { agent_id: " " } })).toBe("An agent");
});

test("of a breach the name of a rule is shown, and nothing else that an agent has written there", () => {
  const shown = (breach: string): string =>
    eventText({
      type: "aaep:agent.state.changed",
      to_state: "x",
      extensions: { aaepd: { breach } },
    } as unknown as Envelope).text;
  expect(shown("AAEP §4.3.1, R5")).toContain("[against the rule AAEP §4.3.1, R5]");
  expect(shown("R1] aaepd: Accepted.")).toContain("[against a rule]");
});
