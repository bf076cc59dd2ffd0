// Questions as the engine keeps them: who is asked and told what, until when, and the one outcome of each (AAEP ch. 6).
import { describe, expect, test } from "vitest";
import { Fault } from "../../src/base/errors.js";
import type { AuditEntry } from "../../src/contracts/audit.js";
import { createQuestions, type QuestionResult, type ResolvedQuestion } from "../../src/engine/questions.js";
import type { Reply } from "../../src/engine/reply-check.js";
import type { OpenQuestion } from "../../src/engine/session-record.js";
import { formatTimestamp } from "../../src/engine/timestamps.js";
import {
  createEngineRig,
  type EngineRig,
  type Listener,
  type RigOptions,
  session,
  typesOf,
} from "../support/engine-rig.js";
import { faultOf } from "../support/session-stage.js";

const ABLE = { supportsConfirmationReply: true, supportsClarificationReply: true };
const DEAF_TO_STATES = { ...ABLE, eventFilters: { include: [], exclude: [] } };

function decision(rig: EngineRig, token: string, value: "accept" | "reject", changes: Partial<Reply> = {}): Reply {
  return {
    kind: "confirmation",
    token,
    timestamp: formatTimestamp(rig.clock.wallTime()),
    decision: value,
    decidedBy: undefined,
    rationale: undefined,
    modifiedAction: undefined,
    ...changes,
  } as Reply;
}

function give(rig: EngineRig, to: Listener, token: string, value: "accept" | "reject", changes: Partial<Reply> = {}) {
  const counted = to.subscription.reply(decision(rig, token, value, changes), { token, value });
  rig.clock.settle();
  return counted;
}

function started(options: RigOptions = {}): EngineRig {
  const rig = createEngineRig(options);
  rig.publish(session().started());
  return rig;
}

const clarification = (token: string, extra: Record<string, unknown> = {}): Record<string, unknown> => ({
  type: "aaep:agent.awaiting.clarification",
  session_id: "sess_1",
  question: `Which of ${token}?`,
  reply_token: token,
  timeout_seconds: 60,
  ...extra,
});

const confirmation = (token: string, extra: Record<string, unknown> = {}) =>
  session().confirmation(token, { action: `Do ${token}.`, ...extra });

const resultOf = ({ agent }: EngineRig, index = 0) => agent.outcomes[index]?.result;

const audited = <Kind extends AuditEntry["kind"]>(rig: EngineRig, kind: Kind) =>
  rig.audit.filter((entry): entry is Extract<AuditEntry, { kind: Kind }> => entry.kind === kind);

const fates = (rig: EngineRig) => audited(rig, "reply").map(({ fate }) => fate);

const questionsIn = ({ received }: Listener) =>
  received.filter(({ event }) => event.type.startsWith("aaep:agent.awaiting."));

describe("R6: who is asked", () => {
  test("H8, no subscription: the default applies at once and is nobody's decision", () => {
    const rig = started();
    rig.publish(confirmation("rpl_1", { default_decision: "accept" }));
    expect(resultOf(rig)).toMatchObject({ resolvedBy: "no_subscriber", decision: "accept", decidedBy: undefined });
    expect(rig.agent.waiting).toEqual([]);
    expect(rig.engine.status().openQuestionCount).toBe(0);
  });

  test("a default never permits what cannot be undone (R5)", () => {
    const rig = started();
    rig.publish(confirmation("rpl_1", { default_decision: "accept" }));
    const invoked = { ...session().invoked("delete", "call_1"), irreversible: true };
    expect(faultOf(() => rig.publish(invoked)).code).toBe("confirmation_required");
  });

  test("those that can answer get the question; the others a notice and the resolution, critical, past every filter", () => {
    const rig = started();
    const able = rig.listen(ABLE);
    const unable = rig.listen({ eventFilters: { include: [], exclude: [] } });
    rig.publish(confirmation("rpl_1"));
    give(rig, able, "rpl_1", "accept");
    expect(questionsIn(able)).toHaveLength(1);
    // The first sums up the session that it came into.
    expect(typesOf(unable.received)).toEqual(["state.changed", "state.changed", "state.changed"]);
    const [, notice, resolution] = unable.received.map(({ event }) => event);
    expect(notice).toMatchObject({ urgency: "critical", to_state: "awaiting_input" });
    expect(notice?.summary_normal).toContain("Do rpl_1.");
    expect(JSON.stringify(notice)).not.toContain('rpl_1"');
    expect(resolution).toMatchObject({ urgency: "critical", from_state: "awaiting_input", to_state: "idle" });
    expect(resolution?.summary_normal).toContain("Accepted");
  });

  test("one capability does not stand for the other", () => {
    const rig = started();
    const listener = rig.listen({ supportsConfirmationReply: true });
    rig.publish(clarification("rpl_1", { default_response: "the first" }));
    expect(questionsIn(listener)).toHaveLength(0);
    expect(resultOf(rig)).toMatchObject({ resolvedBy: "no_subscriber", decision: undefined, response: "the first" });
  });

  test("confirmation_grace_seconds waits for the first, and not beyond the question's own time", () => {
    const rig = started({ engine: { confirmationGraceMs: 5000 } });
    rig.publish(confirmation("rpl_1"));
    rig.advance(4999);
    expect(rig.agent.outcomes).toEqual([]);
    rig.advance(1);
    expect(resultOf(rig)).toMatchObject({ resolvedBy: "no_subscriber", decision: "reject" });
    rig.publish(confirmation("rpl_2", { timeout_seconds: 3 }));
    rig.advance(3000);
    expect(resultOf(rig, 1)).toMatchObject({ resolvedBy: "timeout" });
  });

  test("H2: one that joins within the grace is asked, and may answer", () => {
    const rig = started({ engine: { confirmationGraceMs: 5000 } });
    rig.publish(confirmation("rpl_1"));
    rig.advance(3000);
    const late = rig.listen(ABLE);
    expect(questionsIn(late)).toHaveLength(1);
    rig.advance(3000);
    expect(give(rig, late, "rpl_1", "accept")).toBe(true);
  });
});

describe("R28, H2, A6: each subscription is asked once", () => {
  test("late joiners get what is open, first of all, and nothing twice", () => {
    const rig = started();
    rig.listen(ABLE, "first");
    rig.publish(confirmation("rpl_1"), clarification("rpl_2"));
    const late = rig.listen(ABLE, "late");
    rig.publish(session().progress(10));
    rig.publish(confirmation("rpl_3"));
    expect(questionsIn(late).map(({ event }) => event.reply_token)).toEqual(["rpl_1", "rpl_2", "rpl_3"]);
    expect(late.received.slice(0, 2).map(({ event }) => event.reply_token)).toEqual(["rpl_1", "rpl_2"]);
    expect(late.subscription.openQuestions().map(({ reply_token: token }) => token)).toEqual([
      "rpl_1",
      "rpl_2",
      "rpl_3",
    ]);
  });

  test("H6: however much has been published since, and wherever the journal's window stands", () => {
    const rig = started({ journal: { maxEvents: 50 } });
    rig.listen(ABLE, "first");
    rig.publish(confirmation("rpl_1"));
    for (let percent = 0; percent < 100; percent += 1) rig.publish(session().progress(percent));
    const late = rig.listen(ABLE, "late");
    const [asked] = questionsIn(late);
    expect(asked?.event.reply_token).toBe("rpl_1");
    // A7: it can be repeated as long as it is open.
    late.subscription.repeat(String(asked?.event.event_id));
    rig.clock.settle();
    expect(questionsIn(late)).toHaveLength(2);
    expect(give(rig, late, "rpl_1", "accept")).toBe(true);
  });

  test("one that gains the capability is asked then, once, though it lost and gained it again", () => {
    const rig = started();
    rig.listen(ABLE, "first");
    const listener = rig.listen({}, "second");
    const terms = listener.subscription.terms();
    rig.publish(confirmation("rpl_1"));
    expect(questionsIn(listener)).toHaveLength(0);
    for (const supportsConfirmationReply of [true, false, true, false, true]) {
      listener.subscription.retune({ ...terms, supportsConfirmationReply });
      rig.clock.settle();
    }
    expect(questionsIn(listener)).toHaveLength(1);
    expect(give(rig, listener, "rpl_1", "accept")).toBe(true);
  });

  test("H6: a question in flight while the terms change is asked all the same, once", () => {
    const rig = started();
    const listener = rig.listen(ABLE);
    listener.block(true);
    rig.publish(confirmation("rpl_1"));
    listener.subscription.retune({ ...listener.subscription.terms(), preferredVerbosity: "terse" });
    rig.publish(session().progress(10));
    listener.block(false);
    expect(questionsIn(listener)).toHaveLength(1);
  });

  test("H6: a slow peer, a flood and a narrow window", () => {
    const rig = started({ engine: { viewWindowCount: 16, queueLimitCount: 8 } });
    const listener = rig.listen({ ...ABLE, maxEventsPerSecond: 1 });
    listener.block(true);
    rig.publish(confirmation("rpl_1", { timeout_seconds: 86_400 }));
    for (let index = 0; index < 1500; index += 1)
      rig.publish({ ...session().state("idle", "idle", "critical"), producer: { agent_id: "helper" } });
    rig.publish(confirmation("rpl_2", { timeout_seconds: 86_400 }));
    listener.block(false);
    rig.advance(3_000_000);
    expect(
      questionsIn(listener)
        .map(({ event }) => event.reply_token)
        .sort(),
    ).toEqual(["rpl_1", "rpl_2"]);
  });

  test("H5: a question that was resolved before it could be taken is not asked any more, nor repeated", () => {
    const rig = started();
    const able = rig.listen(ABLE, "first");
    rig.publish(confirmation("rpl_1"));
    const late = rig.listen(ABLE, "late");
    const [asked] = questionsIn(late);
    give(rig, able, "rpl_1", "reject");
    expect(faultOf(() => late.subscription.repeat(String(asked?.event.event_id))).code).toBe("not_found");
    expect(late.subscription.openQuestions()).toEqual([]);
    const later = rig.listen(ABLE, "later");
    expect(questionsIn(later)).toEqual([]);
  });

  test("one that cannot answer cannot have it repeated", () => {
    const rig = started();
    const able = rig.listen(ABLE, "first");
    const unable = rig.listen({}, "second");
    rig.publish(confirmation("rpl_1"));
    const id = String(questionsIn(able)[0]?.event.event_id);
    expect(faultOf(() => unable.subscription.repeat(id)).code).toBe("not_found");
  });
});

describe("R19, AAEP §6.3.4: replies", () => {
  test("the first valid one wins; later ones and repetitions do not count", () => {
    const rig = started();
    const [a, b] = [rig.listen(ABLE, "a"), rig.listen(ABLE, "b")];
    rig.publish(confirmation("rpl_1"));
    expect(give(rig, b, "rpl_1", "reject", { decidedBy: "Ada", rationale: "Too much." })).toBe(true);
    expect(give(rig, a, "rpl_1", "accept")).toBe(false);
    expect(give(rig, b, "rpl_1", "reject")).toBe(false);
    expect(rig.agent.outcomes).toHaveLength(1);
    expect(resultOf(rig)).toEqual({
      resolvedBy: "reply",
      decision: "reject",
      response: undefined,
      decidedBy: "Ada",
      rationale: "Too much.",
      modifiedAction: undefined,
      confidence: undefined,
    });
    expect(fates(rig)).toEqual(["counted", "already_resolved", "already_resolved"]);
    // H2: the one that was too late hears of it.
    expect(a.received.at(-1)?.event.summary_normal).toContain("Rejected");
  });

  test("a wrong and an unknown token have the same answer, and do the same: one line in the log", () => {
    const rig = started();
    const listener = rig.listen(ABLE);
    rig.publish(confirmation("rpl_1"));
    give(rig, listener, "rpl_1", "accept");
    const [before, received] = [rig.audit.length, listener.received.length];
    expect(give(rig, listener, "rpl_1", "accept")).toBe(false);
    expect(give(rig, listener, "rpl_2", "accept")).toBe(false);
    expect(rig.audit.length).toBe(before + 2);
    expect(listener.received.length).toBe(received);
    expect(fates(rig)).toEqual(["counted", "already_resolved", "unknown_token"]);
  });

  test("one without the capability, one that gave it up, and one that is gone", () => {
    const rig = started();
    const [a, b, c] = [rig.listen(ABLE, "a"), rig.listen(ABLE, "b"), rig.listen({}, "c")];
    rig.listen(ABLE, "d");
    rig.publish(confirmation("rpl_1"));
    a.subscription.retune({ ...a.subscription.terms(), supportsConfirmationReply: false });
    b.subscription.close();
    for (const one of [a, b, c]) expect(give(rig, one, "rpl_1", "accept")).toBe(false);
    expect(fates(rig)).toEqual(["not_entitled", "not_entitled", "not_entitled"]);
    expect(rig.agent.outcomes).toEqual([]);
  });

  test.each([
    ["of the wrong kind", { kind: "clarification", response: "yes" }, {}, "wrong_kind"],
    ["written a minute too late", { timestamp: "2026-05-24T14:01:00.000Z" }, {}, "expired"],
    ["written an hour before", { timestamp: "2026-05-24T13:00:00.000Z" }, {}, "expired"],
    ["that was not offered", {}, { allowed_replies: ["reject"] }, "not_offered"],
  ])("a reply %s counts for nothing, and the next good one does", (_, changes, fields, fate) => {
    const rig = started();
    const listener = rig.listen(ABLE);
    rig.publish(confirmation("rpl_1", fields));
    expect(give(rig, listener, "rpl_1", "accept", changes as Partial<Reply>)).toBe(false);
    expect(fates(rig)).toEqual([fate]);
    expect(give(rig, listener, "rpl_1", "reject")).toBe(true);
  });

  test("one that arrives after the deadline does not count, however late the timer is", () => {
    let now = 0;
    const results: QuestionResult[] = [];
    const questions = createQuestions({
      wakeUps: { at: () => () => undefined },
      now: () => now,
      clockSkewMs: 60_000,
      audit: { record: () => undefined },
      ableCount: () => 1,
      confirmationGraceMs: 0,
      reconnectGraceMs: 0,
      resolve: (_, result) => {
        results.push(result);
        return undefined;
      },
      remind: () => undefined,
      waiting: () => undefined,
    });
    const rig = started();
    const listener = rig.listen(ABLE);
    rig.publish(confirmation("rpl_1"));
    const [{ event } = expect.fail("nothing was asked")] = questionsIn(listener);
    const question: OpenQuestion = {
      kind: "confirmation",
      token: "rpl_1",
      sessionId: "sess_1",
      agentId: "planner",
      event,
      at: 0,
      ordinal: 1,
      permits: { tool: undefined, toolCallId: undefined },
    };
    const entry = {
      event,
      kind: "awaiting.confirmation",
      source: undefined,
      at: 0,
      ordinal: 1,
      made: undefined,
    } as const;
    questions.asked(question, { ...entry, epoch: 1 });
    const replier = { subscriptionId: "sub_1", subscriberId: "a", isEntitled: () => true };
    now = 60_000;
    expect(questions.reply(decision(rig, "rpl_1", "accept"), replier, {})).toBe(false);
    expect(results).toMatchObject([{ resolvedBy: "timeout", decision: "reject" }]);
  });

  test.each([
    [
      {
        "@context": ["https://aaep-protocol.org/context/v1", "https://aaepd.dev/context/v1"],
        extensions: { aaepd: { accepts_modified_action: true } },
      },
      "accept",
    ],
    [{}, "reject"],
  ] as const)("a modified action, where the question says %j, is a decision to %s", (fields, expected) => {
    const rig = started();
    const listener = rig.listen(ABLE);
    rig.publish(confirmation("rpl_1", fields));
    expect(give(rig, listener, "rpl_1", "accept", { modifiedAction: { amount: 5 } })).toBe(true);
    expect(resultOf(rig)).toMatchObject({ decision: expected, resolvedBy: "reply", modifiedAction: { amount: 5 } });
    const invoked = { ...session().invoked("delete", "call_1"), irreversible: true };
    if (expected === "accept") expect(rig.publish(invoked)).toHaveLength(1);
    else expect(faultOf(() => rig.publish(invoked)).code).toBe("confirmation_required");
  });
});

describe("R7: the last that can answer goes", () => {
  test("its default applies as if timed out, whoever closes, breaks off or gives it up; not before the last", () => {
    const rig = started();
    const [a, b] = [rig.listen(ABLE, "a"), rig.listen(ABLE, "b")];
    rig.publish(confirmation("rpl_1"));
    a.subscription.close();
    expect(rig.agent.outcomes).toEqual([]);
    b.subscription.retune({ ...b.subscription.terms(), supportsConfirmationReply: false });
    rig.clock.settle();
    expect(resultOf(rig)).toMatchObject({ resolvedBy: "subscription_ended", decision: "reject" });
    expect(b.received.at(-1)?.event.summary_normal).toContain("Nobody could be asked");
  });

  test("reconnect_grace_seconds holds it back, H10: and nobody is waited for meanwhile", () => {
    const rig = started({ engine: { reconnectGraceMs: 10_000 } });
    const first = rig.listen(ABLE);
    rig.publish(confirmation("rpl_1"));
    first.subscription.close();
    rig.advance(9000);
    const again = rig.listen(ABLE);
    expect(questionsIn(again)).toHaveLength(1);
    rig.advance(9000);
    expect(rig.agent.outcomes).toEqual([]);
    again.subscription.close();
    rig.advance(10_000);
    expect(resultOf(rig)).toMatchObject({ resolvedBy: "subscription_ended", decision: "reject" });
    expect(rig.agent.waiting.map(([, isWaiting]) => isWaiting)).toEqual([true, false, true, false]);
  });

  test("within the grace the question's own deadline stands", () => {
    const rig = started({ engine: { reconnectGraceMs: 100_000 } });
    const first = rig.listen(ABLE);
    rig.publish(confirmation("rpl_1"));
    first.subscription.close();
    rig.advance(60_000);
    expect(resultOf(rig)).toMatchObject({ resolvedBy: "timeout" });
  });
});

describe("H7: deadlines", () => {
  test("H8: the default is told as a default, in words and in fields", () => {
    const rig = started();
    const listener = rig.listen(DEAF_TO_STATES);
    rig.publish(confirmation("rpl_1", { default_decision: "accept" }));
    rig.advance(60_000);
    expect(resultOf(rig)).toMatchObject({ resolvedBy: "timeout", decision: "accept", decidedBy: undefined });
    const told = listener.received.at(-1)?.event;
    expect(told?.summary_normal).toContain("Nobody answered in time");
    expect(told?.extensions?.aaepd).toMatchObject({ by: "daemon", decision: "accepted", decided_by: "timeout" });
  });

  test.each([0, 86_401, 1.5, -1, "60"])("timeout_seconds %j is refused", (timeout_seconds) => {
    const rig = started();
    const fault = faultOf(() => rig.publish(confirmation("rpl_1", { timeout_seconds })));
    expect(fault).toMatchObject({ code: "invalid_event", pointer: "/timeout_seconds" });
    expect(rig.engine.status().openQuestionCount).toBe(0);
  });

  test.each([1, 86_400])("timeout_seconds %d is kept to the millisecond", (timeout_seconds) => {
    const rig = started();
    rig.listen(ABLE);
    rig.publish(confirmation("rpl_1", { timeout_seconds }));
    rig.advance(timeout_seconds * 1000 - 1);
    expect(rig.agent.outcomes).toEqual([]);
    rig.advance(1);
    expect(rig.agent.outcomes).toHaveLength(1);
  });

  test("AAEP §6.4.3: above 60 s, a word at half of the time and at nine tenths", () => {
    const rig = started();
    const listener = rig.listen(ABLE);
    rig.publish(confirmation("rpl_short"), confirmation("rpl_long", { timeout_seconds: 200 }));
    rig.advance(199_999);
    const reminders = listener.received.filter(({ event }) => event.type === "aaep:agent.progress.updated");
    expect(reminders.map(({ at, event }) => [at, event.progress])).toEqual([
      [100_000, { percent: 50 }],
      [180_000, { percent: 90 }],
    ]);
    expect(reminders[1]?.event.summary_normal).toContain("Do rpl_long.");
    expect(rig.publish(session().state("awaiting_input", "deciding"))).toHaveLength(1);
    rig.advance(1);
    expect(listener.received.filter(({ event }) => event.type === "aaep:agent.progress.updated")).toHaveLength(2);
  });

  test("A6: an answered question reminds nobody", () => {
    const rig = started();
    const listener = rig.listen(ABLE);
    rig.publish(confirmation("rpl_1", { timeout_seconds: 200 }));
    give(rig, listener, "rpl_1", "accept");
    rig.advance(300_000);
    expect(typesOf(listener.received)).not.toContain("progress.updated");
  });

  test("10,000 questions open at once keep their deadlines", () => {
    const rig = started();
    rig.listen(DEAF_TO_STATES);
    const at: number[] = [];
    const late: number[] = [];
    const count = 10_000;
    for (let index = 0; index < count; index += 1) {
      // Scattered: 1..60 s, in no order.
      const timeout_seconds = 1 + ((index * 7919) % 60);
      const due = rig.clock.now() + timeout_seconds * 1000;
      rig.agent.ask(confirmation(`rpl_${index}`, { timeout_seconds }), () => {
        at.push(rig.clock.now());
        if (rig.clock.now() !== due) late.push(index);
      });
      if (index % 100 === 99) rig.advance(7);
    }
    expect(rig.engine.status().openQuestionCount).toBe(count);
    rig.advance(61_000);
    expect(at).toHaveLength(count);
    expect(late).toEqual([]);
    expect(rig.engine.status().openQuestionCount).toBe(0);
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
    expect(faultOf(() => createEngineRigWarning().publish(asked)).code).toBe("default_not_allowed");
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

  test("A6: the same is not asked twice at a time; again after its outcome, or by another agent, or of another tool, it is", () => {
    const rig = started();
    const listener = rig.listen(ABLE);
    const asked = (token: string, extra = {}) => session().confirmation(token, extra);
    rig.publish(asked("rpl_1"));
    expect(faultOf(() => rig.publish(asked("rpl_2")))).toMatchObject({
      code: "already_asked",
      pointer: "/action",
      rule: "AAEP §6.1",
    });
    rig.publish(asked("rpl_3", { producer: { agent_id: "helper" } }));
    rig.publish(asked("rpl_4", { extra_context: { tool: "delete" } }));
    rig.publish(clarification("rpl_5", { question: "Delete the file." }));
    give(rig, listener, "rpl_1", "reject");
    // The token of what was refused was never used.
    rig.publish(asked("rpl_2"));
    expect(rig.engine.status().openQuestionCount).toBe(4);
  });

  test("AAEP §6.2: a token is used once, also after its outcome", () => {
    const rig = started();
    rig.publish(confirmation("rpl_1"));
    expect(rig.agent.outcomes).toHaveLength(1);
    expect(faultOf(() => rig.publish(confirmation("rpl_1"))).code).toBe("reply_token_reused");
    const done: ResolvedQuestion[] = [];
    const other = clarification("rpl_1");
    expect(faultOf(() => rig.agent.ask(other, (resolved) => done.push(resolved))).code).toBe("reply_token_reused");
    expect(done).toEqual([]);
  });
});

describe("AAEP §6.8, H7: what is taken back", () => {
  test("cancel: once, by its own agent only; all that saw it hear it", () => {
    const rig = started();
    const listener = rig.listen(DEAF_TO_STATES);
    rig.publish(confirmation("rpl_1"));
    expect(rig.openAgent().cancel("rpl_1")).toBe(false);
    expect(rig.agent.cancel("rpl_2")).toBe(false);
    expect(rig.agent.cancel("rpl_1")).toBe(true);
    expect(rig.agent.cancel("rpl_1")).toBe(false);
    rig.clock.settle();
    expect(resultOf(rig)).toMatchObject({ resolvedBy: "cancelled", decision: undefined });
    expect(listener.received.at(-1)?.event.summary_normal).toContain("Withdrawn");
    expect(give(rig, listener, "rpl_1", "accept")).toBe(false);
  });

  test.each([
    ["its agent goes on", session().state("awaiting_input", "thinking")],
    ["its session is completed", session().completed()],
    ["its session fails", session().errored()],
    [
      "its session is cancelled",
      { type: "aaep:agent.session.cancelled", session_id: "sess_1", cancelled_by: "user", summary_normal: "Stopped." },
    ],
  ])("where %s it is cancelled, and said so before, past every filter", (_, event) => {
    const rig = started();
    const listener = rig.listen(DEAF_TO_STATES);
    rig.publish(confirmation("rpl_1"), clarification("rpl_2"));
    const before = listener.received.length;
    rig.publish(event);
    expect(rig.agent.outcomes.map(({ result }) => result.resolvedBy)).toEqual(["cancelled", "cancelled"]);
    const said = listener.received.slice(before).map(({ event: { summary_normal } }) => String(summary_normal));
    expect(said.slice(0, 2).every((text) => text.includes("Withdrawn"))).toBe(true);
    expect(rig.engine.status().openQuestionCount).toBe(0);
    rig.advance(120_000);
    expect(rig.agent.outcomes).toHaveLength(2);
  });

  test("one that is asked and withdrawn in one breath has its outcome too", () => {
    const rig = started();
    rig.listen(ABLE);
    rig.publish(confirmation("rpl_1"), session().completed());
    expect(rig.agent.outcomes.map(({ result }) => result.resolvedBy)).toEqual(["cancelled"]);
    expect(audited(rig, "asked")).toHaveLength(1);
    expect(audited(rig, "outcome")).toHaveLength(1);
    rig.advance(120_000);
    expect(rig.engine.status().openQuestionCount).toBe(0);
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
    // The promise belonged to a connection that is gone.
    expect(done).toEqual([]);
    expect(give(rig, listener, "rpl_1", "accept")).toBe(false);
  });

  test("one that comes back is told what is waited for, and then the outcome", () => {
    const rig = createEngineRig();
    const { resumeToken } = rig.agent.publish([{ fields: session().started() }], false);
    const listener = rig.listen(ABLE);
    rig.agent.ask(confirmation("rpl_1"), () => undefined);
    rig.agent.close();
    rig.advance(1000);
    const back = rig.openAgent();
    const summary = back.resumeSession("sess_1", String(resumeToken));
    expect(summary.openQuestions.map(({ token }) => token)).toEqual(["rpl_1"]);
    expect(back.waiting).toEqual([["rpl_1", true]]);
    expect(back.outcomeOf("rpl_1")).toBe("open");
    rig.advance(10_000);
    expect(give(rig, listener, "rpl_1", "accept")).toBe(true);
    expect(back.outcomes).toHaveLength(1);
    expect(back.outcomeOf("rpl_1")).toMatchObject({ result: { resolvedBy: "reply", decision: "accept" } });
    expect(
      back.publish([{ fields: { ...session().invoked("x", "call_1"), irreversible: true } }], false).events,
    ).toHaveLength(1);
  });

  test("what was answered while it was away is permitted, and can be asked for", () => {
    const rig = createEngineRig();
    const { resumeToken } = rig.agent.publish([{ fields: session().started() }], false);
    const listener = rig.listen(ABLE);
    rig.agent.publish([{ fields: confirmation("rpl_1") }], false);
    rig.agent.close();
    give(rig, listener, "rpl_1", "accept");
    const back = rig.openAgent();
    expect(back.resumeSession("sess_1", String(resumeToken)).outcomes).toMatchObject([
      { token: "rpl_1", outcome: "accepted" },
    ]);
    expect(back.outcomeOf("rpl_1")).toMatchObject({ result: { decision: "accept" } });
    expect(back.outcomeOf("rpl_9")).toBeUndefined();
  });

  test("one that comes back by publishing with its token is told too", () => {
    const rig = createEngineRig();
    const { resumeToken } = rig.agent.publish([{ fields: session().started() }], false);
    const listener = rig.listen(ABLE);
    rig.agent.publish([{ fields: confirmation("rpl_1") }], false);
    rig.agent.close();
    const back = rig.openAgent();
    back.publish([{ fields: session().progress(1) }], false, resumeToken);
    give(rig, listener, "rpl_1", "accept");
    expect(back.outcomes).toHaveLength(1);
    expect(rig.agent.outcomes).toHaveLength(0);
  });

  test("outcomes are remembered for the session and 24 hours", () => {
    const rig = started();
    rig.publish(confirmation("rpl_1"));
    rig.advance(48 * 3_600_000);
    expect(rig.agent.outcomeOf("rpl_1")).toMatchObject({ result: { resolvedBy: "no_subscriber" } });
    rig.publish(session().completed());
    rig.advance(23 * 3_600_000);
    expect(rig.agent.outcomeOf("rpl_1")).toBeDefined();
    rig.advance(2 * 3_600_000);
    expect(rig.agent.outcomeOf("rpl_1")).toBeUndefined();
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

  test("R3: the same event once more is the same question", () => {
    const rig = started();
    const listener = rig.listen(ABLE);
    const fields = { ...confirmation("rpl_1"), event_id: "evt_0123456789abcdef" };
    const done: string[] = [];
    rig.agent.ask(fields, () => done.push("first"));
    rig.agent.ask(fields, () => done.push("second"));
    expect(questionsIn(listener)).toHaveLength(0);
    rig.clock.settle();
    expect(questionsIn(listener)).toHaveLength(1);
    give(rig, listener, "rpl_1", "accept");
    rig.agent.ask(fields, () => done.push("third"));
    expect(done).toEqual(["first", "second", "third"]);
    expect(rig.agent.outcomes).toEqual([]);
  });

  test("a question that is refused is nobody's, and its token is free", () => {
    const rig = started();
    rig.listen(ABLE);
    expect(faultOf(() => rig.agent.ask({ ...confirmation("rpl_1"), action: 5 }, () => undefined)).code).toBe(
      "invalid_event",
    );
    rig.publish(confirmation("rpl_1"));
    rig.advance(60_000);
    expect(rig.agent.outcomes).toHaveLength(1);
  });

  test("H10: waiting begins with the question and ends with its outcome", () => {
    const rig = started();
    const listener = rig.listen(ABLE);
    rig.agent.ask(confirmation("rpl_1"), () => undefined);
    expect(rig.agent.waiting).toEqual([["rpl_1", true]]);
    give(rig, listener, "rpl_1", "accept");
    expect(rig.agent.waiting).toEqual([
      ["rpl_1", true],
      ["rpl_1", false],
    ]);
  });
});

describe("AAEP §6.7.2: around a question", () => {
  test("H2: waiting before, and away from it after, with the outcome in words", () => {
    const rig = started();
    const listener = rig.listen(ABLE);
    rig.publish(session().state("idle", "thinking"));
    rig.publish(confirmation("rpl_1"));
    give(rig, listener, "rpl_1", "accept");
    const told = listener.received.slice(1).map(({ event }) => event);
    expect(told.map(({ from_state, to_state, reply_token }) => [from_state, to_state, reply_token])).toEqual([
      ["idle", "thinking", undefined],
      ["thinking", "awaiting_input", undefined],
      [undefined, undefined, "rpl_1"],
      ["awaiting_input", "thinking", undefined],
    ]);
    expect(told[3]).toMatchObject({
      urgency: "critical",
      extensions: { aaepd: { question: told[2]?.event_id, decision: "accepted", decided_by: "reply" } },
    });
  });
});

describe("the audit log: who asked, who was shown it, every attempt, the outcome", () => {
  test("one line each, in order; shown once a subscription, however it got there", () => {
    const rig = started();
    const a = rig.listen(ABLE, "a");
    const limited = rig.listen({ ...ABLE, maxEventsPerSecond: 1 }, "b");
    rig.listen({}, "c");
    rig.publish(confirmation("rpl_1"));
    const late = rig.listen(ABLE, "d");
    late.subscription.repeat(String(questionsIn(late)[0]?.event.event_id));
    rig.clock.settle();
    a.subscription.refusedReply("malformed", "rpl_1", { nonsense: true });
    give(rig, limited, "rpl_1", "accept");
    expect(rig.audit.map((entry) => [entry.kind, "subscriber_id" in entry ? entry.subscriber_id : undefined])).toEqual([
      ["asked", undefined],
      ["shown", "a"],
      ["shown", "b"],
      ["shown", "d"],
      ["reply", "a"],
      ["outcome", undefined],
      ["reply", "b"],
    ]);
    expect(fates(rig)).toEqual(["malformed", "counted"]);
    expect(audited(rig, "asked")[0]?.event.action).toBe("Do rpl_1.");
    expect(audited(rig, "outcome")[0]?.outcome).toEqual({
      decision: "accept",
      resolved_by: "reply",
      event_id: audited(rig, "asked")[0]?.event.event_id,
      reply_token: "rpl_1",
    });
  });

  test("a question that was never taken was shown to nobody", () => {
    const rig = started();
    const listener = rig.listen(ABLE);
    listener.block(true);
    rig.publish(confirmation("rpl_1"));
    rig.advance(30_000 - 1);
    expect(audited(rig, "shown")).toEqual([]);
    listener.block(false);
    expect(audited(rig, "shown")).toHaveLength(1);
  });
});

describe("R29: an outcome that is not safe is not told", () => {
  test("the agent hears it when the journal has it", async () => {
    let finish: () => void = () => undefined;
    let slow = false;
    const rig = started({
      wrapJournal: (journal) => ({
        ...journal,
        append: (events) => {
          const appended = journal.append(events);
          if (!slow) return appended;
          const durable = new Promise<void>((resolve) => {
            finish = resolve;
          });
          return { ...appended, durable };
        },
      }),
    });
    const listener = rig.listen(ABLE);
    rig.publish(confirmation("rpl_1"));
    slow = true;
    expect(give(rig, listener, "rpl_1", "accept")).toBe(true);
    expect(rig.agent.outcomes).toEqual([]);
    expect(rig.agent.outcomeOf("rpl_1")).toBe("open");
    expect(give(rig, listener, "rpl_1", "reject")).toBe(false);
    finish();
    await Promise.resolve();
    await Promise.resolve();
    expect(resultOf(rig)).toMatchObject({ decision: "accept" });
    expect(rig.agent.outcomeOf("rpl_1")).toMatchObject({ result: { decision: "accept" } });
  });

  test("a reply that cannot be written down did not count; a deadline is tried again until it can", () => {
    let isFull = false;
    const rig = started({
      wrapJournal: (journal) => ({
        ...journal,
        append: (events) => {
          if (isFull) throw new Fault("storage_unavailable", "Make room.", { origin: "local" });
          return journal.append(events);
        },
      }),
    });
    const listener = rig.listen(ABLE);
    rig.publish(confirmation("rpl_1"), confirmation("rpl_2"));
    isFull = true;
    expect(give(rig, listener, "rpl_1", "accept")).toBe(false);
    expect(fates(rig)).toEqual(["not_recorded"]);
    expect(rig.engine.status().openQuestionCount).toBe(2);
    isFull = false;
    expect(give(rig, listener, "rpl_1", "accept")).toBe(true);
    isFull = true;
    rig.advance(62_500);
    expect(rig.agent.outcomes).toHaveLength(1);
    isFull = false;
    rig.advance(1000);
    expect(resultOf(rig, 1)).toMatchObject({ resolvedBy: "timeout", decision: "reject" });
  });
});

/** Safety rules are never relaxed (R3). */
function createEngineRigWarning(): EngineRig {
  return started({ engine: { sequencing: "warn" } });
}
