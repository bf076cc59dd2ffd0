// R20: nobody is to correct one mistake at a time.
import { describe, expect, it } from "vitest";
import { rejectionOfFault } from "../../../../src/protocols/aaep/subscriber/subscriber-messages.js";
import { severalSentences } from "../../../../src/protocols/aaep/validation/fault-words.js";
import { assertEvent } from "../../../../src/protocols/aaep/validation/validate.js";
import { assertSubscriptionRequest } from "../../../../src/protocols/aaep/validation/validate-messages.js";
import { faultOf } from "../../../support/fault-of.js";

const REQUEST = { type: "subscription.request", aaep_version: "1.0.0", subscriber_id: "s" };

describe("R20: a refusal tells all that is wrong", () => {
  it("a request is rejected with every place, the first one's pointer and rule with it", () => {
    const capabilities = { max_events_per_second: 0, pace_wpm: 5, languages: "loud" };
    const fault = faultOf(() => assertSubscriptionRequest({ ...REQUEST, capabilities }));
    for (const name of Object.keys(capabilities)) expect(fault.sentence).toContain(`\`capabilities.${name}\` must be `);
    expect(fault.pointer).toMatch(/^\/capabilities\/(max_events_per_second|pace_wpm|languages)$/);
    const { reason_message: message, reason_code: code } = rejectionOfFault(fault);
    expect([code, message]).toEqual(["capabilities_incompatible", fault.sentence]);
  });

  it("of an event too", () => {
    const { code, pointer, sentence, tellsSeveral } = faultOf(() =>
      assertEvent({ type: "aaep:agent.session.started", session_id: 7 }),
    );
    expect(code).toBe("invalid_event");
    expect(tellsSeveral).toBe(true);
    expect(sentence.startsWith(`\`${pointer?.slice(1)}\` is missing`)).toBe(true);
    for (const name of ["@context", "event_id", "timestamp", "producer", "summary_normal"])
      expect(sentence).toContain(`\`${name}\``);
  });

  it("eight at most, each bounded, and only those are put into words", () => {
    let madeCount = 0;
    const sentences = Array.from({ length: 5000 }, (_, index) => () => {
      madeCount += 1;
      return `${index} ${"x".repeat(10_000)}`;
    });
    const told = severalSentences(sentences.map((sentence, index) => (index === 0 ? () => "First." : sentence)));
    expect(madeCount).toBe(7);
    expect(told).toMatch(/^First\. Also: 1 x.* 4992 more places are wrong\.$/);
    expect(told.length).toBeLessThan(4000);
  });

  it.each([
    [8, ""],
    [9, " 1 more place is wrong."],
    [10, " 2 more places are wrong."],
  ])("of %i the number of those that are not told is in words", (count, rest) => {
    const told = severalSentences(Array.from({ length: count }, (_, index) => () => `It is ${index}.`));
    const others = [1, 2, 3, 4, 5, 6, 7].map((index) => `It is ${index}.`).join(" ");
    expect(told).toBe(`It is 0. Also: ${others}${rest}`);
  });

  it("whatever a peer sends, the rejection fits its schema", () => {
    const capabilities = Object.fromEntries([
      ["languages", Array.from({ length: 2000 }, () => "?")],
      ["pace_wpm", "x".repeat(9000)],
    ]);
    const fault = faultOf(() => assertSubscriptionRequest({ ...REQUEST, capabilities }));
    expect(String(rejectionOfFault(fault).reason_message).length).toBeLessThanOrEqual(4096);
  });
});
