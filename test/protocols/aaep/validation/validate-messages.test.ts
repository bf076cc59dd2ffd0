import { describe, expect, it } from "vitest";
import { Fault } from "../../../../src/base/errors.js";
import * as messages from "../../../../src/protocols/aaep/validation/validate-messages.js";
import { altered, example, type Json } from "../../../schemas/fixtures.js";
import { CAPABILITY_BOUNDS } from "./bounds.js";

type Check = (value: unknown) => void;
const request: Check = (value) => messages.assertSubscriptionRequest(value);
const renegotiate: Check = (value) => messages.assertRenegotiate(value);
const accepted: Check = (value) => messages.assertSubscriptionAccepted(value);
const rejected: Check = (value) => messages.assertSubscriptionRejected(value);
const confirmation: Check = (value) => messages.assertConfirmationReply(value);
const clarification: Check = (value) => messages.assertClarificationReply(value);
const manifest: Check = (value) => messages.assertManifest(value);
const skip: Check = (value) => messages.assertSkip(value);
const listPending: Check = (value) => messages.assertListPending(value);
const repeat: Check = (value) => messages.assertRepeat(value);
const resume: Check = (value) => messages.assertResumeSession(value);

function faultOf(check: Check, value: unknown): Fault {
  try {
    check(value);
  } catch (fault) {
    if (fault instanceof Fault) return fault;
    throw fault;
  }
  throw new Error("the message was accepted");
}

const reply: Json = {
  type: "confirmation.reply",
  reply_token: "rpl_4f8a2e7d9c1b6a3f",
  decision: "accept",
  subscription_id: "sub_1",
  timestamp: "2026-05-24T14:22:25Z",
};
const answer: Json = { ...reply, type: "clarification.reply", decision: undefined, response: "65" };
delete answer.decision;
const text = (length: number): string => "a".repeat(length);

const rejection: Json = { type: "subscription.rejected", reason_code: "rate_limit", reason_message: "Full." };

const good: readonly (readonly [string, Check, Json])[] = [
  ["subscription.request", request, example("subscription.request")],
  ["subscription.renegotiate", renegotiate, example("subscription.renegotiate")],
  ["subscription.accepted", accepted, example("subscription.accepted")],
  ["producer.manifest", manifest, example("producer.manifest")],
  ["confirmation.reply", confirmation, reply],
  ["clarification.reply", clarification, answer],
  ["subscription.rejected", rejected, rejection],
];

describe("messages of the protocol", () => {
  it.each(good)(
    "%s passes, and what a subscriber says passes with fields of a later version too (AAEP §12)",
    (name, check, value) => {
      expect(check(value)).toBeUndefined();
      const later = { ...value, invented_later: { x: 1 } };
      // What the daemon says in these has the members of their paragraphs alone (R19).
      if (name === "subscription.accepted" || name === "subscription.rejected")
        expect(faultOf(check, later).pointer).toBe("/invented_later");
      else expect(check(later)).toBeUndefined();
    },
  );
  it.each(good.filter(([name]) => name !== "capabilities"))(
    "%s: each required field is missed",
    (_name, check, value) => {
      expect(faultOf(check, []).pointer).toBe("");
      const { type: _type, ...rest } = value;
      const fault = faultOf(check, rest);
      expect([fault.code, fault.pointer]).toEqual(["invalid_message", "/type"]);
      expect(faultOf(check, { ...value, type: "x" }).pointer).toBe("/type");
    },
  );
});

describe("capabilities", () => {
  const withCapability = (pointer: string, member: unknown) =>
    altered("subscription.request", { capabilities: { [pointer.slice(1)]: member } });
  it.each(CAPABILITY_BOUNDS)("$pointer", ({ pointer, passes, fails, rule }) => {
    expect(request(withCapability(pointer, passes))).toBeUndefined();
    const fault = faultOf(request, withCapability(pointer, fails));
    expect([fault.code, fault.rule]).toEqual(["capabilities_incompatible", rule]);
    expect(fault.pointer?.startsWith(`/capabilities${pointer}`)).toBe(true);
    expect(
      faultOf(renegotiate, {
        ...example("subscription.renegotiate"),
        ...withCapability(pointer, fails),
        type: "subscription.renegotiate",
      }).rule,
    ).toBe(rule);
  });
  it.each([
    ["/capabilities/languages/1", { languages: ["en", "en_US"] }],
    ["/capabilities/event_filters/include/0", { event_filters: { include: ["aaep:*.started"] } }],
    ["/capabilities/event_filters/exclude/0", { event_filters: { exclude: [text(257)] } }],
    ["/capabilities/event_filters/exclude/0", { event_filters: { exclude: [""] } }],
    ["/capabilities/aaepd/max_chars", { aaepd: { max_chars: 79 } }],
    ["/capabilities/aaepd/max_chars", { aaepd: { max_chars: 16_385 } }],
    ["/capabilities/aaepd/paused", { aaepd: { paused: "yes" } }],
  ])("%s is pointed at", (pointer, spoilt) => {
    const fault = faultOf(request, altered("subscription.request", { capabilities: spoilt }));
    expect([fault.code, fault.pointer]).toEqual(["capabilities_incompatible", pointer]);
  });
  it("AAEP §12.6: words of a later version are no mistake, and what is wrong beside them is", () => {
    for (const later of [{ cognitive_load: "immense" }, { preferred_verbosity: "chatty", cognitive_load: "low" }]) {
      const changed = (more: object) => altered("subscription.request", { capabilities: { ...later, ...more } });
      expect(request(changed({ pace_wpm: 200 }))).toBeUndefined();
      expect(faultOf(request, changed({ pace_wpm: 5 })).pointer).toBe("/capabilities/pace_wpm");
      expect(faultOf(request, changed({ cognitive_load: 5 })).pointer).toBe("/capabilities/cognitive_load");
    }
  });
  it("R32: unknown values in lists and unknown extensions are left to negotiation", () => {
    const known = {
      coalesce_boundaries: ["clause", "sentence"],
      supported_conformance_levels: [1, 7],
      haptic: 5,
      braille: { cells: 40 },
    };
    expect(request(altered("subscription.request", { capabilities: known }))).toBeUndefined();
    expect(request(altered("subscription.request", { capabilities: {} }))).toBeUndefined();
  });
});

describe("bounds of messages", () => {
  const asked = example("subscription.request");
  const changed = example("subscription.renegotiate");
  const rows: readonly (readonly [string, Check, Json, unknown, unknown, string, string])[] = [
    ["subscriber_id", request, asked, text(256), text(257), "invalid_message", "AAEP §5.2"],
    ["aaep_version", request, asked, "0.1.0-draft", "one", "version_unsupported", "AAEP §5.2"],
    ["subscription_id", renegotiate, changed, "sub_1", `sub_${text(65)}`, "invalid_message", "AAEP §5.7.1"],
    ["negotiation_notes", accepted, example("subscription.accepted"), "x", 5, "invalid_message", "AAEP §5.4"],
    ["reason_code", rejected, rejection, "unknown", "tired", "invalid_message", "AAEP §5.5"],
    ["modified_action", confirmation, reply, {}, "x", "invalid_message", "AAEP §6.3"],
    ["timestamp", confirmation, reply, "2026-02-28T00:00:00Z", "2026-02-30T00:00:00Z", "invalid_message", "AAEP §6.3"],
    [
      "timestamp",
      clarification,
      answer,
      "2026-02-28T00:00:00Z",
      "2026-02-30T00:00:00Z",
      "invalid_message",
      "AAEP §6.3",
    ],
    ["response", clarification, answer, true, { x: 1 }, "invalid_message", "AAEP §6.3"],
    ["agent_id", manifest, example("producer.manifest"), "a", "", "invalid_message", "AAEP §5.10.1"],
  ];
  it.each(rows)("%s", (field, check, base, passes, fails, code, rule) => {
    expect(check({ ...base, [field]: passes })).toBeUndefined();
    const fault = faultOf(check, { ...base, [field]: fails });
    expect([fault.code, fault.pointer, fault.rule]).toEqual([code, `/${field}`, rule]);
  });

  it("R17: resume_after is a text of at most 1,024 characters", () => {
    const resuming = (resume_after: unknown) =>
      altered("subscription.request", { extensions: { aaepd: { resume_after } } });
    for (const good of [`c1.${"0".repeat(32)}.7`, "evt_1", "x", "x".repeat(1024)])
      expect(request(resuming(good))).toBeUndefined();
    for (const bad of [5, "", null, ["c1.a.1"], { sess_1: "evt_1" }, "x".repeat(1025)]) {
      const fault = faultOf(request, resuming(bad));
      expect([fault.pointer, fault.rule]).toEqual(["/extensions/aaepd/resume_after", "R17"]);
    }
  });
  it("R19: what was given may be sent back, and a key that is none is not repeated", () => {
    const given = { key: "0123", limits: { queue_events: 256, later: true }, heartbeat_seconds: 0.5 };
    expect(request(altered("subscription.request", { capabilities: { aaepd: given } }))).toBeUndefined();
    const fault = faultOf(request, altered("subscription.request", { capabilities: { aaepd: { key: 8675309 } } }));
    expect([fault.pointer, fault.rule]).toEqual(["/capabilities/aaepd/key", "R26"]);
    expect(fault.message).not.toContain("8675309");
  });
});

it("a huge bad message is refused where it is bad, without a list of all that is", () => {
  const languages = Array.from({ length: 40_000 }, () => 0);
  const fault = faultOf(request, altered("subscription.request", { capabilities: { languages } }));
  expect([fault.code, fault.pointer]).toEqual(["capabilities_incompatible", "/capabilities/languages"]);
  expect(fault.sentence).toMatch(/ 57 more places are wrong\.$/);
  expect(request(altered("subscription.request", { extensions: { example: { languages } } }))).toBeUndefined();
});

describe("the daemon's own messages", () => {
  it("pass with and without their type", () => {
    expect(skip({})).toBeUndefined();
    expect(skip({ type: "aaepd.skip", session_id: "sess_1", output_id: "out_1" })).toBeUndefined();
    expect(listPending({})).toBeUndefined();
    expect(repeat({ event_id: "evt_1", subscription_id: "sub_1" })).toBeUndefined();
    expect(resume({ session_id: "sess_1", resume_token: "t" })).toBeUndefined();
  });
  it("R26: an output is named with its session", () => {
    expect(faultOf(skip, { output_id: "out_1" }).pointer).toBe("/session_id");
  });
  it.each([
    ["/event_id", repeat, {}, "R28"],
    ["/event_id", repeat, { event_id: "x" }, "R28"],
    ["/all", listPending, { all: true }, "R28"],
    ["/resume_token", resume, { session_id: "sess_1" }, "R8"],
  ] as const)("%s is pointed at", (pointer, check, value, rule) => {
    const fault = faultOf(check, value);
    expect([fault.code, fault.pointer, fault.rule]).toEqual(["invalid_message", pointer, rule]);
  });
});
