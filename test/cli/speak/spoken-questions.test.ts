// The words of a question as they are said, and which question an answer goes to.
import { expect, test } from "vitest";
import type { Envelope } from "#gen/aaep/types.js";
import { textOfParts } from "../../../src/cli/speak/spoken-parts.js";
import { createSpokenQuestions, listParts, type SpokenQuestion } from "../../../src/cli/speak/spoken-questions.js";
import { createVirtualClock } from "../../support/rigs/virtual-clock.js";

const clock = createVirtualClock();
const at = (ms: number): string => new Date(clock.wallTime() + ms).toISOString();

function event(kind: string, timestamp: string, fields: Readonly<Record<string, unknown>> = {}): Envelope {
  return {
    "@context": "https://aaep-protocol.org/context/v1",
    type: `aaep:agent.${kind}`,
    event_id: `evt_${kind}`,
    session_id: "sess_1",
    timestamp,
    producer: { agent_id: "bank", agent_name: "Bank" },
    ...fields,
  };
}

function asked(fields: Readonly<Record<string, unknown>>, kind = "confirmation") {
  const questions = createSpokenQuestions(clock);
  const asks = { reply_token: "rt_1", timeout_seconds: 600, ...fields };
  const question = questions.ask(event(`awaiting.${kind}`, at(0), asks)) as SpokenQuestion;
  return { questions, question, words: textOfParts(questions.parts(question)) };
}

test("a question tells its risk, that there are details, how it is answered, and what follows without an answer", () => {
  expect(
    asked({ action: "Pay 5 euros", risk_level: "high", irreversible: true, extra_context: { iban: "DE1" } }).words,
  ).toBe(
    "Question 1. Pay 5 euros Risk: high. It cannot be undone. The key details tells more. Without an answer, it is rejected. Answer accept or reject. 10 minutes to answer.",
  );
  expect(asked({ action: "Run it", extensions: { aaepd: { host_dialog: true } } }).words).toBe(
    "Question 1. Run it Without an answer, it waits in the agent's own window. Answer accept or reject, or leave to answer it in the agent's own window. 10 minutes to answer.",
  );
});

test("the answer that is taken without one is said as the agent's words", () => {
  const choices = [{ value: "a", label: "By author" }];
  const { questions, question, words } = asked({ question: "How?", choices, default_response: "a" }, "clarification");
  expect(words).toContain(
    "Without an answer, the answer is taken to be: By author Answer the number of a choice. 10 minutes",
  );
  expect(questions.parts(question).at(-2)).toMatchObject({ text: "By author", isOwn: false });
});

test("an agent has gone on by what comes after its question, and not by what the question has overtaken", () => {
  const { questions, question } = asked({ action: "Run it", extensions: { aaepd: { host_dialog: true } } });
  questions.noteSaid(question);
  questions.heard(event("output.streaming", at(-500), { chunk: "I run it now." }));
  expect(questions.answer("accept", undefined)).toMatchObject({ kind: "reply" });
  questions.heard(event("tool.invoked", at(500)));
  expect(questions.answer("accept", undefined)).toMatchObject({ why: expect.stringContaining("may be over") });
});

test("the number of a question is known after its end", () => {
  const { questions } = asked({ action: "Run it" });
  questions.heard(event("session.completed", at(10)));
  expect([questions.open(), questions.numberOf("rt_1"), questions.numberOf("rt_2")]).toEqual([[], 1, undefined]);
});

test("an answer goes to the question that was said, to none while another has just begun, and to each by its number", () => {
  const questions = createSpokenQuestions(clock);
  const ask = (reply_token: string): SpokenQuestion => {
    const fields = { reply_token, event_id: `evt_${reply_token}`, timeout_seconds: 600, action: "Run it" };
    return questions.ask(event("awaiting.confirmation", at(0), fields)) as SpokenQuestion;
  };
  const [first, second] = [ask("rt_1"), ask("rt_2")];
  const answered = (number?: number) => {
    const read = questions.answer("accept", number);
    return read.kind === "none" ? read.why : read.question.number;
  };
  expect(answered()).toBe("No question was said to its end yet. Nothing was sent.");
  questions.noteSaid(first);
  clock.advance(1);
  second.begunAt = clock.now();
  expect([answered(), answered(1), answered(2)]).toEqual(["Question 2 has just begun. Nothing was sent.", 1, 2]);
  clock.advance(1000);
  // A person feels again what was said.
  first.begunAt = clock.now();
  expect(answered()).toBe(1);
  expect(textOfParts(listParts(questions))).toMatch(/^2 open questions\. Bank asks\. Question 1\. /);
  const outcome = { extensions: { aaepd: { question: "evt_rt_1", decision: "accept" } } };
  expect(questions.heard(event("state.changed", at(10), outcome))).toEqual([first]);
  expect(answered()).toBe("Question 1 has ended. Nothing was sent.");
  expect(textOfParts(listParts(questions))).toMatch(/^Bank asks\. Question 2\. /);
});
