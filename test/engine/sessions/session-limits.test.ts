import { describe, expect, it } from "vitest";
import { SESSION_COUNTS } from "../../../src/engine/sessions/session-limits.js";
import { faultOf } from "../../support/fault-of.js";
import { createEngineRig, session } from "../../support/rigs/engine-rig.js";
import { createStage, eventOf, type Fields, SESSION, type Stage } from "../../support/rigs/session-stage.js";

const LIMITS: readonly {
  readonly what: string;
  readonly most: number;
  readonly open: (stage: Stage, index: number) => unknown;
}[] = [
  {
    what: "64 agents",
    most: 63,
    open: (stage, index) => stage.publish("progress.updated", { producer: { agent_id: `helper_${index}` } }),
  },
  {
    what: "128 open tools",
    most: 128,
    open: (stage, index) => stage.publish("tool.invoked", index % 2 === 0 ? {} : { tool_call_id: `call_${index}` }),
  },
  {
    what: "64 open outputs",
    most: 64,
    open: (stage, index) => stage.publish("output.streaming", { output_id: `out_${index}` }),
  },
  {
    what: "64 open questions",
    most: 64,
    open: (stage, index) =>
      stage.publish("awaiting.clarification", { reply_token: `rpl_${index}`, question: `Which, ${index}?` }),
  },
];

describe("AAEP §4.5: what one session may keep open is limited", () => {
  it.each(LIMITS)(
    "AAEP §4.5: to $what; one more is refused, and the session stays as it was",
    ({ what, most, open }) => {
      const stage = createStage();
      stage.start();
      for (let index = 0; index < most; index += 1) open(stage, index);
      const before = stage.sessions.summary(SESSION);
      expect(faultOf(() => open(stage, most))).toMatchObject({ code: "rate_limit" });
      expect(faultOf(() => open(stage, most)).sentence).toContain(`at most ${what}`);
      expect(stage.sessions.summary(SESSION)).toEqual(before);
    },
  );

  it("AAEP §4.3.1: the call ids of open tools are known however many followed them, others for a while", () => {
    const stage = createStage({ counts: { callIds: 20 } });
    const call = (id: string): Fields => ({ tool_call_id: id });
    stage.start();
    stage.publish("tool.invoked", call("still open"));
    for (let index = 0; index < 30; index += 1) {
      stage.publish("tool.invoked", call(`call_${index}`));
      stage.publish("tool.completed", call(`call_${index}`));
    }
    expect(faultOf(() => stage.publish("tool.invoked", call("still open"))).code).toBe("tool_already_invoked");
    expect(faultOf(() => stage.publish("tool.invoked", call("call_29"))).code).toBe("tool_already_invoked");
    expect(faultOf(() => stage.publish("tool.invoked", call("call_10"))).code).toBe("tool_already_invoked");
    expect(() => stage.publish("tool.invoked", call("call_9"))).not.toThrow();
  });
});

it("R34: so many questions are open in all sessions together, and an outcome makes room", () => {
  const sessionCounts = { ...SESSION_COUNTS, allQuestions: 3 };
  const rig = createEngineRig({ engine: { confirmationGraceMs: 3600_000, sessionCounts } });
  for (const id of ["sess_1", "sess_2"]) rig.publish(session(id).started());
  const ask = (id: string, token: string) => session(id).confirmation(token, { action: `Do ${token}.` });
  rig.publish(ask("sess_1", "rpl_1"), ask("sess_1", "rpl_2"));
  const refusal = { code: "rate_limit", rule: "R34" };
  expect(faultOf(() => rig.publish(ask("sess_2", "rpl_3"), ask("sess_2", "rpl_4")))).toMatchObject(refusal);
  rig.publish(ask("sess_2", "rpl_3"));
  expect(faultOf(() => rig.publish(ask("sess_2", "rpl_4")))).toMatchObject(refusal);
  rig.agent.cancel("rpl_1");
  rig.publish(ask("sess_2", "rpl_4"));
  expect(rig.engine.status().openQuestionCount).toBe(3);
});

describe("what is remembered of what is over", () => {
  const chunk = (index: number): Record<string, unknown> => session().chunk("Done.", true, `out_${index}`);

  it("AAEP §4.5.4: the newest of many outputs are known to be complete, and little more of any other", () => {
    const most = 40;
    const sessionCounts = { ...SESSION_COUNTS, completedOutputs: most };
    const rig = createEngineRig({ engine: { sessionCounts }, journal: { maxEvents: 10 } });
    rig.publish(session().started());
    for (let index = 0; index < 200; index += 50)
      rig.publish(...Array.from({ length: 50 }, (_, offset) => chunk(index + offset)));
    for (const index of [199, 200 - most])
      expect(faultOf(() => rig.publish(chunk(index))).code).toBe("output_already_complete");
    for (const index of [200 - most - 1, 0]) {
      expect(() => rig.publish(chunk(index))).not.toThrow();
      expect(faultOf(() => rig.publish(chunk(index))).code).toBe("output_already_complete");
    }
  });

  it("R8, AAEP §6.2: the newest outcomes are told, and their tokens and open ones are not used again", () => {
    const sessionCounts = { ...SESSION_COUNTS, outcomes: 10 };
    const rig = createEngineRig({ engine: { confirmationGraceMs: 3600_000, sessionCounts } });
    rig.publish(session().started());
    const ask = (index: number): Record<string, unknown> =>
      session().confirmation(`rpl_${index}`, { action: `Do ${index}.`, timeout_seconds: 3600 });
    rig.publish(ask(0));
    for (let index = 1; index <= 50; index += 1) {
      rig.publish(ask(index));
      rig.agent.cancel(`rpl_${index}`);
    }
    expect(rig.engine.status().openQuestionCount).toBe(1);
    expect(rig.agent.outcomeOf("rpl_41")).toMatchObject({ result: { resolvedBy: "cancelled" } });
    expect(rig.agent.outcomeOf("rpl_40")).toBeUndefined();
    expect(rig.agent.outcomeOf("rpl_0")).toBe("open");
    for (const index of [0, 41, 50])
      expect(faultOf(() => rig.publish({ ...ask(index), action: "Do it again." })).code).toBe("reply_token_reused");
    expect(() => rig.publish({ ...ask(40), action: "Do it again." })).not.toThrow();
  });
});

describe("R3: how much one plan makes, with what it closes, is limited", () => {
  const idOf = (index: number): Fields => ({ session_id: `sess_${index}` });
  const COUNT = 40;

  /** Sessions with all open that may be open: an end of one makes 257 events. */
  function fullSessions(stage: Stage, count: number): void {
    for (let index = 0; index < count; index += 1) {
      const publish = (kind: string, fields: Fields = {}) => stage.publish(kind, { ...fields, ...idOf(index) });
      publish("session.started");
      for (let nth = 0; nth < 128; nth += 1) publish("tool.invoked");
      for (let nth = 0; nth < 64; nth += 1) publish("output.streaming", { output_id: `out_${nth}` });
      for (let nth = 0; nth < 64; nth += 1) {
        publish("awaiting.clarification", { reply_token: `rpl_${index}_${nth}`, question: `Which, ${nth}?` });
      }
    }
  }
  const ends = (count: number): readonly Fields[] =>
    Array.from({ length: count }, (_, index) => eventOf("session.cancelled", idOf(index)));

  it("R3, R3a: one that ends too many full sessions is refused whole, before more is made, and each can be ended", () => {
    const stage = createStage();
    fullSessions(stage, COUNT);
    let madeCount = 0;
    const hex = (): string => {
      madeCount += 1;
      return String(madeCount);
    };
    const fault = faultOf(() => stage.publishAll(ends(COUNT), { ids: { hex } }));
    expect([fault.code, fault.pointer, fault.rule]).toEqual(["message_too_large", "/1", "R3"]);
    expect(fault.sentence).toBe(
      "End sessions and withdraw questions in several publishes; with what it closes, this one makes more than 512 events.",
    );
    expect(madeCount).toBeLessThanOrEqual(512);
    expect(stage.sessions.summary("sess_0")?.openTools).toHaveLength(128);
    expect(stage.sessions.openIds()).toHaveLength(COUNT);

    for (let index = 0; index < COUNT; index += 1) {
      expect(stage.publishAll([eventOf("session.cancelled", idOf(index))]).events).toHaveLength(257);
    }
    expect(stage.sessions.openIds()).toEqual([]);
  });
});

describe("R3: what an array changed is taken back", () => {
  it("R3: of what is remembered too, also what was forgotten for a newer one", () => {
    const stage = createStage({ counts: { callIds: 2, completedOutputs: 1 } });
    const call = (id: string) => eventOf("tool.invoked", { tool_call_id: id });
    const done = (id: string) => eventOf("tool.completed", { tool_call_id: id });
    const output = (id: string) => eventOf("output.streaming", { output_id: id, complete: true });
    const asks = eventOf("awaiting.clarification", { reply_token: "rpl_back" });
    stage.publishAll([eventOf("session.started"), call("a"), done("a"), call("b"), done("b"), output("one")]);
    const before = stage.sessions.summary(SESSION);
    const array = [call("c"), done("c"), call("d"), done("d"), output("two"), asks, call("c")];
    expect(faultOf(() => stage.publishAll(array))).toMatchObject({
      code: "tool_already_invoked",
      pointer: "/6/tool_call_id",
    });
    expect(stage.sessions.summary(SESSION)).toEqual(before);
    for (const known of [call("a"), call("b"), output("one")])
      expect(faultOf(() => stage.publishAll([known]))).toBeDefined();
    expect(stage.publishAll(array.slice(0, 6)).answers).toHaveLength(6);
    expect(stage.publishAll([call("a")]).answers).toHaveLength(1);
  });
});

describe("R34: what comes in at once is bounded", () => {
  const LIMITS = { events: 5, characters: 10, questions: 2, openSessions: 3 };
  const limited = (): Stage => {
    const stage = createStage({ limits: { clockSkewMs: 60_000, publishLimits: LIMITS } });
    stage.start();
    return stage;
  };
  const asks = (count: number): readonly Fields[] =>
    Array.from({ length: count }, (_, index) =>
      eventOf("awaiting.clarification", { reply_token: `rpl_${index}`, question: `Which, ${index}?` }),
    );
  const progress = (count: number) => Array.from({ length: count }, () => eventOf("progress.updated"));
  const chunks = (...texts: string[]) => texts.map((chunk) => eventOf("output.streaming", { chunk }));

  it.each([
    ["events", progress(5), progress(6)],
    ["characters of text", chunks("12345", "12345"), chunks("12345", "123456")],
    ["questions", asks(2), asks(3)],
  ])("%s of one publish: one more is refused whole", (what, most, tooMany) => {
    const stage = limited();
    const fault = faultOf(() => stage.publishAll(tooMany));
    expect(fault).toMatchObject({ code: "message_too_large", pointer: "", rule: "R34" });
    expect(fault.sentence).toContain(what);
    expect(stage.publishAll(most).answers).toHaveLength(most.length);
  });

  it("open sessions of one connection, of an array too; an end makes room, and others have their own", () => {
    const stage = limited();
    const begins = (index: number) => eventOf("session.started", { session_id: `sess_${index}` });
    const refusal = { code: "rate_limit", rule: "R34" };
    expect(faultOf(() => stage.publishAll([begins(2), begins(3), begins(4)]))).toMatchObject({
      ...refusal,
      pointer: "/2/session_id",
    });
    stage.publishAll([begins(2), begins(3)]);
    expect(faultOf(() => stage.publishAll([begins(4)]))).toMatchObject(refusal);
    expect(stage.publishAll([begins(5)], { connection: {} }).started).toHaveLength(1);
    stage.publish("session.cancelled");
    expect(stage.publishAll([begins(4)]).started).toHaveLength(1);
  });
});
