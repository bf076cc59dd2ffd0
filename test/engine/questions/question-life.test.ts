// How long a question lives, what it may be, and what its agent, its listeners and the log are told of it (AAEP ch. 6; R5, R8, R29).
import { describe, expect, test } from "vitest";
import { formatTimestamp } from "../../../src/engine/event/timestamps.js";
import type { ResolvedQuestion } from "../../../src/engine/questions/question-result.js";
import { faultOf } from "../../support/fault-of.js";
import { createEngineRig, session } from "../../support/rigs/engine-rig.js";
import {
  ABLE,
  audited,
  clarification,
  confirmation,
  fates,
  give,
  questionsIn,
  resultOf,
  started,
} from "../../support/rigs/question-rig.js";

describe("deadlines", () => {
  test.each([0, 86_401, 1.5, -1, "60"])("timeout_seconds %j is refused", (timeout_seconds) => {
    const rig = started();
    const fault = faultOf(() => rig.publish(confirmation("rpl_1", { timeout_seconds })));
    expect(fault).toMatchObject({ code: "invalid_event", pointer: "/timeout_seconds" });
    expect(rig.engine.status().openQuestionCount).toBe(0);
  });

  describe.each([-3_600_000, -90_000, 90_000, 3_600_000])("R40: the clock on the wall is set by %d ms", (stepMs) => {
    test("a question is answered in all of its time, and what is listed says how much is left", () => {
      const rig = started();
      const listener = rig.listen(ABLE);
      rig.publish(confirmation("rpl_1"));
      rig.advance(20_000);
      rig.clock.stepWall(stepMs);
      expect(rig.engine.report().questions).toMatchObject([
        { askedAt: rig.clock.wallTime() - 20_000, deadline: rig.clock.wallTime() + 40_000 },
      ]);
      rig.advance(39_999);
      const late = formatTimestamp(rig.clock.wallTime() + 1);
      expect(give(rig, listener, "rpl_1", "accept", { timestamp: late })).toBe(false);
      expect(give(rig, listener, "rpl_1", "accept")).toBe(true);
      expect(fates(rig)).toEqual(["expired", "counted"]);
    });
  });

  test.each([-60_000, 60_000])("R3b: a question stamped %d ms off is answered in all of its time", (offMs) => {
    const rig = started();
    const listener = rig.listen(ABLE);
    rig.advance(100_000);
    rig.publish(confirmation("rpl_1", { timestamp: formatTimestamp(rig.clock.wallTime() + offMs) }));
    rig.advance(59_000);
    expect(give(rig, listener, "rpl_1", "accept")).toBe(true);
    expect(resultOf(rig)).toMatchObject({ resolvedBy: "reply", decision: "accept" });
  });
});

describe("AAEP §6.1, §6.4.1: what may be asked", () => {
  test.each([
    [{ irreversible: true, risk_level: "high" }],
    [{ irreversible: true, risk_level: "medium" }],
    [{ reversibility: "irreversible", risk_level: "high" }],
    [{ reversibility: "irreversible", risk_level: "medium" }],
  ])("%j is never done for want of an answer", (fields) => {
    const rig = started();
    const asked = confirmation("rpl_1", { ...fields, default_decision: "accept" });
    expect(faultOf(() => rig.publish(asked))).toMatchObject({
      code: "default_not_allowed",
      pointer: "/default_decision",
      rule: "AAEP §6.4.1",
    });
  });

  test.each([
    [{ irreversible: true, risk_level: "low" }, 1],
    [{ reversibility: "irreversible" }, 1],
    [{ risk_level: "high" }, 1],
    [{ risk_level: "medium" }, 0],
    [{}, 0],
  ])("%j with accept as its default is warned about %d times", (fields, count) => {
    const rig = started();
    rig.publish(confirmation("rpl_1", { ...fields, default_decision: "accept" }));
    expect(rig.warnings.filter(({ fields: { code } }) => code === "default_not_allowed")).toHaveLength(count);
    rig.publish(confirmation("rpl_2", { ...fields, default_decision: "reject" }));
    expect(rig.warnings).toHaveLength(count);
  });
});

describe("R8: the agent goes, and comes back", () => {
  test("its questions stay open during the grace and are cancelled after it", () => {
    const rig = started({ engine: { agentGraceMs: 5000 } });
    const listener = rig.listen(ABLE);
    const done: ResolvedQuestion[] = [];
    rig.agent.ask(confirmation("rpl_1"), (resolved) => done.push(resolved));
    rig.agent.close();
    rig.advance(4999);
    expect(rig.engine.status().openQuestionCount).toBe(1);
    rig.advance(1);
    expect(rig.engine.status().openQuestionCount).toBe(0);
    expect(audited(rig, "outcome")[0]?.outcome).toMatchObject({ resolved_by: "cancelled" });
    // Of the connection only the input may have ended.
    expect(done).toMatchObject([{ result: { resolvedBy: "cancelled" } }]);
    expect(give(rig, listener, "rpl_1", "accept")).toBe(false);
  });

  test("R8, R19: how a question stands is told to its session's connection, or to one that shows its token, and to nobody else", () => {
    const rig = createEngineRig({ engine: { agentGraceMs: 5000 } });
    const { resumeToken } = rig.agent.publish([{ fields: session().started() }], false);
    const listener = rig.listen(ABLE);
    rig.publish(confirmation("rpl_1"), confirmation("rpl_2"));
    give(rig, listener, "rpl_1", "accept");
    const stranger = rig.openAgent();
    stranger.publish([{ fields: session("sess_2").started() }], false);
    const shown = String(resumeToken);
    const seen = (agent: typeof stranger, token?: string) =>
      ["rpl_1", "rpl_2", "rpl_9"].map((one) => {
        const outcome = agent.outcomeOf(one, token);
        return outcome === "open" ? "open" : outcome?.result.resolvedBy;
      });
    expect(seen(rig.agent)).toEqual(["reply", "open", undefined]);
    expect(seen(stranger)).toEqual([undefined, undefined, undefined]);
    expect(seen(stranger, "rst_guessed")).toEqual([undefined, undefined, undefined]);
    expect(seen(stranger, "")).toEqual([undefined, undefined, undefined]);
    expect(seen(stranger, shown)).toEqual(["reply", "open", undefined]);
    rig.agent.publish([{ fields: session().errored() }], false);
    expect(seen(rig.agent)).toEqual(["reply", "cancelled", undefined]);
    expect(seen(stranger)).toEqual([undefined, undefined, undefined]);
    expect(seen(stranger, shown)).toEqual(["reply", "cancelled", undefined]);
  });
});

describe("ask", () => {
  test("its outcome is an answer and no notification; a published one's is a notification", () => {
    const rig = started();
    const listener = rig.listen(ABLE);
    const done: ResolvedQuestion[] = [];
    const { token } = rig.agent.ask({ ...confirmation("-"), reply_token: undefined }, (resolved) =>
      done.push(resolved),
    );
    expect(token).toMatch(/^rpl_[0-9a-f]{32}$/);
    rig.publish(clarification("rpl_2"));
    give(rig, listener, token, "accept");
    expect(done.map(({ question }) => question.token)).toEqual([token]);
    expect(rig.agent.outcomes).toEqual([]);
    rig.advance(60_000);
    expect(rig.agent.outcomes.map(({ question }) => question.token)).toEqual(["rpl_2"]);
  });

  test("R3: once more without a token of its own, it gets its first answer; other content is refused", () => {
    const rig = started();
    const listener = rig.listen(ABLE);
    const { reply_token: _, ...fields }: Record<string, unknown> = {
      ...confirmation("rpl_1"),
      event_id: "evt_0123456789abcdef",
    };
    const done: string[] = [];
    const first = rig.agent.ask(fields, () => done.push("first"));
    const second = rig.agent.ask(fields, () => done.push("second"));
    expect(second.token).toBe(first.token);
    expect(second.receipt.events).toEqual(first.receipt.events);
    const other = { ...fields, action: "Do another thing." };
    expect(faultOf(() => rig.agent.ask(other, () => undefined)).code).toBe("event_id_reused");
    rig.clock.settle();
    expect(questionsIn(listener)).toHaveLength(1);
    give(rig, listener, first.token, "reject");
    rig.agent.ask(fields, () => done.push("third"));
    expect(done).toEqual(["first", "second", "third"]);
  });

  test("R8: another connection gets no answer by asking the same, nor one whose outcome is forgotten", () => {
    const rig = started();
    const listener = rig.listen(ABLE);
    const fields = { ...confirmation("rpl_0"), event_id: "evt_0123456789abcdef" };
    rig.agent.ask(fields, () => undefined);
    const stranger = rig.openAgent();
    const done: string[] = [];
    expect(faultOf(() => stranger.ask(fields, () => done.push("told")))).toMatchObject({
      code: "session_not_yours",
      rule: "R8",
    });
    rig.clock.settle();
    give(rig, listener, "rpl_0", "accept");
    expect(faultOf(() => stranger.ask(fields, () => done.push("told"))).code).toBe("session_not_yours");
    for (let index = 1; index <= 256; index += 1) {
      rig.publish(confirmation(`rpl_${index}`));
      rig.agent.cancel(`rpl_${index}`);
    }
    expect(faultOf(() => rig.agent.ask(fields, () => done.push("told")))).toMatchObject({
      code: "not_found",
      pointer: "/event_id",
    });
    expect(done).toEqual([]);
  });
});
