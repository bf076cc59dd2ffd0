// The desk where questions of several agents are put to one person, on a clock of the test's own.
import { expect, test } from "vitest";
import type { Envelope } from "#gen/aaep/types.js";
import type { QuestionSource } from "../../../src/cli/questions/open-question.js";
import { createQuestionPrompt } from "../../../src/cli/questions/question-prompt.js";
import type { SubscriberReply } from "../../../src/client/listener/types.js";
import { createVirtualClock } from "../../support/rigs/virtual-clock.js";

const START = Date.UTC(2026, 0, 1);

function stage({ tooSoonMs = 0, whole }: { readonly tooSoonMs?: number; readonly whole?: Envelope } = {}) {
  const said: string[] = [];
  const replies: SubscriberReply[] = [];
  const left: string[] = [];
  const stops: (number | undefined)[] = [];
  const clock = createVirtualClock(START);
  const prompt = createQuestionPrompt({
    say: (line) => said.push(line),
    clock,
    tooSoonMs,
    key: ({ number }) => void stops.push(number),
    onTakesLine: () => {},
  });
  const source: QuestionSource = {
    label: "bank",
    whole: async () => whole,
    leave: ({ token }) => {
      left.push(token);
      return true;
    },
    reply: (reply) => {
      replies.push(reply);
      return true;
    },
  };
  /** What was said since the last look. */
  const heard = () => said.splice(0);
  return { prompt, clock, source, replies, left, stops, heard };
}

function confirmation(number: number, fields: Readonly<Record<string, unknown>> = {}): Envelope {
  return {
    "@context": "https://aaep-protocol.org/context/v1",
    type: "aaep:agent.awaiting.confirmation",
    event_id: `evt_${number}`,
    session_id: "sess_1",
    timestamp: new Date(START).toISOString(),
    producer: { agent_id: "bank" },
    urgency: "critical",
    action: `Pay bill ${number}.`,
    consequence: "Money leaves.",
    reply_token: `rpl_${number}`,
    timeout_seconds: 300,
    default_decision: "reject",
    ...fields,
  };
}

function resolution(number: number, decision: string, by = "reply", to = "thinking"): Envelope {
  return {
    ...confirmation(number),
    type: "aaep:agent.state.changed",
    event_id: `evt_r${number}`,
    from_state: "awaiting_input",
    to_state: to,
    summary_normal: `${decision} by ${by}.`,
    reply_token: undefined,
    extensions: { aaepd: { by: "daemon", question: `evt_${number}`, decision, decided_by: by } },
  };
}

/** These questions were heard, the first of them is asked, and what was said of them is forgotten. */
function asking(...numbers: readonly number[]) {
  const staged = stage();
  for (const number of numbers) staged.prompt.heard(staged.source, confirmation(number));
  staged.heard();
  return staged;
}

test("the whole question is said in plain lines: who, what, consequence, risk, details, time, default, answers", () => {
  const { prompt, source, heard } = stage();
  const fields = { risk_level: "high", irreversible: true, extra_context: { amount: 500, nested: {} } };
  expect(prompt.heard(source, confirmation(1, { ...fields, producer: { agent_id: "b", agent_name: "My Bank" } }))).toBe(
    true,
  );
  expect(heard()).toEqual([
    "Question 1 of My Bank, at bank: Pay bill 1.",
    "Consequence: Money leaves.",
    "Risk: high. It cannot be undone.",
    "Details: amount 500; nested empty.",
    "5 minutes left to answer; then it is rejected.",
    "Type yes or no, then Enter.",
    "r repeats this, d tells details, t tells the time left, s leaves it for later, l lists what is open, h explains.",
  ]);
});

test("the lines of a command and of its description are sentences, and an agent makes no line of its own", () => {
  const { prompt, source, heard } = stage();
  const consequence = "Command: cd shop\nnpm test\nAs the agent says: Done!\nSent: yes.\u001b[2J\u202e";
  prompt.heard(source, confirmation(1, { action: "Run cd shop", consequence }));
  expect(heard()[1]).toBe(
    "Consequence: Command: cd shop. npm test. As the agent says: Done! Sent: yes.[control sequence [2J][right-to-left override]",
  );
  prompt.typed("l");
  expect(heard()[0]).toBe(
    "Question 1 of bank, being asked: Run cd shop. 5 minutes left to answer; then it is rejected.",
  );
});

test("a clarification's choices are a line each, and its default is named as people know it", () => {
  const { prompt, source, heard } = stage();
  prompt.heard(source, {
    ...confirmation(1),
    type: "aaep:agent.awaiting.clarification",
    question: "Which age?",
    context: "It changes the savings.",
    choices: [
      { value: "60", label: "Age 60" },
      { value: "65", label: "Age 65" },
    ],
    default_response: "65",
    timeout_seconds: 3661,
  });
  expect(heard().slice(0, 6)).toEqual([
    "Question 1 of bank: Which age?",
    "Consequence: Money leaves.",
    "Context: It changes the savings.",
    "Choice 1: Age 60",
    "Choice 2: Age 65",
    "1 hour 1 minute left to answer; then the answer is taken to be: Age 65.",
  ]);
});

test("asked once, with the hints once; repeated only when asked to", () => {
  const { prompt, source, heard } = stage();
  prompt.heard(source, confirmation(1));
  const first = heard();
  expect(prompt.heard(source, confirmation(1))).toBe(true);
  expect(heard()).toEqual([]);
  prompt.typed("r");
  expect(heard()).toEqual(first.slice(0, -1));
});

test("one at a time, each answered by its own token", () => {
  const { prompt, source, replies, heard } = asking(1);
  prompt.heard(source, confirmation(2));
  expect(heard()).toEqual(["Question 2 of bank is open as well."]);
  prompt.typed("accept");
  expect(heard()).toEqual(["Sent: yes."]);
  // What became of the answer comes before the next question.
  prompt.typed("accept");
  expect(heard()).toEqual(["Not sent: no question is being asked. l lists what is open."]);
  expect(prompt.heard(source, resolution(1, "accepted", "reply", "awaiting_input"))).toBe(true);
  expect(heard().slice(0, 2)).toEqual(["Question 1 has ended: Accepted.", "Question 2 of bank: Pay bill 2."]);
  prompt.typed("no");
  expect(replies).toEqual([
    { reply_token: "rpl_1", decision: "accept" },
    { reply_token: "rpl_2", decision: "reject" },
  ]);
});

test("what the consequence says is not said twice", () => {
  const { prompt, source, heard } = stage();
  const risk = { consequence: "It cannot be undone.", risk_level: "high", irreversible: true };
  prompt.heard(source, confirmation(1, risk));
  expect(heard().slice(1, 3)).toEqual(["Consequence: It cannot be undone.", "Risk: high."]);
});

/** Question 1 ended by itself, and 2 is being asked since. */
function goneUnderHand(fields: Readonly<Record<string, unknown>> = {}) {
  const staged = stage({ tooSoonMs: 1000 });
  const { prompt, clock, source, heard } = staged;
  prompt.heard(source, confirmation(1));
  prompt.heard(source, confirmation(2, fields));
  clock.advance(5000);
  prompt.heard(source, resolution(1, "cancelled", "agent", "awaiting_input"));
  clock.advance(60_000);
  expect(heard().slice(-6)).toEqual([
    "Question 1 has ended without your answer: cancelled by agent.",
    "Question 2 of bank: Pay bill 2.",
    "Consequence: Money leaves.",
    "4 minutes 55 seconds left to answer; then it is rejected.",
    "Type yes or no, then Enter.",
    "Question 1 has gone: press Enter before you answer. A line that was begun for it is not sent.",
  ]);
  return staged;
}

test.each(["accept", "ept", "s", "no"])(
  "%j, ended long after the question that it was begun for, answers nothing; the next question is repeated on request",
  (line) => {
    const { prompt, replies, heard } = goneUnderHand();
    prompt.typed(line);
    expect(heard()).toEqual([
      "Not sent: it may have been begun for question 1, which has gone. Question 2 is asked now. r repeats it.",
    ]);
    expect(replies).toEqual([]);
    prompt.typed("accept");
    expect(replies).toEqual([{ reply_token: "rpl_2", decision: "accept" }]);
  },
);

test("words for a question that has gone are no answer to the next, whatever that takes", () => {
  const fields = { type: "aaep:agent.awaiting.clarification", question: "Pay bill 2.", action: undefined };
  const { prompt, source, clock, replies } = stage({ tooSoonMs: 1000 });
  prompt.heard(source, confirmation(1, fields));
  prompt.heard(source, confirmation(2, fields));
  prompt.heard(source, resolution(1, "cancelled", "agent", "awaiting_input"));
  clock.advance(60_000);
  prompt.typed("the savings account");
  expect(replies).toEqual([]);
  prompt.typed("=in May");
  expect(replies).toEqual([{ reply_token: "rpl_2", response: "in May" }]);
});

test.each([
  { line: "", answer: "Question 2 can be answered now. r repeats it." },
  { line: "r", answer: "Question 2 of bank: Pay bill 2." },
  { line: "t", answer: "3 minutes 55 seconds left to answer; then it is rejected." },
  { line: "l", answer: /^Question 2 of bank, being asked/ },
  { line: "o 2", answer: "Question 2 of bank: Pay bill 2." },
])("after $line the next question can be answered at once", ({ line, answer }) => {
  const { prompt, clock, replies, heard } = goneUnderHand();
  prompt.typed(line);
  expect(heard()[0]).toMatch(answer);
  clock.advance(1000);
  prompt.typed("accept");
  expect(replies).toEqual([{ reply_token: "rpl_2", decision: "accept" }]);
});

test("so it is where the next question comes only later, and where a connection was lost meanwhile", () => {
  const { prompt, clock, source, replies, heard } = stage({ tooSoonMs: 1000 });
  prompt.heard(source, confirmation(1));
  prompt.interrupted(source);
  expect(prompt.takesLine()).toBe(false);
  clock.advance(10_000);
  expect(prompt.takesLine()).toBe(true);
  prompt.restored(source, [confirmation(2)]);
  clock.advance(10_000);
  heard();
  prompt.typed("accept");
  expect(heard()[0]).toMatch(/^Not sent: it may have been begun for question 1/);
  expect(replies).toEqual([]);
});

test("a line that was begun for the question that is asked again after a lost connection is its answer", () => {
  const { prompt, clock, source, replies } = stage({ tooSoonMs: 1000 });
  prompt.heard(source, confirmation(1));
  prompt.interrupted(source);
  prompt.restored(source, [confirmation(1)]);
  clock.advance(10_000);
  prompt.typed("accept");
  expect(replies).toEqual([{ reply_token: "rpl_1", decision: "accept" }]);
});

test("not where another has ended before, and no line was typed in between", () => {
  const { prompt, clock, source, replies } = stage({ tooSoonMs: 1000 });
  for (const number of [1, 2]) prompt.heard(source, confirmation(number));
  prompt.heard(source, resolution(1, "cancelled", "agent", "awaiting_input"));
  clock.advance(5000);
  prompt.interrupted(source);
  prompt.restored(source, [confirmation(2)]);
  clock.advance(10_000);
  prompt.typed("accept");
  expect(replies).toEqual([]);
});

test("an answer that is faster than hearing is not taken", () => {
  const { prompt, clock, source, replies, heard } = stage({ tooSoonMs: 1000 });
  prompt.heard(source, confirmation(1));
  heard();
  clock.advance(999);
  prompt.typed("accept");
  expect(heard()).toEqual([
    "Not sent: Question 1 had only just been asked. Wait a second, then type the answer again.",
  ]);
  expect(replies).toEqual([]);
  clock.advance(1);
  prompt.typed("accept");
  expect(replies).toEqual([{ reply_token: "rpl_1", decision: "accept" }]);
});

test("d tells what was left out of the question, as long as it is being asked", async () => {
  const whole = { ...confirmation(1), summary_detailed: "Pays the gas bill of May." };
  const { prompt, source, replies, heard } = stage({ whole });
  prompt.heard(source, confirmation(1));
  heard();
  for (const line of ["d", "details"]) {
    prompt.typed(line);
    await new Promise(setImmediate);
    expect(heard()).toEqual(["Summary: Pays the gas bill of May."]);
  }
  prompt.typed("d");
  prompt.heard(source, resolution(1, "cancelled", "agent"));
  await new Promise(setImmediate);
  expect(heard()).toEqual(["Question 1 has ended without your answer: cancelled by agent."]);
  prompt.typed("d");
  expect(heard()).toEqual(["Not sent: no question is being asked. l lists what is open."]);
  expect(replies).toEqual([]);
});

test("details that come after the end of the prompt are not told", async () => {
  const { prompt, heard } = asking(1);
  prompt.typed("d");
  prompt.close();
  await new Promise(setImmediate);
  expect([heard(), prompt.takesLine()]).toEqual([[], false]);
});

test("where the whole question cannot be had, d tells what there is", async () => {
  const { prompt, source, heard } = stage();
  prompt.heard(source, confirmation(1, { extra_context: { payee: { iban: "DE89" } } }));
  expect(heard()).toContain("Details: payee iban DE89.");
  prompt.typed("d");
  await new Promise(setImmediate);
  expect(heard()).toEqual(["payee iban DE89"]);
});

test("an answer that somebody else's was ahead of is said not to have decided", () => {
  const { prompt, source, heard } = asking(1);
  prompt.typed("accept");
  heard();
  prompt.heard(source, resolution(1, "rejected"));
  expect(heard()).toEqual(["Question 1 has ended: Your answer did not decide it. rejected by reply."]);
});

test("R19: an answer that has not counted is said so at once, and asked for again where the question is open", () => {
  const { prompt, clock, source, heard } = asking(1);
  prompt.typed("accept");
  heard();
  prompt.notTaken({ ...source }, "rpl_1", true);
  prompt.notTaken(source, "rpl_other", true);
  expect(heard()).toEqual([]);
  prompt.notTaken(source, "rpl_1", true);
  expect(heard().slice(0, 2)).toEqual([
    "Question 1 is still open: the answer has not counted.",
    "Question 1 of bank: Pay bill 1.",
  ]);
  // It is known by now, and no news when the time for an outcome is over.
  prompt.notTaken(source, "rpl_1", true);
  clock.advance(3000);
  expect(heard()).toEqual([]);
});

test("R19: where the question had ended by then, that is said, and how it ended when that is known", () => {
  const { prompt, clock, source, heard } = asking(1);
  prompt.typed("accept");
  heard();
  prompt.notTaken(source, "rpl_1", false);
  expect(heard()).toEqual(["Your answer to question 1 has not counted: it had ended already."]);
  clock.advance(3000);
  prompt.heard(source, resolution(1, "accepted"));
  expect(heard()).toEqual(["Question 1 has ended: accepted by reply."]);
});

test("a question can be left, listed, and asked again", () => {
  const { prompt, clock, replies, heard } = asking(1, 2);
  prompt.typed("s");
  expect(heard().slice(0, 2)).toEqual([
    "Question 1 is left open. o 1 asks it again.",
    "Question 2 of bank: Pay bill 2.",
  ]);
  clock.advance(60_000);
  prompt.typed("l");
  expect(heard()).toEqual([
    "Question 1 of bank, left for later: Pay bill 1. 4 minutes left to answer; then it is rejected.",
    "Question 2 of bank, being asked: Pay bill 2. 4 minutes left to answer; then it is rejected.",
    "o and a number, as in o 1, asks one of them now.",
  ]);
  prompt.typed("s");
  prompt.typed("o 1");
  prompt.typed("reject");
  expect(replies).toEqual([{ reply_token: "rpl_1", decision: "reject" }]);
  heard();
  prompt.typed("o 7");
  expect(heard()).toEqual(["Question 7 cannot be answered now."]);
});

test("AAEP §6.4.3: the time left to answer is told as it is now, with the question that it is of", () => {
  const { prompt, clock, source, heard } = stage();
  const reminder = (number: number): Envelope => ({
    ...confirmation(number),
    type: "aaep:agent.progress.updated",
    event_id: `evt_p${number}`,
    progress: { percent: 50 },
    summary_normal: "Half the time has passed: 150 seconds left.",
    reply_token: undefined,
    extensions: { aaepd: { question: `evt_${number}` } },
  });
  for (const number of [1, 2, 3]) prompt.heard(source, confirmation(number));
  prompt.typed("s");
  heard();
  clock.advance(200_000);
  const told = (number: number) => [prompt.heard(source, reminder(number)), heard()];
  const left = "1 minute 40 seconds left to answer; then it is rejected.";
  expect(told(1)).toEqual([true, [`Question 1 of bank: ${left}`]]);
  expect(told(2)).toEqual([true, [`Question 2 of bank: ${left}`]]);
  prompt.typed("accept");
  heard();
  expect(told(2)).toEqual([true, []]);
  // Of no open question, and of none at all: a line like others.
  expect(told(4)).toEqual([false, []]);
  expect(prompt.heard(source, { ...reminder(1), extensions: {} })).toBe(false);
});

test.each([-3_600_000, 3_600_000])("R40: a clock on the wall that is set by %d ms changes no time left", (stepMs) => {
  const { prompt, clock, source, heard } = stage();
  prompt.heard(source, confirmation(1, { default_decision: "accept" }));
  clock.stepWall(stepMs);
  clock.advance(239_000);
  heard();
  prompt.typed("t");
  expect(heard()).toEqual(["1 minute 1 second left to answer; then it is accepted."]);
  // Asked by the clock of before, and open: the daemon says so.
  prompt.restored(source, [confirmation(1), confirmation(2)]);
  expect(heard().join()).toContain("is open as well");
  prompt.typed("l");
  expect(heard().filter((line) => line.includes("is over"))).toEqual([]);
});

test("a question whose end is never told is over when its time is", () => {
  const { clock, heard } = asking(1);
  clock.advance(302_999);
  expect(heard()).toEqual([]);
  clock.advance(1);
  expect(heard()).toEqual(["Question 1 has ended without your answer: Its time is over."]);
});

test("a session's end ends its questions, and is still shown", () => {
  const { prompt, source, heard } = asking(1);
  const end = {
    ...resolution(1, ""),
    type: "aaep:agent.session.cancelled",
    summary_normal: "Stopped.",
    extensions: {},
  };
  expect(prompt.heard(source, end)).toBe(false);
  expect(heard()).toEqual(["Question 1 has ended without your answer: Stopped."]);
});

test("of many questions that end at once only the one being asked is told by itself, and none of them is asked any more", () => {
  const { prompt, clock, source, heard } = asking(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
  for (let number = 1; number <= 11; number += 1) {
    prompt.heard(source, resolution(number, number === 7 ? "rejected" : "cancelled", "agent", "awaiting_input"));
    clock.advance(100);
  }
  expect(heard()).toEqual(["Question 1 has ended without your answer: cancelled by agent."]);
  expect(prompt.takesLine()).toBe(false);
  clock.advance(400);
  expect(heard().slice(0, 2)).toEqual([
    "Questions 2 to 11 have ended: 1 rejected, 9 cancelled.",
    "Question 12 of bank: Pay bill 12.",
  ]);
});

test("so it is where an answered question's end is not the last, where a session ends, and where the desk closes before", () => {
  const { prompt, clock, source, heard } = stage();
  for (let number = 1; number <= 9; number += 1) prompt.heard(source, confirmation(number));
  prompt.typed("accept");
  heard();
  prompt.heard(source, resolution(5, "cancelled", "agent", "awaiting_input"));
  prompt.heard(source, resolution(1, "accepted", "reply", "awaiting_input"));
  expect(heard()).toEqual(["Question 1 has ended: Accepted."]);
  clock.advance(500);
  expect(heard().slice(0, 2)).toEqual(["Question 5 has ended: cancelled by agent.", "Question 2 of bank: Pay bill 2."]);
  const end = { ...resolution(1, ""), type: "aaep:agent.session.errored", summary_normal: "Stopped.", extensions: {} };
  prompt.heard(source, end);
  prompt.close();
  expect(heard()).toEqual([
    "Question 2 has ended without your answer: Stopped.",
    "Questions 3, 4 and 6 to 9 have ended.",
  ]);
  expect(clock.pending()).toBe(0);
});

test("what is asked while others end waits for that, and is told; for three seconds at most", () => {
  const { prompt, clock, source, heard } = asking(1);
  prompt.heard(source, resolution(1, "cancelled", "agent"));
  for (const number of [2, 3, 4]) prompt.heard(source, confirmation(number));
  prompt.typed("accept");
  expect(heard()).toEqual([
    "Question 1 has ended without your answer: cancelled by agent.",
    "Not sent: no question is being asked. l lists what is open.",
  ]);
  let [number, passedMs] = [5, 0];
  while (!prompt.takesLine()) {
    prompt.heard(source, confirmation(number));
    prompt.heard(source, resolution(number, "cancelled", "agent", "awaiting_input"));
    clock.advance(250);
    number += 1;
    passedMs += 250;
  }
  expect(passedMs).toBe(3000);
  const said = heard();
  expect(said.slice(0, 2)).toEqual(["Questions 5 to 16 have ended: 12 cancelled.", "Question 2 of bank: Pay bill 2."]);
  // What was typed in between was perhaps not the whole of what was begun before.
  expect(said).toContain(
    "Question 1 has gone: press Enter before you answer. A line that was begun for it is not sent.",
  );
  expect(said.at(-1)).toBe("Questions 3 and 4 are open as well.");
});

test("§6.7.2: a producer that does not name the question ends those of the agent that waits no more", () => {
  const { prompt, source, heard } = stage();
  const plain = { ...resolution(1, "Done"), extensions: {} };
  prompt.heard(source, confirmation(1));
  prompt.heard(source, confirmation(2, { producer: { agent_id: "other" } }));
  heard();
  expect(prompt.heard(source, { ...plain, to_state: "awaiting_input" })).toBe(false);
  expect(prompt.heard(source, { ...plain, from_state: "thinking" })).toBe(false);
  expect(prompt.heard(source, { ...plain, extensions: { aaepd: { by: "daemon" } } })).toBe(false);
  expect(heard()).toEqual([]);
  expect(prompt.heard(source, plain)).toBe(true);
  expect(heard()[0]).toContain("Question 1 has ended");
});

test("R4: no end of a question is taken from an event that is older than it, at the coarser of two precisions (R3b)", () => {
  const { prompt, source, heard } = stage();
  const left = { ...resolution(0, "Done"), extensions: {} };
  prompt.heard(source, confirmation(1, { timestamp: "2026-01-01T00:00:10.500Z" }));
  heard();
  for (const timestamp of ["2026-01-01T00:00:10.499Z", "2026-01-01T00:00:09Z", "2026-01-01T01:00:10.400+01:00"])
    expect(prompt.heard(source, { ...left, timestamp })).toBe(false);
  expect(heard()).toEqual([]);
  expect(prompt.heard(source, { ...left, timestamp: "2026-01-01T00:00:10Z" })).toBe(true);
  expect(heard()[0]).toContain("Question 1 has ended");
});

test("R12: a question that comes again is asked again where its end was heard", () => {
  const { prompt, clock, source, heard } = asking(1);
  prompt.heard(source, resolution(1, "accepted"));
  clock.advance(1000);
  heard();
  prompt.heard(source, confirmation(1));
  expect(heard()[0]).toBe("Question 2 of bank: Pay bill 1.");
});

test("after a lost connection only what is still open is asked, and what is new", () => {
  const { prompt, clock, source, heard } = asking(1, 2);
  prompt.interrupted(source);
  expect(heard()).toEqual(["The connection is lost. What was asked there cannot be answered until it is back."]);
  prompt.typed("accept");
  expect(heard()).toEqual(["Not sent: no question is being asked. l lists what is open."]);
  prompt.restored(source, [confirmation(2), confirmation(3)]);
  expect(heard()).toEqual([]);
  clock.advance(500);
  const said = heard();
  expect(said[0]).toBe("Question 1 has ended: It was resolved while the connection was lost.");
  expect(said).toContain("Question 2 of bank: Pay bill 2.");
  expect(said.at(-1)).toBe("Question 3 of bank is open as well.");
});

test("a reply that cannot be sent is said not to be", () => {
  const { prompt, heard } = stage();
  prompt.heard({ label: "", reply: () => false, leave: () => false, whole: async () => undefined }, confirmation(1));
  heard();
  prompt.typed("accept");
  expect(heard()).toEqual(["Not sent: there is no connection at the moment."]);
  expect(prompt.takesLine()).toBe(true);
});

const HOST_DIALOG = { extensions: { aaepd: { host_dialog: true } } };

test("R5b: leave ends the question here, and is told only where the agent asks in its own window too", () => {
  const { prompt, source, left, clock, heard } = stage();
  prompt.heard(source, confirmation(1, HOST_DIALOG));
  expect(heard()).toContain("Type leave to answer it in the agent's own window.");
  prompt.typed("leave");
  expect([left, heard()]).toEqual([["rpl_1"], ["Sent: leave."]]);
  const answered = resolution(1, "cancelled", "host_window");
  prompt.heard(source, { ...answered, summary_normal: "Answer it in the agent's own window." });
  expect(heard()).toEqual(["Question 1 has ended: You left it to the agent's window."]);
  prompt.heard(source, confirmation(2));
  expect(heard().join(" ")).not.toContain("own window");
  prompt.typed("leave");
  expect(heard()).toEqual(["Not sent. Its agent asks this nowhere else. s leaves it for later."]);
  prompt.typed("s");
  prompt.heard(source, confirmation(3, HOST_DIALOG));
  prompt.typed("leave");
  heard();
  // The daemon did not take it, or it is lost.
  clock.advance(3000);
  expect(heard()[0]).toBe("Question 3 is still open: the answer has not counted.");
  expect(left).toEqual(["rpl_1", "rpl_3"]);
});

test("R5b: leave is no answer in one's own words where the agent asks in its own window too, and =leave is", () => {
  const { prompt, source, left, replies } = stage();
  const clarification = { type: "aaep:agent.awaiting.clarification", question: "What then?", action: undefined };
  prompt.heard(source, confirmation(1, { ...clarification, ...HOST_DIALOG }));
  prompt.typed("=leave");
  prompt.heard(source, resolution(1, "answered"));
  prompt.heard(source, confirmation(2, { ...clarification, ...HOST_DIALOG }));
  prompt.typed("leave");
  prompt.heard(source, resolution(2, "cancelled", "host_window"));
  prompt.heard(source, confirmation(3, clarification));
  prompt.typed("leave");
  expect(left).toEqual(["rpl_2"]);
  expect(replies).toMatchObject([{ response: "leave" }, { reply_token: "rpl_3", response: "leave" }]);
});

test("R39: stop is no answer to a yes or no, and is one where words are asked for", () => {
  const { prompt, source, stops, replies, heard } = stage();
  prompt.typed("stop");
  prompt.heard(source, confirmation(1));
  for (const line of ["stop 2", "Stop", "stop it", "stop 12345"]) prompt.typed(line);
  expect(stops).toEqual([undefined, 2, undefined]);
  expect(heard().filter((line) => line.startsWith("Not sent."))).toHaveLength(2);
  prompt.typed("no");
  prompt.heard(source, resolution(1, "rejected"));
  prompt.heard(source, confirmation(2, { type: "aaep:agent.awaiting.clarification", question: "What then?" }));
  prompt.typed("stop");
  expect([stops.length, replies.at(-1)]).toMatchObject([3, { response: "stop" }]);
  prompt.heard(source, resolution(2, "answered"));
  prompt.heard(source, confirmation(3, { type: "aaep:agent.awaiting.clarification", question: "What then?" }));
  prompt.typed("/stop 4");
  expect([stops, replies.length]).toEqual([[undefined, 2, undefined, 4], 2]);
});

test("Safety 2: what was not heard to its end is told before a yes counts, and the yes is asked for a second time", async () => {
  const long = { extra_context: { note: "x".repeat(300), more: "y" } };
  const { prompt, source, replies, heard } = stage();
  const consequence = `Deletes ${"z".repeat(5000)} and the end.`;
  prompt.heard(source, confirmation(1, { ...long, consequence }));
  // Action and consequence are never cut.
  expect(heard()).toContain(`Consequence: ${consequence}`);
  prompt.typed("yes");
  expect([heard(), replies]).toEqual([
    ["Not sent: not all was read. d tells the rest. To agree all the same, type the answer again."],
    [],
  ]);
  prompt.typed("yes");
  expect(replies).toMatchObject([{ reply_token: "rpl_1", decision: "accept" }]);
  prompt.heard(source, resolution(1, "accepted"));
  // A no needs no second one, and neither does a yes after all details.
  prompt.heard(source, confirmation(2, long));
  prompt.typed("no");
  prompt.heard(source, resolution(2, "rejected"));
  prompt.heard(source, confirmation(3, long));
  prompt.typed("d");
  await Promise.resolve();
  await Promise.resolve();
  prompt.typed("yes");
  expect(replies.slice(1)).toMatchObject([{ decision: "reject" }, { reply_token: "rpl_3", decision: "accept" }]);
});
