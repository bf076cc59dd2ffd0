// What is typed, read as an answer or not: consent is never anything but its words.
import { expect, test } from "vitest";
import type { Answerable } from "../../../src/cli/questions/asked-question.js";
import { readAnswer, readAnywhere } from "../../../src/cli/questions/typed-answer.js";

const CONFIRMATION: Answerable = { kind: "confirmation", allowed: ["accept", "reject"] };

function clarification(kinds: Extract<Answerable, { kind: "clarification" }>["kinds"], ...labels: readonly string[]) {
  const choices = labels.map((label, index) => ({ value: `v${index + 1}`, label }));
  return { kind: "clarification", kinds, choices } as const;
}

test.each(["accept", "ACCEPT", " accept ", "yes"])("%j accepts", (line) => {
  expect(readAnswer(line, CONFIRMATION)).toEqual({ kind: "decision", decision: "accept" });
});

test.each(["reject", "no", "No"])("%j rejects", (line) => {
  expect(readAnswer(line, CONFIRMATION)).toEqual({ kind: "decision", decision: "reject" });
});

test.each(["", "   ", "\t"])("an empty line (%j) is no consent", (line) => {
  expect(readAnswer(line, CONFIRMATION)).toEqual({ kind: "nothing" });
});

test.each([
  "a",
  "y",
  "n",
  "ok",
  "acceptt",
  "accept reject",
  "1",
  "true",
  "yes!",
  "constructor",
  "__proto__",
  "=accept",
])("%j is neither, and is told what would be", (line) => {
  expect(readAnswer(line, CONFIRMATION)).toEqual({
    kind: "unclear",
    why: expect.stringMatching(/Type yes or no, then Enter\.$/),
  });
});

test("§4.4.1: what the agent does not offer is not sent", () => {
  const answer = readAnswer("accept", { kind: "confirmation", allowed: ["reject"] });
  expect(answer).toEqual({ kind: "unclear", why: "The agent does not offer that. Type no, then Enter." });
});

test("commands are single letters, whatever is asked", () => {
  const asked: readonly Answerable[] = [CONFIRMATION, clarification(["freetext"]), clarification(["yes_no"])];
  for (const answerable of asked) {
    expect(["r", "d", "l", "s", "t", "h", "?", "o 2", "O2"].map((line) => readAnswer(line, answerable))).toEqual([
      { kind: "repeat" },
      { kind: "details" },
      { kind: "list" },
      { kind: "later" },
      { kind: "time" },
      { kind: "help" },
      { kind: "key", key: "keys", number: undefined },
      { kind: "open", number: 2 },
      { kind: "open", number: 2 },
    ]);
  }
  expect(readAnywhere("accept")).toBeUndefined();
});

test.each([
  { line: "2", response: "v2" },
  { line: "#2", response: "v2" },
  { line: "age 65", response: "v2" },
  { line: "V2", response: "v2" },
])("a choice by number, value or label: $line", ({ line, response }) => {
  const answer = readAnswer(line, clarification(["multiple_choice"], "Age 60", "Age 65"));
  expect(answer).toEqual({ kind: "response", response });
});

test.each(["0", "3", "#3", "Age", "65"])("no such choice: %s", (line) => {
  const answer = readAnswer(line, clarification(["multiple_choice"], "Age 60", "Age 65"));
  expect(answer).toEqual({ kind: "unclear", why: "Type the number of a choice, then Enter." });
});

test("a number that is one choice's place and another's name is neither", () => {
  const tickets = clarification(["multiple_choice"], "2", "1");
  expect(readAnswer("1", tickets)).toMatchObject({ kind: "unclear" });
  expect(readAnswer("#1", tickets)).toEqual({ kind: "response", response: "v1" });
});

test("§6.3: where any of several kinds will do, each is sent as what it is", () => {
  const age = clarification(["multiple_choice", "numeric"], "Age 60", "Age 65");
  expect(readAnswer("2", age)).toEqual({
    kind: "unclear",
    why: "For choice 2 type c2. To send the number itself, put = before it: =2",
  });
  expect(readAnswer("=2", age)).toEqual({ kind: "response", response: 2 });
  expect(readAnswer("3", age)).toEqual({ kind: "response", response: 3 });
  expect(readAnswer("c3", age)).toEqual({ kind: "unclear", why: "The choices are c1 to c2." });
  for (const line of ["c2", "C 2", "#2"]) expect(readAnswer(line, age)).toEqual({ kind: "response", response: "v2" });
  expect(readAnswer("66.5", age)).toEqual({ kind: "response", response: 66.5 });
  expect(readAnswer("two", age)).toEqual({
    kind: "unclear",
    why: "Type c and the number of a choice, as in c1, or a number, then Enter.",
  });
  const open = clarification(["yes_no", "freetext"]);
  expect(readAnswer("yes", open)).toEqual({ kind: "response", response: true });
  expect(readAnswer("yes, please", open)).toEqual({ kind: "response", response: "yes, please" });
});

test.each(["1,000", "0x10", "1e3", "12a", "Infinity", "--1", "."])("%s is no number", (line) => {
  expect(readAnswer(line, clarification(["numeric"]))).toEqual({ kind: "unclear", why: "Type a number, then Enter." });
});

test.each([
  { line: "-3", response: -3 },
  { line: "+0.5", response: 0.5 },
  { line: ".5", response: 0.5 },
])("$line is a number", ({ line, response }) => {
  expect(readAnswer(line, clarification(["numeric"]))).toEqual({ kind: "response", response });
});

test.each(["9007199254740993", "+9007199254740993", "1".repeat(400)])(
  "R41: %s arrives as it was typed, or not",
  (line) => {
    for (const typed of [line, `=${line}`]) {
      expect(readAnswer(typed, clarification(["numeric"]))).toMatchObject({ kind: "unclear" });
      expect(readAnswer(typed, clarification(["numeric", "freetext"]))).toEqual({ kind: "response", response: line });
    }
  },
);

test("any words are an answer where any will do; = sends what else would be a command", () => {
  const open = clarification(["freetext"]);
  expect(readAnswer(" in May ", open)).toEqual({ kind: "response", response: "in May" });
  expect(readAnswer("=r", open)).toEqual({ kind: "response", response: "r" });
  expect(readAnswer("=", open)).toEqual({ kind: "nothing" });
  expect(readAnswer("x".repeat(16_385), open)).toMatchObject({ kind: "unclear" });
});

test.each([
  { line: "#3", why: "The choices are c1 to c2. To send the text itself, put = before it: =#3" },
  { line: "#0", why: "The choices are c1 to c2. To send the text itself, put = before it: =#0" },
  { line: "#1234", why: "The choices are c1 to c2. To send the text itself, put = before it: =#1234" },
  { line: "3", why: "The choices are c1 to c2. To send the text itself, put = before it: =3" },
  { line: "2", why: "For choice 2 type c2. To send the text itself, put = before it: =2" },
])("$line, where choices and texts are answers, is told as unclear, and = sends it", ({ line, why }) => {
  const either = clarification(["multiple_choice", "freetext"], "Age 60", "Age 65");
  expect(readAnswer(line, either)).toEqual({ kind: "unclear", why });
  expect(readAnswer(`=${line}`, either)).toEqual({ kind: "response", response: line });
});

test("where choices and texts are answers, what is plainly one of them is", () => {
  const either = clarification(["multiple_choice", "freetext"], "Age 60", "Age 65");
  expect(readAnswer("# 2", either)).toEqual({ kind: "response", response: "v2" });
  expect(readAnswer("age 60", either)).toEqual({ kind: "response", response: "v1" });
  for (const text of ["1962", "#later", "2 of them"])
    expect(readAnswer(text, either)).toEqual({ kind: "response", response: text });
  const one = clarification(["multiple_choice", "freetext"], "Yes");
  expect(readAnswer("#2", one)).toMatchObject({
    kind: "unclear",
    why: expect.stringMatching(/^There is only choice 1/),
  });
  const withNumbers = clarification(["multiple_choice", "numeric", "freetext"], "Age 60", "Age 65");
  expect(readAnswer("2", withNumbers)).toMatchObject({ kind: "unclear" });
  expect(readAnswer("=2", withNumbers)).toEqual({ kind: "response", response: 2 });
  expect(readAnswer("#3", withNumbers)).toMatchObject({ kind: "unclear" });
});

test("a choice whose name looks like a number can be chosen by it, unless another has that number", () => {
  const floors = clarification(["multiple_choice", "freetext"], "7", "#8", "#1");
  expect(readAnswer("7", floors)).toEqual({ kind: "response", response: "v1" });
  expect(readAnswer("#8", floors)).toEqual({ kind: "response", response: "v2" });
  expect(readAnswer("#1", floors)).toMatchObject({ kind: "unclear" });
});

test("the words of aaepd speak are commands, with a slash also where words of one's own are asked for", () => {
  const words = ["hush", "skip", "again", "back", "where", "pause", "resume", "mute", "keys", "stop"] as const;
  const own = clarification(["freetext"]);
  for (const key of words) {
    const command = { kind: "key", key, number: undefined };
    expect(readAnswer(key, CONFIRMATION)).toEqual(command);
    expect(readAnywhere(`/${key}`)).toEqual(command);
    expect(readAnswer(`/${key.toUpperCase()}`, own)).toEqual(command);
    expect(readAnswer(key, own)).toEqual({ kind: "response", response: key });
  }
  expect(readAnswer("mute 30", CONFIRMATION)).toEqual({ kind: "key", key: "mute", number: 30 });
  expect(readAnswer("/questions", own)).toEqual({ kind: "list" });
  expect(readAnswer("answer yes", CONFIRMATION)).toEqual({ kind: "decision", decision: "accept" });
  expect(readAnswer("/answer stop", own)).toEqual({ kind: "response", response: "stop" });
  for (const text of ["/usr/bin", "/hush now", "=/stop", "answer me"])
    expect(readAnswer(text, own)).toEqual({ kind: "response", response: text.replace("=", "") });
});

test("help is a command in words, except where it may be an answer", () => {
  expect(readAnswer("Help", CONFIRMATION)).toEqual({ kind: "help" });
  expect(readAnswer("help", clarification(["freetext"]))).toEqual({ kind: "response", response: "help" });
});

test("details is a command in words, except where it may be an answer", () => {
  expect(readAnswer("Details", CONFIRMATION)).toEqual({ kind: "details" });
  expect(readAnswer("details", clarification(["multiple_choice", "numeric"], "Age 60"))).toEqual({ kind: "details" });
  expect(readAnswer("details", clarification(["freetext"]))).toEqual({ kind: "response", response: "details" });
  expect(readAnswer("details", clarification(["multiple_choice"], "Details"))).toEqual({
    kind: "response",
    response: "v1",
  });
});
