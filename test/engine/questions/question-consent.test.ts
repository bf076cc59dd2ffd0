// What a "yes" permits, and that a later "no" to the same takes it back: every sequence of asking, answering and doing with two questions (AAEP
// §6.1, R5).
import { describe, expect, test } from "vitest";
import type { Resolution } from "../../../src/engine/sessions/session-questions.js";
import { faultOf } from "../../support/fault-of.js";
import { createStage, eventOf, type Fields, SESSION, type Stage } from "../../support/rigs/session-stage.js";

const resolution = (token: string, how: "accept" | "reject" | "default"): Resolution => ({
  token,
  outcome: how === "accept" ? "accepted" : "rejected",
  isAcceptedByReply: how === "accept",
  isRejected: how !== "accept",
  summary: { summary_normal: how },
});

function resolve(stage: Stage, token: string, how: "accept" | "reject" | "default"): void {
  stage.commit(stage.sessions.resolve(SESSION, token, resolution(token, how), stage.context()));
}

function mayRun(stage: Stage, fields: Fields): boolean {
  try {
    stage.publish("tool.invoked", { irreversible: true, ...fields });
    return true;
  } catch {
    return false;
  }
}

const ACTIONS = ["ask 0", "ask 1", "accept 0", "accept 1", "reject 0", "reject 1", "default 0", "default 1", "run"];

/** Two questions of one agent, and whether a "no" to one is a "no" to the other. */
const PAIRS: readonly { readonly name: string; readonly of: readonly [Fields, Fields]; readonly areSame: boolean }[] = [
  {
    name: "the same tool in other words",
    of: [
      { action: "Send 500 to Ada.", extra_context: { tool: "transfer" } },
      { action: "Send 500 to Ada Obi.", extra_context: { tool: "transfer" } },
    ],
    areSame: true,
  },
  {
    name: "the same call in other words",
    of: [
      { action: "Send 500 to Ada.", extra_context: { tool_call_id: "call_1" } },
      { action: "Send 500 to Ada Obi.", extra_context: { tool: "transfer", tool_call_id: "call_1" } },
    ],
    areSame: true,
  },
  {
    name: "the same words, and only one names the tool",
    of: [{ action: "Send 500 to Ada." }, { action: "Send 500 to Ada.", extra_context: { tool: "transfer" } }],
    areSame: true,
  },
  {
    name: "the tool, and a call of it",
    of: [
      { action: "Send 500 to Ada.", extra_context: { tool: "transfer" } },
      { action: "Send 500 to Bo.", extra_context: { tool: "transfer", tool_call_id: "call_1" } },
    ],
    areSame: true,
  },
  { name: "other words, nothing named", of: [{ action: "Send it." }, { action: "Print it." }], areSame: false },
  {
    name: "another call of the same tool",
    of: [
      { action: "Send 500 to Ada.", extra_context: { tool: "transfer", tool_call_id: "call_1" } },
      { action: "Send 500 to Bo.", extra_context: { tool: "transfer", tool_call_id: "call_2" } },
    ],
    areSame: false,
  },
];

/** What two questions permit: known by the actions alone. A consent is the question's number; `run` is a call that the first of them fits. */
interface Model {
  readonly open: readonly [boolean, boolean];
  readonly consents: readonly number[];
}

function after(model: Model, action: string, areSame: boolean): Model | undefined {
  const [what = "", number = ""] = action.split(" ");
  const which = number === "1" ? 1 : 0;
  if (what === "run") return { ...model, consents: model.consents.slice(1) };
  const isOpen = model.open[which];
  if ((what === "ask") === isOpen) return undefined;
  const open: [boolean, boolean] = [...model.open];
  open[which] = what === "ask";
  if (what === "ask") return { ...model, open };
  if (what === "accept") return { open, consents: [...model.consents, which] };
  return { open, consents: model.consents.filter((consent) => !areSame && consent !== which) };
}

function play(of: readonly [Fields, Fields], areSame: boolean, actions: readonly string[]): readonly string[] {
  const stage = createStage();
  stage.start();
  let model: Model = { open: [false, false], consents: [] };
  const tokens = ["", ""];
  const faults: string[] = [];
  for (const [index, action] of actions.entries()) {
    const [what, number] = action.split(" ");
    const which = number === "1" ? 1 : 0;
    const [consent] = model.consents;
    const named = (of[consent ?? 0]?.extra_context ?? {}) as Fields;
    model = after(model, action, areSame) ?? expect.fail(`${action} cannot follow`);
    switch (what) {
      case "ask":
        tokens[which] = `rpl_${index}`;
        stage.publish("awaiting.confirmation", { ...of[which], reply_token: `rpl_${index}` });
        break;
      case "run": {
        const call = { tool: "transfer", tool_call_id: named.tool_call_id ?? `call_${index}x` };
        if (mayRun(stage, call) !== (consent !== undefined)) faults.push(`${actions.slice(0, index + 1).join(", ")}`);
        break;
      }
      default:
        resolve(stage, tokens[which] ?? "", what as "accept" | "reject" | "default");
    }
  }
  return faults;
}

describe("R5, AAEP §6.1: nor after a reject", () => {
  test.each(PAIRS)("$name: same: $areSame", ({ of, areSame }) => {
    const faults: string[] = [];
    let count = 0;
    const walk = (model: Model, actions: readonly string[], runs: number): void => {
      // What is done is looked at wherever it can be; a sequence that ends otherwise says no more than a shorter one.
      if (actions.at(-1) === "run") {
        count += 1;
        faults.push(...play(of, areSame, actions));
      }
      if (actions.length === 6) return;
      for (const action of ACTIONS) {
        // One call has one id: more than one run of it would be refused for that.
        if (action === "run" && runs > 0) continue;
        const next = after(model, action, areSame);
        if (next !== undefined) walk(next, [...actions, action], runs + (action === "run" ? 1 : 0));
      }
    };
    walk({ open: [false, false], consents: [] }, [], 0);
    expect(faults).toEqual([]);
    expect(count).toBeGreaterThan(300);
  });

  test("a tool's name written otherwise keeps no consent", () => {
    const stage = createStage();
    stage.start();
    for (const [index, tool] of ["delete_file", "Delete-File"].entries()) {
      const reply_token = `rpl_${index}`;
      stage.publish("awaiting.confirmation", { action: `Way ${index}.`, extra_context: { tool }, reply_token });
      resolve(stage, reply_token, index === 0 ? "accept" : "reject");
    }
    expect(mayRun(stage, { tool: "delete_file", tool_call_id: "call_1" })).toBe(false);
  });

  test("another agent's rejection takes nothing back, nor does one of a clarification", () => {
    const stage = createStage();
    stage.start();
    stage.publish("awaiting.confirmation", { reply_token: "rpl_1" });
    resolve(stage, "rpl_1", "accept");
    stage.publish("awaiting.confirmation", { reply_token: "rpl_2", producer: { agent_id: "helper" } });
    resolve(stage, "rpl_2", "reject");
    stage.publish("awaiting.clarification", { reply_token: "rpl_3" });
    resolve(stage, "rpl_3", "reject");
    expect(mayRun(stage, {})).toBe(true);
  });
});

describe("R5: what a confirmation names", () => {
  const UNREADABLE = [
    [{ tool: 5 }, "/extra_context/tool"],
    [{ tool: null }, "/extra_context/tool"],
    [{ tool: "t".repeat(257) }, "/extra_context/tool"],
    [{ tool_call_id: ["x"] }, "/extra_context/tool_call_id"],
    [{ tool: "transfer", tool_call_id: {} }, "/extra_context/tool_call_id"],
  ] as const;
  const OF_ANOTHER_FORM = [
    [{ tool: "Send mail" }, "/extra_context/tool"],
    [{ tool: "mcp/send:x" }, "/extra_context/tool"],
    [{ tool: "" }, "/extra_context/tool"],
    [{ tool_call_id: "toolu_01" }, "/extra_context/tool_call_id"],
    [{ tool_call_id: `call_${"1".repeat(65)}` }, "/extra_context/tool_call_id"],
  ] as const;
  test.each([
    ...UNREADABLE.map(([named, pointer]) => [{ extra_context: named }, pointer] as const),
    ...[...UNREADABLE, ...OF_ANOTHER_FORM].map(
      ([named, pointer]) =>
        [{ extra_context: named, irreversible: true, default_decision: "reject" }, pointer] as const,
    ),
  ])("%j, which no call can have, is refused rather than taken for nothing", (fields, pointer) => {
    const stage = createStage();
    stage.start();
    const fault = faultOf(() => stage.publish("awaiting.confirmation", fields));
    expect(fault).toMatchObject({ code: "invalid_event", pointer, rule: "R5" });
    expect(stage.sessions.summary(SESSION)?.openQuestions).toEqual([]);
    expect(() => stage.publish("awaiting.confirmation")).not.toThrow();
  });

  test.each(OF_ANOTHER_FORM)(
    "%j is any text where the action can be undone, and permits no call of AAEP's",
    (named) => {
      const stage = createStage();
      stage.start();
      stage.publish("awaiting.confirmation", { extra_context: named });
      resolve(stage, "rpl_1", "accept");
      expect(mayRun(stage, { tool: "transfer", tool_call_id: "call_1" })).toBe(false);
    },
  );

  test("what else stands in it is the agent's", () => {
    const stage = createStage();
    stage.start();
    stage.publish("awaiting.confirmation", { extra_context: { tools: 5, amount: 500, tool: "transfer" } });
    resolve(stage, "rpl_1", "accept");
    expect(mayRun(stage, { tool: "delete" })).toBe(false);
    expect(mayRun(stage, { tool: "transfer" })).toBe(true);
  });
});

describe("R5c: nobody is asked for a call that is sure to be refused", () => {
  const named = { extra_context: { tool: "transfer", tool_call_id: "call_1" } };
  const refused = (stage: Stage) => faultOf(() => stage.publish("awaiting.confirmation", named));

  test("a tool_call_id that is in use, was used, or belongs to another agent's call", () => {
    const stage = createStage();
    stage.start();
    stage.publish("tool.invoked", { tool: "transfer", tool_call_id: "call_1", producer: { agent_id: "second" } });
    expect(refused(stage)).toMatchObject({
      code: "tool_already_invoked",
      pointer: "/extra_context/tool_call_id",
      rule: "R5c",
    });
    stage.publish("tool.completed", { tool: "transfer", tool_call_id: "call_1", producer: { agent_id: "second" } });
    expect(refused(stage).code).toBe("tool_already_invoked");
    expect(stage.sessions.summary(SESSION)?.openQuestions).toEqual([]);
  });

  test("in one array with the call before it", () => {
    const stage = createStage();
    stage.start();
    const call = eventOf("tool.invoked", { tool: "transfer", tool_call_id: "call_1" });
    expect(faultOf(() => stage.plan([call, eventOf("awaiting.confirmation", named)]))).toMatchObject({
      code: "tool_already_invoked",
      pointer: "/1/extra_context/tool_call_id",
    });
  });

  test("a connection that has answered a question of the session", () => {
    const stage = createStage({ hasAnswered: () => true });
    stage.start();
    const ask = (fields: Fields) => () => stage.publish("awaiting.confirmation", fields);
    expect(faultOf(ask({ irreversible: true }))).toMatchObject({
      code: "confirmation_required",
      pointer: "/irreversible",
    });
    expect(ask({ irreversible: false })).not.toThrow();
  });

  test("while a question about a call is open, no other agent makes it", () => {
    const stage = createStage();
    stage.start();
    stage.publish("awaiting.confirmation", named);
    const call = { tool: "transfer", tool_call_id: "call_1", producer: { agent_id: "second" } };
    expect(faultOf(() => stage.publish("tool.invoked", call)).code).toBe("confirmation_required");
    resolve(stage, "rpl_1", "reject");
    expect(stage.publish("tool.invoked", call).events).toHaveLength(1);
  });
});
