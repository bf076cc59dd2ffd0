import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AgentEvent } from "../../../src/engine/event/event.js";
import type { Resolution } from "../../../src/engine/sessions/session-questions.js";
import { casesOf } from "../../support/extent.js";
import { faultOf } from "../../support/fault-of.js";
import { createStage, eventOf, type Fields, SESSION, type Stage } from "../../support/rigs/session-stage.js";

const accepted = (token: string): Resolution => ({
  token,
  outcome: "accepted",
  isAcceptedByReply: true,
  isRejected: false,
  summary: { summary_normal: "Accepted." },
});
const defaulted = (token: string): Resolution => ({
  ...accepted(token),
  outcome: "rejected",
  isAcceptedByReply: false,
  summary: { summary_normal: "Nobody answered." },
});

function resolve(stage: Stage, resolution: Resolution) {
  return stage.commit(stage.sessions.resolve(SESSION, resolution.token, resolution, stage.context()));
}
const change = (from: string, to: string): Fields => ({ from_state: from, to_state: to });
const ask = (token: string, fields: Fields = {}): Fields => ({ reply_token: token, ...fields });
const helper = { producer: { agent_id: "helper" } };

describe("AAEP §4.6: the banking session", () => {
  test("is legal, and the daemon tells the waiting that its agent leaves out", () => {
    const stage = createStage();
    stage.start();
    stage.publish("state.changed", change("idle", "thinking"));
    stage.publish("tool.invoked", { tool: "fetch_balance", risk_level: "low" });
    stage.publish("tool.completed", { tool: "fetch_balance" });
    stage.publish("state.changed", change("thinking", "deciding"));
    stage.publish("state.changed", change("deciding", "thinking"));
    const asked = stage.publish("awaiting.confirmation", ask("rpl_xyz", { risk_level: "high" }));
    expect(asked.asked).toMatchObject([{ token: "rpl_xyz", kind: "confirmation", agentId: "planner", at: 1000 }]);
    resolve(stage, accepted("rpl_xyz"));
    stage.publish("tool.invoked", { tool: "transfer_funds", irreversible: true, risk_level: "high" });
    stage.publish("tool.completed", { tool: "transfer_funds" });
    stage.publish("state.changed", change("calling_tool", "writing_output"));
    stage.publish("output.streaming", { chunk: "Transferred $500 successfully." });
    stage.publish("output.streaming", { chunk: " New balance: $12,000.", complete: true });
    stage.publish("session.completed");
    const states = stage.log.filter(({ type }) => type === "aaep:agent.state.changed");
    expect(states.map((event) => `${event.from_state}>${event.to_state}`)).toEqual([
      "idle>thinking",
      "thinking>deciding",
      "deciding>thinking",
      "thinking>awaiting_input",
      "awaiting_input>thinking",
      "calling_tool>writing_output",
    ]);
    expect(stage.log).toHaveLength(15);
    expect(stage.sessions.openIds()).toEqual([]);
    expect(stage.sessions.ended(SESSION)).toMatchObject({ terminal: { epoch: 15, ordinal: 15 }, endedAt: 1000 });
  });
});

describe("R3a, R6: words and states of what is open", () => {
  test("R6: each question of an agent that went on since is preceded by the state that it enters", () => {
    const stage = createStage();
    stage.start();
    stage.publish("state.changed", change("idle", "thinking"));
    for (const token of ["rpl_1", "rpl_2"]) {
      stage.publish("awaiting.clarification", ask(token, { question: `Which, ${token}?` }));
      expect(stage.log.at(-2)).toMatchObject({
        type: "aaep:agent.state.changed",
        from_state: "thinking",
        to_state: "awaiting_input",
      });
      resolve(stage, { ...accepted(token), outcome: "answered", isAcceptedByReply: false } as Resolution);
      expect(stage.last()).toMatchObject({ from_state: "awaiting_input", to_state: "thinking" });
    }
  });

  test("R3a: a session that ends too early is told the call, the tool or the output to end first", () => {
    const stage = createStage();
    const sentenceOf = () => faultOf(() => stage.publish("session.completed")).sentence;
    stage.start();
    stage.publish("output.streaming");
    expect(sentenceOf()).toBe(
      "Publish a chunk with complete: true for the output without output_id first; it is still open.",
    );
    stage.publish("output.streaming", { complete: true });
    stage.publish("output.streaming", { output_id: "out_7" });
    expect(sentenceOf()).toContain("a chunk with complete: true for out_7 first");
    stage.publish("tool.invoked", { tool: "search" });
    expect(sentenceOf()).toContain("tool.completed for search first");
    stage.publish("tool.completed", { tool: "search" });
    stage.publish("tool.invoked", { tool: "search", tool_call_id: "call_9" });
    expect(sentenceOf()).toContain("tool.completed for call_9 first");
  });
});

describe("R5: irreversible means confirmed", () => {
  const invoke = (stage: Stage, fields: Fields = {}) =>
    stage.publish("tool.invoked", { irreversible: true, ...fields });

  test("by a reply, once, in this session, to this agent", () => {
    const stage = createStage();
    stage.start();
    stage.publish("session.started", { session_id: "sess_2" });
    stage.publish("awaiting.confirmation", ask("rpl_1"));
    resolve(stage, accepted("rpl_1"));
    expect(faultOf(() => invoke(stage, helper)).code).toBe("confirmation_required");
    expect(faultOf(() => invoke(stage, { session_id: "sess_2" })).code).toBe("confirmation_required");
    invoke(stage);
    expect(faultOf(() => invoke(stage)).code).toBe("confirmation_required");
  });

  test("a default never counts, nor does a clarification", () => {
    const stage = createStage();
    stage.start();
    stage.publish("awaiting.confirmation", ask("rpl_1", { default_decision: "accept" }));
    resolve(stage, defaulted("rpl_1"));
    stage.publish("awaiting.clarification", ask("rpl_2"));
    resolve(stage, accepted("rpl_2"));
    expect(faultOf(() => invoke(stage)).code).toBe("confirmation_required");
  });

  test("what the confirmation named must match, and the one that names most is used first", () => {
    const stage = createStage();
    stage.start();
    for (const [token, named] of Object.entries({
      rpl_1: {},
      rpl_2: { tool: "send" },
      rpl_3: { tool_call_id: "call_9" },
    })) {
      stage.publish("awaiting.confirmation", ask(token, { extra_context: named }));
      resolve(stage, accepted(token));
    }
    invoke(stage, { tool: "send", tool_call_id: "call_9" });
    invoke(stage, { tool: "send" });
    invoke(stage, { tool: "delete" });
    for (const tool of ["send", "delete"])
      expect(faultOf(() => invoke(stage, { tool })).code).toBe("confirmation_required");
  });

  test("confirmationAccepted says the same from outside", () => {
    const stage = createStage();
    stage.start();
    stage.sessions.confirmationAccepted(SESSION, "planner", { action: undefined, tool: "send", toolCallId: undefined });
    expect(faultOf(() => invoke(stage, { tool: "delete" })).code).toBe("confirmation_required");
    expect(invoke(stage, { tool: "send" }).events).toHaveLength(1);
    expect(
      faultOf(() =>
        stage.sessions.confirmationAccepted("sess_9", "planner", {
          action: undefined,
          tool: undefined,
          toolCallId: undefined,
        }),
      ).code,
    ).toBe("not_found");
  });

  test("AAEP §6.1: while an agent asks for a call by its id, that call is not made, whether it can be undone or not", () => {
    const stage = createStage();
    stage.start();
    const call = { tool: "send", tool_call_id: "call_1" };
    stage.publish("awaiting.confirmation", ask("rpl_1", { extra_context: call }));
    const fault = faultOf(() => stage.publish("tool.invoked", call));
    expect([fault.code, fault.pointer, fault.rule]).toEqual(["confirmation_required", "/tool_call_id", "AAEP §6.1"]);
    // Other work goes on, and so does whatever others do.
    stage.publish("tool.invoked", { ...call, tool_call_id: "call_2" });
    stage.publish("tool.invoked", { tool: "send" });
    resolve(stage, accepted("rpl_1"));
    expect(stage.publish("tool.invoked", call).events).toHaveLength(1);
  });

  test("a refused array does not use a confirmation up", () => {
    const stage = createStage();
    stage.start();
    stage.sessions.confirmationAccepted(SESSION, "planner", {
      action: undefined,
      tool: undefined,
      toolCallId: undefined,
    });
    const inputs = [eventOf("tool.invoked", { irreversible: true }), eventOf("session.completed")];
    expect(faultOf(() => stage.plan(inputs)).code).toBe("session_incomplete");
    expect(invoke(stage).events).toHaveLength(1);
  });
});

describe("R6, R3a: waiting and restoring", () => {
  function waiting(): Stage {
    const stage = createStage();
    stage.start();
    stage.publish("state.changed", change("idle", "thinking"));
    stage.publish("awaiting.confirmation", ask("rpl_1"));
    return stage;
  }

  test("a missing awaiting_input is supplied right before the question, a present one is not repeated", () => {
    const stage = createStage();
    stage.start();
    const plan = stage.publish("awaiting.clarification", ask("rpl_1"));
    expect(plan.events.map(({ made }) => made)).toEqual(["supplied", undefined]);
    expect(plan.events[0]?.event).toMatchObject({ ...change("idle", "awaiting_input"), urgency: "normal" });
    expect(stage.publish("awaiting.clarification", ask("rpl_2", { question: "Where?" })).events).toHaveLength(1);
    expect(stage.publish("state.changed", { ...change("idle", "awaiting_input"), ...helper }).events).toHaveLength(1);
    expect(stage.publish("awaiting.clarification", { ...ask("rpl_3"), ...helper }).events).toHaveLength(1);
  });

  test("the last resolution restores the state, earlier ones leave it", () => {
    const stage = waiting();
    stage.publish("awaiting.clarification", ask("rpl_2"));
    expect(resolve(stage, defaulted("rpl_1")).events[0]?.event).toMatchObject(
      change("awaiting_input", "awaiting_input"),
    );
    const [last] = resolve(stage, accepted("rpl_2")).events;
    expect(last?.event).toMatchObject({ ...change("awaiting_input", "thinking"), urgency: "critical" });
    expect(last?.made).toBe("resolution");
    expect(stage.sessions.summary(SESSION)).toMatchObject({
      state: "thinking",
      openQuestions: [],
      outcomes: [
        { token: "rpl_1", outcome: "rejected" },
        { token: "rpl_2", outcome: "accepted" },
      ],
    });
    expect(faultOf(() => stage.sessions.resolve(SESSION, "rpl_2", accepted("rpl_2"), stage.context())).code).toBe(
      "not_found",
    );
  });

  test("awaiting_input stays acceptable after it, and goes out as the restored state", () => {
    const stage = waiting();
    resolve(stage, accepted("rpl_1"));
    stage.publish("tool.invoked");
    stage.publish("state.changed", change("awaiting_input", "deciding"));
    expect(stage.last()).toMatchObject(change("thinking", "deciding"));
    expect(faultOf(() => stage.publish("state.changed", change("awaiting_input", "thinking"))).code).toBe(
      "state_mismatch",
    );
  });

  test("where the restored state is the one entered, the agent's own does not go out", () => {
    const stage = waiting();
    resolve(stage, accepted("rpl_1"));
    const plan = stage.publish("state.changed", { event_id: "evt_own", ...change("awaiting_input", "thinking") });
    expect(plan.events).toEqual([]);
    expect(plan.answers).toEqual([{ kind: "suppressed", eventId: "evt_own" }]);
    expect(stage.publish("state.changed", change("thinking", "deciding")).events).toHaveLength(1);
  });

  test.each(["thinking", "deciding"])("AAEP §6.8: awaiting_input to %s cancels all the agent's questions", (to) => {
    const stage = waiting();
    stage.publish("awaiting.clarification", ask("rpl_2"));
    stage.publish("awaiting.clarification", { ...ask("rpl_3"), ...helper });
    const plan = stage.publish("state.changed", change("awaiting_input", to));
    expect(plan.withdrawn.map(({ token }) => token)).toEqual(["rpl_1", "rpl_2"]);
    expect(stage.sessions.summary(SESSION)?.openQuestions.map(({ token }) => token)).toEqual(["rpl_3"]);
    expect(faultOf(() => stage.publish("awaiting.clarification", ask("rpl_1"))).code).toBe("reply_token_reused");
  });

  test.each([change("awaiting_input", "calling_tool"), change("thinking", "deciding")])(
    "R6: %j cancels nothing",
    (states) => {
      const stage = waiting();
      expect(stage.publish("state.changed", states).withdrawn).toEqual([]);
      // The question is still open; its end restores what the agent went on to.
      expect(resolve(stage, accepted("rpl_1")).events[0]?.event.to_state).toBe(states.to_state);
    },
  );
});

describe("several agents in one session", () => {
  test("R3a: each has a state of its own, tools pair across them, their own first", () => {
    const stage = createStage();
    stage.start();
    stage.publish("state.changed", change("idle", "thinking"));
    stage.publish("state.changed", { ...change("idle", "deciding"), ...helper });
    expect(faultOf(() => stage.publish("state.changed", { ...change("thinking", "idle"), ...helper })).code).toBe(
      "state_mismatch",
    );
    stage.publish("tool.invoked", {});
    stage.publish("tool.invoked", helper);
    stage.publish("tool.completed", helper);
    expect(stage.sessions.summary(SESSION)?.openTools).toMatchObject([{ producer: { agent_id: "planner" } }]);
    stage.publish("tool.completed", helper);
    stage.publish("progress.updated", { progress: { percent: 40 }, ...helper });
    expect(stage.sessions.summary(SESSION)).toMatchObject({
      producer: { agent_id: "planner" },
      state: "calling_tool",
      percent: 40,
      agents: [
        { producer: { agent_id: "planner" }, percent: undefined },
        { producer: { agent_id: "helper" }, percent: 40 },
      ],
      openTools: [],
    });
  });
});

describe("R3: arrays are all or nothing", () => {
  test("the first fault counts, its pointer starts at the array, and nothing has happened", () => {
    const stage = createStage();
    const fault = faultOf(() =>
      stage.plan([eventOf("session.started"), eventOf("output.streaming", { event_id: "evt_2", position: 7 })]),
    );
    expect(fault).toMatchObject({ code: "position_mismatch", pointer: "/1/position", eventId: "evt_2" });
    expect(stage.sessions.openIds()).toEqual([]);
    expect(faultOf(() => stage.publish("output.streaming")).code).toBe("session_not_started");
  });

  test("a whole session in one array", () => {
    const stage = createStage();
    const kinds = ["session.started", "tool.invoked", "tool.completed", "session.completed"];
    const plan = stage.plan(kinds.map((kind) => eventOf(kind)));
    expect(plan.answers.map((answer) => answer.kind === "accepted" && answer.index)).toEqual([0, 1, 2, 3]);
    stage.commit(plan);
    expect(stage.sessions.openIds()).toEqual([]);
    expect(faultOf(() => stage.start()).code).toBe("session_ended");
  });

  test("a plan changes nothing until it is committed, and the next one discards it", () => {
    const stage = createStage();
    stage.start();
    const before = stage.sessions.summary(SESSION);
    const plan = stage.plan([eventOf("tool.invoked"), eventOf("awaiting.confirmation"), eventOf("output.streaming")]);
    expect(stage.sessions.summary(SESSION)).toEqual(before);
    expect(faultOf(() => plan.commit()).code).toBe("internal");
    stage.plan([eventOf("session.errored")]).discard();
    expect(stage.sessions.summary(SESSION)).toEqual(before);
    expect(stage.publish("awaiting.confirmation").events[1]?.ordinal).toBe(3);
  });

  test("what is open already is as it was, too", () => {
    const stage = createStage();
    stage.start();
    stage.publish("tool.invoked");
    stage.publish("output.streaming", { chunk: "a\ud83d" });
    const before = stage.sessions.summary(SESSION);
    const array = [
      eventOf("tool.completed"),
      eventOf("output.streaming", { complete: true }),
      eventOf("session.started"),
    ];
    expect(faultOf(() => stage.plan(array)).pointer).toBe("/2/session_id");
    expect(stage.sessions.summary(SESSION)).toEqual(before);
    expect(stage.publish("output.streaming", { chunk: "\ude00", position: 1 }).events[0]?.event.chunk).toBe("😀");
  });

  test("a fault of the schema passes through with its place", () => {
    const stage = createStage({
      validate: (event) => {
        if (typeof event.session_id !== "string") throw new TypeError("no session");
      },
    });
    expect(faultOf(() => stage.plan([eventOf("session.started"), {}]))).toMatchObject({
      code: "internal",
      pointer: "/1",
    });
  });
});

describe("R3: an event published twice", () => {
  test("gets its first answer again, also after its session has ended; other content is refused", () => {
    const stage = createStage();
    stage.start();
    const first = { event_id: "evt_a", chunk: "one" };
    stage.publish("output.streaming", first);
    const again = stage.publish("output.streaming", first);
    expect(again.answers).toEqual([{ kind: "repeated", eventId: "evt_a" }]);
    expect(again.events).toEqual([]);
    expect(faultOf(() => stage.publish("output.streaming", { ...first, chunk: "two" }))).toMatchObject({
      code: "event_id_reused",
      pointer: "/event_id",
    });
    stage.publish("session.errored");
    expect(stage.publish("output.streaming", first).answers[0]?.kind).toBe("repeated");
  });

  test("within one array", () => {
    const stage = createStage();
    stage.start();
    const one = eventOf("output.streaming", { event_id: "evt_a" });
    expect(stage.plan([one, { ...one }]).answers.map(({ kind }) => kind)).toEqual(["accepted", "repeated"]);
    const fault = faultOf(() => stage.plan([one, { ...one, chunk: "other" }]));
    expect(fault).toMatchObject({ code: "event_id_reused", pointer: "/1/event_id" });
  });

  test("R8: only its own connection gets a start's token again", () => {
    const stage = createStage();
    const [first] = stage.publish("session.started", { event_id: "evt_s" }).answers;
    const [again] = stage.publish("session.started", { event_id: "evt_s" }).answers;
    expect(again).toEqual({ ...first, kind: "repeated", index: undefined });
    const [stranger] = stage.publish("session.started", { event_id: "evt_s" }, { connection: {} }).answers;
    expect(stranger).toEqual({ kind: "repeated", eventId: "evt_s" });
  });
});

describe("R8: agents that vanish", () => {
  function token(stage: Stage): string {
    const [answer] = stage.start().answers;
    if (answer?.kind !== "accepted" || answer.resumeToken === undefined) throw new Error("no token");
    return answer.resumeToken;
  }

  test("another connection needs the token", () => {
    const stage = createStage();
    const resumeToken = token(stage);
    const connection = {};
    expect(faultOf(() => stage.publish("output.streaming", {}, { connection }))).toMatchObject({
      code: "session_not_yours",
    });
    expect(stage.publish("output.streaming", {}, { connection, resumeToken }).adopted).toEqual([]);
    // The first one is still there, and the session is still its own.
    expect(stage.publish("output.streaming").events).toHaveLength(1);
    expect(stage.sessions.connectionEnded(connection)).toEqual([]);
  });

  test("a connection's end begins the grace; resuming answers where things stand", () => {
    const stage = createStage();
    const resumeToken = token(stage);
    stage.publish("output.streaming", { output_id: "out_1", chunk: "é😀" });
    stage.publish("awaiting.clarification", ask("rpl_1"));
    expect(stage.sessions.connectionEnded(stage.connection)).toEqual([SESSION]);
    expect(stage.sessions.connectionEnded(stage.connection)).toEqual([]);
    expect(stage.sessions.summary(SESSION)?.isAgentConnected).toBe(false);
    expect(faultOf(() => stage.publish("output.streaming")).code).toBe("session_not_yours");
    const second = {};
    expect(faultOf(() => stage.sessions.resume(SESSION, "guess", second))).toMatchObject({ code: "session_not_yours" });
    resolve(stage, accepted("rpl_1"));
    expect(stage.sessions.resume(SESSION, resumeToken, second)).toMatchObject({
      openOutputs: [{ outputId: "out_1", position: 2 }],
      openQuestions: [],
      outcomes: [{ token: "rpl_1", outcome: "accepted" }],
      isAgentConnected: true,
    });
    expect(stage.publish("output.streaming", { output_id: "out_1" }, { connection: second }).events).toHaveLength(1);
    expect(stage.sessions.connectionEnded(second)).toEqual([SESSION]);
  });

  test("publishing with the token during the grace takes the session over", () => {
    const stage = createStage();
    const resumeToken = token(stage);
    stage.sessions.connectionEnded(stage.connection);
    const second = {};
    expect(stage.publish("output.streaming", {}, { connection: second, resumeToken }).adopted).toEqual([SESSION]);
    expect(stage.publish("output.streaming", {}, { connection: second }).events).toHaveLength(1);
    expect(stage.sessions.connectionEnded(second)).toEqual([SESSION]);
  });

  test("one that does not come back is ended: transient, AGENT_DISCONNECTED, nothing left open", () => {
    const stage = createStage();
    token(stage);
    stage.publish("tool.invoked", helper);
    stage.publish("output.streaming", helper);
    stage.publish("awaiting.confirmation");
    stage.sessions.connectionEnded(stage.connection);
    stage.wallTime += 5000;
    const plan = stage.commit(stage.sessions.abandon(SESSION, stage.context()));
    expect(plan.events.map(({ made, kind }) => [made, kind])).toEqual([
      ["resolution", "state.changed"],
      ["closing", "tool.completed"],
      ["closing", "output.streaming"],
      ["closing", "session.errored"],
    ]);
    expect(stage.last()).toMatchObject({
      error_category: "transient",
      error_code: "AGENT_DISCONNECTED",
      urgency: "critical",
      producer: { agent_id: "planner" },
      timestamp: "2026-05-24T14:22:16.000Z",
    });
    expect(plan.withdrawn).toHaveLength(1);
    expect(faultOf(() => stage.sessions.resume(SESSION, "", {})).code).toBe("session_ended");
    expect(faultOf(() => stage.sessions.abandon(SESSION, stage.context())).code).toBe("not_found");
    expect(faultOf(() => stage.sessions.resume("sess_9", "", {})).code).toBe("session_not_started");
  });

  test("R17: what ended is remembered until it is forgotten, and with it its tokens (AAEP §6.2)", () => {
    const stage = createStage();
    for (const [index, id] of ["sess_1", "sess_2"].entries()) {
      stage.now = 1000 * (index + 1);
      stage.publish("session.started", { session_id: id });
      stage.publish("awaiting.clarification", { session_id: id, reply_token: `rpl_${id}` });
      stage.publish("session.cancelled", { session_id: id });
    }
    expect([...stage.sessions.endedSince(2000)].map(({ sessionId }) => sessionId)).toEqual(["sess_2"]);
    stage.publish("session.started", { session_id: "sess_3" });
    const reuse = { session_id: "sess_3", reply_token: "rpl_sess_1" };
    expect(faultOf(() => stage.publish("awaiting.clarification", reuse)).code).toBe("reply_token_reused");
    stage.sessions.forgetEnded(2000);
    expect(stage.sessions.ended("sess_1")).toBeUndefined();
    expect(stage.sessions.ended("sess_2")?.terminal.kind).toBe("session.cancelled");
    expect(stage.publish("awaiting.clarification", reuse).asked).toHaveLength(1);
  });
});

describe("R3: whatever is published, a refusal changes nothing", () => {
  const state = fc.constantFrom("idle", "thinking", "calling_tool", "writing_output", "awaiting_input", "deciding");
  const id = fc.option(fc.constantFrom("a", "b"), { nil: undefined });
  const named = (name: string, value: string | undefined): Fields => (value === undefined ? {} : { [name]: value });
  const rarely = fc.nat(9).map((value) => value === 0);
  const said = fc.oneof(
    {
      weight: 1,
      arbitrary: fc
        .constantFrom("session.started", "session.completed", "session.errored")
        .map((kind) => [kind, {}] as const),
    },
    { weight: 2, arbitrary: fc.constant(["acme:note", {}] as const) },
    { weight: 3, arbitrary: fc.tuple(state, state).map(([from, to]) => ["state.changed", change(from, to)] as const) },
    {
      weight: 4,
      arbitrary: fc
        .tuple(fc.constantFrom("tool.invoked", "tool.completed"), id, rarely, fc.constantFrom("x", "y"))
        .map(
          ([kind, call, irreversible, tool]) => [kind, { ...named("tool_call_id", call), irreversible, tool }] as const,
        ),
    },
    {
      weight: 6,
      arbitrary: fc
        .tuple(id, fc.constantFrom("ab", "😀", "\ud83d", "\ude00", ""), rarely, rarely)
        .map(([output, chunk, complete, isMisplaced]) => {
          const fields = { ...named("output_id", output), chunk, complete };
          return ["output.streaming", isMisplaced ? { ...fields, position: 3 } : fields] as const;
        }),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.constantFrom("awaiting.confirmation", "awaiting.clarification"), fc.constantFrom("rpl_1", "rpl_2"))
        .map(([kind, reply_token]) => [kind, { reply_token }] as const),
    },
  );
  const agents = fc.constantFrom<Fields>({}, helper);
  const event = fc
    .tuple(said, agents, fc.constantFrom("sess_1", "sess_1", "sess_2"))
    .map(([[kind, fields], agent, session_id]) => eventOf(kind, { ...fields, ...agent, session_id }));
  const inOrder = fc.array(fc.array(event, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 12 });

  /** Ids count what was refused too. */
  const withoutQuestionId = ({ extensions, ...event }: Partial<AgentEvent>): object => {
    const { question: _, ...marks } = extensions?.aaepd ?? {};
    return { ...event, marks };
  };

  const standing = (stage: Stage) =>
    ["sess_1", "sess_2"].map((id) => [stage.sessions.summary(id), stage.sessions.ended(id)]);

  test("neither what can be seen nor what is accepted next", () => {
    fc.assert(
      fc.property(inOrder, (arrays) => {
        // One stage is sent everything; the other only what was not refused. They may not differ.
        const [stage, pure] = [createStage(), createStage()];
        for (const only of [stage, pure]) {
          only.start();
          only.publish("session.started", { session_id: "sess_2" });
        }
        for (const array of arrays) {
          const before = standing(stage);
          try {
            stage.commit(stage.plan(array));
          } catch {
            expect(standing(stage)).toEqual(before);
            continue;
          }
          pure.commit(pure.plan(array));
        }
        const [left, right] = [stage, pure].map(({ log }) =>
          log.map(({ event_id: _, timestamp: __, ...event }) => withoutQuestionId(event)),
        );
        expect(left).toEqual(right);
        if (stage.sessions.summary(SESSION) !== undefined) {
          expect(stage.publish("acme:note").events).toHaveLength(1);
          expect(stage.publish("session.cancelled").ended).toEqual([SESSION]);
        }
      }),
      { numRuns: casesOf(1500) },
    );
  });

  test("what goes out is legal: one start, one end, contiguous outputs, paired tools, states that follow", () => {
    fc.assert(
      fc.property(inOrder, (arrays) => {
        const stage = createStage();
        stage.start();
        stage.publish("session.started", { session_id: "sess_2" });
        for (const input of arrays.flat()) {
          try {
            stage.commit(stage.plan([input]));
          } catch {
            // Refused: the log shows what was not.
          }
        }
        for (const id of stage.sessions.openIds()) stage.commit(stage.sessions.abandon(id, stage.context()));
        for (const id of new Set(stage.log.map(({ session_id }) => session_id))) {
          const events = stage.log.filter(({ session_id }) => session_id === id);
          const types = events.map(({ type }) => type.replace("aaep:agent.", ""));
          expect(types.filter((type) => type === "session.started")).toHaveLength(1);
          expect(types[0]).toBe("session.started");
          expect(types.filter((type) => /^session\.(completed|errored|cancelled)$/.test(type))).toEqual([types.at(-1)]);
          expect(types.filter((type) => type === "tool.invoked")).toHaveLength(
            types.filter((type) => type === "tool.completed").length,
          );
          const texts = new Map<unknown, { text: string; complete: boolean }>();
          for (const { chunk, position, complete, output_id } of events.filter(({ chunk }) => chunk !== undefined)) {
            const output = texts.get(output_id) ?? { text: "", complete: false };
            expect(output.complete).toBe(false);
            expect(position).toBe([...output.text].length);
            expect(String(chunk)).not.toMatch(/\p{Surrogate}/u);
            texts.set(output_id, { text: output.text + String(chunk), complete: complete === true });
          }
          expect([...texts.values()].every(({ complete }) => complete)).toBe(true);
        }
      }),
      { numRuns: casesOf(1000) },
    );
  });
});
