// Who is asked, what counts as a reply, and what happens when nobody is left to give one (AAEP ch. 6; R6, R7, R19, R28).
import { describe, expect, test } from "vitest";
import { faultOf } from "../../support/fault-of.js";
import { typesOf } from "../../support/rigs/engine-rig.js";
import {
  ABLE,
  clarification,
  confirmation,
  give,
  questionsIn,
  resultOf,
  started,
} from "../../support/rigs/question-rig.js";

describe("R6: who is asked", () => {
  test("those that can answer get the question; the others a notice and the resolution, critical, past every filter", () => {
    const rig = started();
    const able = rig.listen(ABLE);
    const unable = rig.listen({ eventFilters: { include: [], exclude: [] } });
    rig.publish(confirmation("rpl_1"));
    give(rig, able, "rpl_1", "accept");
    expect(questionsIn(able)).toHaveLength(1);
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
});

describe("R28: each subscription is asked once", () => {
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
      const page = subscription.listener.openQuestions(after);
      expect(JSON.stringify(page.events).length).toBeLessThan(65_536 + 100);
      pages.push(page.events.map(({ reply_token: token }) => token));
      after = page.next;
      // The last one of a page may be over before the next page is asked for.
      if (pages.length === 1) expect(give(rig, late, String(pages[0]?.at(-1)), "accept")).toBe(true);
    } while (after !== undefined);
    expect(pages.flat()).toEqual(tokens);
    expect(pages.length).toBeGreaterThan(2);
    expect(subscription.listener.openQuestions(Number.MAX_SAFE_INTEGER)).toEqual({ events: [], next: undefined });
  });

  test("a question that was resolved before it could be taken is not asked any more, nor repeated", () => {
    const rig = started();
    const able = rig.listen(ABLE, "first");
    rig.publish(confirmation("rpl_1"));
    const late = rig.listen(ABLE, "late");
    const [asked] = questionsIn(late);
    give(rig, able, "rpl_1", "reject");
    expect(faultOf(() => late.subscription.repeat(String(asked?.event.event_id))).code).toBe("not_found");
    expect(late.subscription.listener.openQuestions().events).toEqual([]);
    const later = rig.listen(ABLE, "later");
    expect(questionsIn(later)).toEqual([]);
  });
});
