// What a confirmation may name, and what of it a later "no" takes back (AAEP §6.1, R5, R5c). Sequences of both are walked in test/engine/sessions.
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
  stage.filed(stage.sessions.resolve(SESSION, token, resolution(token, how), stage.context()));
}

function mayRun(stage: Stage, fields: Fields): boolean {
  try {
    stage.publish("tool.invoked", { irreversible: true, ...fields });
    return true;
  } catch {
    return false;
  }
}

describe("R5, AAEP §6.1: nor after a reject", () => {
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
});

test("R5: a yes to what can be undone permits no irreversible call, by its token neither", () => {
  for (const consent of [{}, { extensions: { aaepd: { consent: "rpl_0" } } }]) {
    const stage = createStage();
    stage.start();
    const asks = { action: "Turn the page.", irreversible: false, reply_token: "rpl_0" };
    stage.publish("awaiting.confirmation", asks);
    resolve(stage, "rpl_0", "accept");
    expect(mayRun(stage, { tool: "rm", tool_call_id: "call_1", ...consent })).toBe(false);
    expect(mayRun(stage, { tool: "turn", tool_call_id: "call_2", irreversible: false, ...consent })).toBe(true);
  }
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
    expect(faultOf(() => stage.publishAll([call, eventOf("awaiting.confirmation", named)]))).toMatchObject({
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
