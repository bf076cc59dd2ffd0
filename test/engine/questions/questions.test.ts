// Who is asked, what counts as a reply, and what happens when nobody is left to give one (AAEP ch. 6; R6, R7, R19, R28).
import { describe, expect, test } from "vitest";
import type { QuestionResult } from "../../../src/engine/questions/question-result.js";
import { createQuestions } from "../../../src/engine/questions/questions.js";
import type { Reply } from "../../../src/engine/questions/reply-check.js";
import type { OpenQuestion } from "../../../src/engine/sessions/session-record.js";
import { countAble } from "../../../src/engine/terms/answering.js";
import { createTurnSlices } from "../../../src/engine/time/turn-slices.js";
import { faultOf } from "../../support/fault-of.js";
import { session, typesOf } from "../../support/rigs/engine-rig.js";
import {
  ABLE,
  clarification,
  confirmation,
  decision,
  fates,
  give,
  questionsIn,
  resultOf,
  started,
} from "../../support/rigs/question-rig.js";

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
    expect(typesOf(unable.received)).toEqual(["state.changed", "state.changed"]);
    const [notice, resolution] = unable.received.map(({ event }) => event);
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
    // Behind the session's sum (R17).
    expect(late.received.slice(1, 3).map(({ event }) => event.reply_token)).toEqual(["rpl_1", "rpl_2"]);
    expect(late.subscription.openQuestions().events.map(({ reply_token: token }) => token)).toEqual([
      "rpl_1",
      "rpl_2",
      "rpl_3",
    ]);
  });

  test("the list comes in pages, oldest first, and a question counts as shown with its page", () => {
    const rig = started();
    rig.listen(ABLE, "first");
    const tokens = Array.from({ length: 12 }, (_, index) => `rpl_${index}`);
    for (const token of tokens) rig.publish(confirmation(token, { consequence: "x".repeat(16_000) }));
    const late = rig.listen(ABLE, "late");
    const { subscription } = late;
    const pages: (readonly unknown[])[] = [];
    let after: number | undefined;
    do {
      const page = subscription.openQuestions(after);
      expect(JSON.stringify(page.events).length).toBeLessThan(65_536 + 100);
      pages.push(page.events.map(({ reply_token: token }) => token));
      after = page.next;
      // The last one of a page may be over before the next page is asked for.
      if (pages.length === 1) expect(give(rig, late, String(pages[0]?.at(-1)), "accept")).toBe(true);
    } while (after !== undefined);
    expect(pages.flat()).toEqual(tokens);
    expect(pages.length).toBeGreaterThan(2);
    expect(subscription.openQuestions(Number.MAX_SAFE_INTEGER)).toEqual({ events: [], next: undefined });
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
    expect(late.subscription.openQuestions().events).toEqual([]);
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
    const rig = started();
    const listener = rig.listen(ABLE);
    const questions = createQuestions({
      wakeUps: { at: () => () => undefined },
      slices: createTurnSlices({ afterTurn: () => undefined }, (caught) => {
        throw caught;
      }),
      now: () => now,
      wallTime: () => now,
      limits: { confirmationGraceMs: 0, reconnectGraceMs: 0 },
      audit: { isOn: true, record: () => undefined },
      isAgentAway: () => false,
      returnUntil: () => Number.NEGATIVE_INFINITY,
      countAble: () => countAble([listener.subscription.terms()]),
      resolve: (_, result) => {
        results.push(result);
        return undefined;
      },
      remind: () => undefined,
      waiting: () => undefined,
    });
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
      permits: { action: undefined, tool: undefined, toolCallId: undefined },
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
    const replier = { subscriptionId: "sub_1", subscriberId: "a", isEntitled: () => true, notTaken: () => {} };
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
    expect(b.received.at(-1)?.event.summary_normal).toContain("Whoever could have answered has gone");
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
