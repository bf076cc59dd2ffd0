// Calls of tools that a person named to be held.
import fc from "fast-check";
import { expect, test } from "vitest";
import { isOneCall, lineKind } from "../../../src/adapters/mcp/held-lines.js";
import { foldedName } from "../../../src/base/tool-name.js";
import { casesOf } from "../../support/extent.js";
import { hostileLines } from "../hostile-lines.js";
import { hostileTexts } from "../hostile-texts.js";
import { MODERN, mcpStage } from "./mcp-stage.js";

const HELD = ["delete_file"];
const call = (members: string, params = '"name":"delete_file","arguments":{}') =>
  `{"jsonrpc":"2.0",${members},"params":{${params}}}`;
const METHOD = '"method":"tools/call"';

/** What the host got in place of a result. */
function refusals(toHost: readonly string[]): readonly unknown[] {
  return toHost.map((line) => JSON.parse(line));
}

function notDone(id: unknown, why: string, members: object = {}) {
  const content = [{ type: "text", text: `Not done: ${why}` }];
  return { jsonrpc: "2.0", id, result: { content, isError: true, ...members } };
}

test.each([0, "0", -1, 9007199254740993n])("a held call waits, and a yes lets exactly its bytes pass: id %s", (id) => {
  const stage = mcpStage({ held: HELD });
  const written = typeof id === "string" ? JSON.stringify(id) : String(id);
  const line = call(`"id":${written}, ${METHOD}`, ' "name" : "delete_file", "arguments":{"path":"/home/ada/é.txt"} ');
  stage.host(Buffer.from(`${line}\r\n`));
  expect(stage.toServer).toEqual([]);
  expect(stage.signs.at(-1)).toMatchObject({
    kind: "question",
    action: "Use delete_file: path: /home/ada/é.txt",
    consequence: "path: /home/ada/é.txt",
    risk: "high",
    irreversible: true,
    seconds: 45,
    hasHostDialog: false,
  });
  stage.answer("accept");
  stage.answer("accept");
  expect(stage.toServer).toEqual([`${line}\r`]);
  expect(stage.toHost).toEqual([]);
  stage.server(`{"jsonrpc":"2.0","id":${written},"result":{"content":[]}}`);
  expect(stage.told().slice(2)).toEqual([
    'tool | call 1 | notes.delete_file | delete file | true | {"question":"question 1"}',
    "tool-end | call 1 | success",
  ]);
});

test("everything that is no yes of a person answers 'not done', once, and a yes that comes later does nothing", () => {
  const whys: readonly [(stage: ReturnType<typeof mcpStage>) => void, string][] = [
    [(stage) => stage.answer("reject"), "the person did not agree."],
    [(stage) => stage.answer(undefined), "nobody has agreed."],
    [(stage) => stage.pass(47_000), "nobody has agreed."],
  ];
  for (const [end, why] of whys) {
    const stage = mcpStage({ held: HELD });
    stage.call(1, "delete_file", { path: "a" });
    end(stage);
    stage.answer("accept");
    stage.answer(undefined);
    stage.pass(100_000);
    expect(refusals(stage.toHost)).toEqual([notDone(1, why)]);
    expect(stage.toServer).toEqual([]);
    expect(stage.told().filter((line) => line.startsWith("tool"))).toEqual([]);
    expect(stage.told().at(-1)).toBe("end | completed | Done.");
  }
});

test("2026-07-28: 'not done' says that it is complete", () => {
  const stage = mcpStage({ held: HELD });
  stage.call("x", "delete_file", {}, MODERN);
  stage.answer("reject");
  expect(refusals(stage.toHost)).toEqual([notDone("x", "the person did not agree.", { resultType: "complete" })]);
});

test("a host that cancels a held call gets no answer, the question is withdrawn, and the server hears nothing of it", () => {
  const stage = mcpStage({ held: HELD });
  stage.call(5, "delete_file");
  stage.host({ method: "notifications/cancelled", params: { requestId: 5, reason: "timed out" } });
  expect(stage.told().at(-1)).toBe("question-over | question 1");
  stage.answer("accept", "question 1");
  stage.pass(100_000);
  expect(stage.toServer).toEqual([]);
  expect(stage.toHost).toEqual([]);
});

test("progress while a call is held goes on to increase when the server tells its own", () => {
  const stage = mcpStage({ held: HELD });
  stage.call(1, "delete_file", {}, { progressToken: "p" });
  stage.call(2, "delete_file");
  stage.pass(35_000);
  stage.answer("accept", "question 1");
  const line = (progress: string) =>
    `{"jsonrpc":"2.0", "method":"notifications/progress","params":{ "progressToken":"p","x":9007199254740993,"progress":${progress},"total": 2,"message":"é \\u00e9"}}`;
  for (const progress of ["0", "0.5", "2"]) stage.server(line(progress));
  const told = stage.toHost.map((text) => JSON.parse(text).params);
  expect(told.map(({ progress }) => progress)).toEqual([0, 1, 2, 3, 3.5, 5]);
  expect(told[0]).toEqual({ progressToken: "p", progress: 0, message: "Waits for a person." });
  expect(stage.toHost[4]).toBe(line("3.5").replace('"total": 2', '"total": 5'));
  expect(stage.told().filter((one) => one.startsWith("progress"))).toEqual([
    "progress | call 1 | 0 | é é",
    "progress | call 1 | 25 | é é",
    "progress | call 1 | 100 | é é",
  ]);
  stage.server({ id: 1, result: { content: [] } });
  expect(stage.adapter.changesProgress()).toBe(false);
});

test("Safety 2: a question that does not have everything is asked a second time before a yes counts", () => {
  const stage = mcpStage({ held: HELD });
  stage.call(1, "delete_file", { path: "a".repeat(20_000) });
  expect(stage.signs.at(-1)).toMatchObject({ consequence: expect.stringContaining("characters are left out") });
  stage.pass(20_000);
  stage.answer("accept");
  expect(stage.toServer).toEqual([]);
  expect(stage.signs.at(-1)).toMatchObject({ action: expect.stringContaining("Not all was read"), seconds: 25 });
  stage.answer("accept");
  expect(stage.toServer).toHaveLength(1);
  const late = mcpStage({ held: HELD });
  late.call(1, "delete_file", { path: "a".repeat(20_000) });
  late.pass(44_500);
  late.answer("accept");
  expect(refusals(late.toHost)).toEqual([notDone(1, "nobody has agreed.")]);
});

test("Safety 2: the question has each argument in words, and never the server's title", () => {
  const stage = mcpStage({ held: ["send"] });
  stage.host({ id: 1, method: "tools/list" });
  stage.server({ id: 1, result: { tools: [{ name: "send", title: "Reads a harmless note" }] } });
  stage.call(2, "send", { toAddress: "ada@example.org", amount: { value: 5, unit: "EUR" }, description: "harmless" });
  expect(stage.signs.at(-1)).toMatchObject({
    action: "Use send: to address: ada@example.org and 2 more lines",
    consequence: "to address: ada@example.org\namount: value: 5; unit: EUR\ndescription: harmless",
  });
});

test.each([
  [
    "an argument that could be a command is not asked in place of the tool",
    { name: "send", arguments: { command: "ls" } },
    { action: "Use send: command: ls", consequence: "Command: ls" },
  ],
  [
    "what stands beside the arguments is in the question too",
    { name: "send", arguments: { to: "ada" }, inputResponses: { who: { action: "accept" } }, requestState: "s" },
    { consequence: "input responses: who: action: accept\narguments: to: ada" },
  ],
])("Safety 2: %s", (_, params, said) => {
  const stage = mcpStage({ held: ["send"] });
  stage.host({ id: 1, method: "tools/call", params });
  expect(stage.signs.at(-1)).toMatchObject(said);
});

/** Lines that some server reads as a call of a held tool, whatever else they are. */
const CALLS: readonly (readonly [string, string])[] = [
  ["as usual", call(`"id":1,${METHOD}`)],
  ["folded", call(`"id":1,${METHOD}`, '"name":" Ｄｅｌｅｔｅ-File\\u200b "')],
  ["escaped", call('"id":1,"m\\u0065thod":"tools\\/c\\u0061ll"', '"n\\u0061me":"\\u0064elete_file"')],
  ["no id", call(METHOD)],
  ["two ids", call(`"id":1,"id":2,${METHOD}`)],
  ["two names, the first counts", call(`"id":1,${METHOD}`, '"name":"delete_file","name":"read"')],
  ["two names, the last counts", call(`"id":1,${METHOD}`, '"name":"read","name":"delete_file"')],
  ["names without regard to case", call(`"id":1,${METHOD}`, '"name":"read","Name":"delete_file"')],
  ["methods without regard to case", call('"id":1,"method":"ping","METHOD":"tools/call"')],
  ["a method in other letters", call('"id":1,"method":"Tools/Call"')],
  ["two methods", call(`"id":1,"method":"ping",${METHOD}`)],
  ["two params", call(`"id":1,${METHOD},"params":{"name":"read"}`)],
  ["params behind many members", call(`"id":1,${METHOD},"params":{"name":"read"},${many(1100)}`)],
  ["a name that is no text", call(`"id":1,${METHOD}`, '"name":["delete_file"]')],
  ["params that are a list", `{"jsonrpc":"2.0","id":1,${METHOD},"params":["delete_file"]}`],
  ["arguments that are a list", call(`"id":1,${METHOD}`, '"name":"delete_file","arguments":["/"]')],
  ["a doubled argument", call(`"id":1,${METHOD}`, '"name":"delete_file","arguments":{"p":1,"p":2}')],
  ["a number that changes", call(`"id":1,${METHOD}`, '"name":"delete_file","arguments":{"n":9007199254740993}')],
  ["a batch", `[${call(`"id":1,${METHOD}`)}]`],
  ["a batch in a batch", `[[${call(`"id":1,${METHOD}`)}]]`],
  ["a number of another JSON", call(`"id":1,${METHOD}`, '"name":"delete_file","arguments":{"n":NaN}')],
  ["a comma too many", call(`"id":1,${METHOD}`, '"name":"delete_file",')],
  ["a mark in front", `\ufeff${call(`"id":1,${METHOD}`)}`],
  ["a line within a line", `{"jsonrpc":"2.0","method":"x","params":{"a":\r${call(`"id":1,${METHOD}`)}\r}}`],
  ["two messages", `${call(`"id":1,"method":"ping"`)} ${call(`"id":1,${METHOD}`)}`],
  [
    "deep",
    call(`"id":1,${METHOD}`, `"name":"delete_file","arguments":{"a":${"[".repeat(50_000)}${"]".repeat(50_000)}}`),
  ],
];

function many(count: number): string {
  return Array.from({ length: count }, (_, at) => `"m${at}":0`).join(",");
}

const SAFETY = "a tool that a person named to be held never passes without a yes";

test.each(CALLS)(`Safety 3: ${SAFETY}: %s`, (_, line) => {
  const unanswered = mcpStage({ held: HELD });
  unanswered.host(Buffer.from(`${line}\n`));
  unanswered.pass(1_000_000);
  expect(unanswered.toServer).toEqual([]);
  const isNotification = line === call(METHOD);
  expect(unanswered.toHost).toHaveLength(isNotification ? 0 : 1);
  const rejected = mcpStage({ held: HELD });
  rejected.host(Buffer.from(`${line}\n`));
  rejected.answer("reject");
  expect(rejected.toServer).toEqual([]);
});

test(`Safety 3: ${SAFETY}: bytes that are no UTF-8`, () => {
  const stage = mcpStage({ held: HELD });
  const line = Buffer.from(`${call(`"id":1,${METHOD}`)}\n`);
  line[line.indexOf("delete")] = 0xff;
  stage.host(line);
  expect(stage.toServer).toEqual([]);
  expect(refusals(stage.toHost)).toMatchObject([{ id: null, error: { code: -32600 } }]);
});

test(`Safety 3: ${SAFETY}: a crash of ours answers "not done"`, () => {
  const crash = () => {
    throw new Error("crash");
  };
  const stage = mcpStage({ held: HELD, broken: { hold: crash } });
  stage.call(-1, "delete_file");
  expect(stage.toServer).toEqual([]);
  expect(refusals(stage.toHost)).toEqual([notDone(-1, "aaepd failed, and so nobody could be asked.")]);
  expect(stage.faults).toHaveLength(1);
});

test(`Safety 3: ${SAFETY}: a name that folds to a named one is held, whatever is between its letters`, () => {
  const between = fc.constantFrom("", "_", "-", " ", ".", "/", "\u200b", "\u0301", "\t");
  const letter = (one: string) =>
    fc.constantFrom(one, one.toUpperCase(), String.fromCodePoint(one.charCodeAt(0) + 0xfee0));
  const name = fc
    .tuple(...[..."deletefile"].map((one) => fc.tuple(letter(one), between)))
    .map((parts) => parts.flat().join(""));
  const held = new Set(HELD.map(foldedName));
  fc.assert(
    fc.property(name, (written) => {
      const line = call(`"id":1,${METHOD}`, `"name":${JSON.stringify(written)}`);
      expect(lineKind(Buffer.from(`${line}\n`), held)).toBe("held");
    }),
    { numRuns: casesOf(1000) },
  );
});

test.each([
  ['{"method":"tools/call","params":{"name":"send"}}', true],
  ['{"method":"tools/call","Method":"ping","params":{"name":"send"}}', false],
  ['{"method":"tools/call","params":{"name":"send"},"params":{}}', false],
  ['{"method":"tools/call","params":{"name":"send","NAME":"list"}}', false],
])("of %s a yes can mean but one call: %s", (text, isOne) => {
  expect(isOneCall(text)).toBe(isOne);
});

test("everything else passes byte for byte while tools are held, and only what is no message does not", () => {
  const stage = mcpStage({ held: HELD });
  const messages = hostileLines().filter(
    (line) => line.length < 1_000_000 && lineKind(line, new Set(["X"])) === "passes",
  );
  expect(messages.length).toBeGreaterThan(8);
  for (const line of messages) stage.host(line);
  expect(stage.toServer).toEqual(messages.map((line) => line.toString("utf8").replace(/\n$/, "")));
  expect(stage.toHost).toEqual([]);
  for (const text of ["no json at all", "[]", '"text"', "{"]) stage.host(text);
  expect(stage.toServer).toHaveLength(messages.length);
  expect(stage.toHost).toHaveLength(4);
});

test("where no tool is named nothing is held, and every line passes before it is read", () => {
  const stage = mcpStage({
    broken: {
      hold: () => {
        throw new Error("crash");
      },
    },
  });
  for (const [, line] of CALLS) stage.host(Buffer.from(`${line}\n`));
  expect(stage.toServer).toHaveLength(CALLS.length);
  expect(stage.toHost).toEqual([]);
});

test.each(hostileTexts().map((text) => [text]))("no text of a host or a server breaks an announcement", (text) => {
  const stage = mcpStage({ held: ["held"] });
  stage.host({ id: 1, method: "tools/list" });
  stage.server({ id: 1, result: { tools: [{ name: "a", title: text }] } });
  stage.call(1, "a", {}, { progressToken: 1 });
  stage.call(2, text, { [text]: text });
  stage.call(3, "held", { [text]: text });
  stage.server({ method: "notifications/progress", params: { progressToken: 1, progress: 1, message: text } });
  stage.server({ id: 9, method: "elicitation/create", params: { message: text } });
  for (const sign of stage.signs) {
    const words = "words" in sign ? (sign.words ?? "") : "";
    expect(words.length).toBeLessThanOrEqual(200);
    expect(words).not.toMatch(/[`{}\n\p{Cc}]/u);
  }
});

test.each(["delete_file", "Notes.delete_file", "mcp__my notes__delete_file", "mcp__notes__Delete-File"])(
  `Safety 3: ${SAFETY}: named %s`,
  (name) => {
    const stage = mcpStage({ held: [name] });
    stage.call(1, "delete_file");
    stage.call(2, "read_file");
    expect(stage.toServer.map((line) => JSON.parse(line).id)).toEqual([2]);
  },
);

test(`Safety 3: ${SAFETY}: more calls than a person can hear, or than fit into memory`, () => {
  const many = mcpStage({ held: HELD });
  for (let id = 0; id < 257; id++) many.call(id, "delete_file", { path: String(id) });
  expect(refusals(many.toHost)).toEqual([notDone(256, "too many calls wait for a person.")]);
  many.answer("accept", "question 1");
  many.call(300, "delete_file");
  expect([many.toHost.length, many.toServer.length]).toEqual([1, 1]);
  const large = mcpStage({ held: HELD });
  for (let id = 0; id < 5; id++) large.call(id, "delete_file", { text: "x".repeat(15_000_000) });
  expect(refusals(large.toHost)).toEqual([notDone(4, "too many calls wait for a person.")]);
});
