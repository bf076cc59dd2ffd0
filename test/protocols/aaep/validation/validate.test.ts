import { describe, expect, it } from "vitest";
import { Fault } from "../../../../src/base/errors.js";
import { allFaults, assertEvent } from "../../../../src/protocols/aaep/validation/validate.js";
import { altered, EVENT_NAMES, example, type Json, mutations } from "../../../schemas/fixtures.js";
import { isTried } from "../../../support/extent.js";
import { EVENT_BOUNDS } from "./bounds.js";

const CORE = "https://aaep-protocol.org/context/v1";
const BANK = "https://bank.example/context/v1";

/** Whether assertEvent passes `value`, and all its faults. */
function parseEvent(value: unknown) {
  try {
    assertEvent(value);
    return { kind: "ok", faults: [] } as const;
  } catch {
    return { kind: "invalid", faults: allFaults(value) } as const;
  }
}

/** The first fault of `value`, as assertEvent throws it. */
function faultOf(value: unknown): Fault {
  try {
    assertEvent(value);
  } catch (fault) {
    if (fault instanceof Fault) return fault;
    throw fault;
  }
  throw new Error("the event was accepted");
}

/** A copy of `value` with the member at `pointer` set. */
function withMember(value: Json, pointer: string, member: unknown): Json {
  const [step = "", ...rest] = pointer.slice(1).split("/");
  const inner = value[step];
  const next = rest.length === 0 ? member : withMember({ ...(inner as Json) }, `/${rest.join("/")}`, member);
  return { ...value, [step]: next };
}

describe("events of the chapters", () => {
  it.each(EVENT_NAMES)("%s is accepted", (name) => {
    expect(parseEvent(example(name)).kind).toBe("ok");
    expect(allFaults(example(name))).toEqual([]);
  });

  it.each(EVENT_NAMES)("%s: the fast answer and the full diagnosis agree however it is spoilt", (name) => {
    const row = EVENT_NAMES.indexOf(name);
    for (const spoilt of mutations(example(name)).filter((_, column) => isTried(row, column, 4, 1))) {
      const parsed = parseEvent(spoilt);
      expect([parsed.kind === "ok", spoilt]).toEqual([allFaults(spoilt).length === 0, spoilt]);
      if (parsed.kind === "invalid") {
        // The one that is thrown tells the others too (R20).
        const thrown = faultOf(spoilt);
        const [first, second] = parsed.faults;
        if (first === undefined) throw new Error("refused without a fault");
        expect([thrown.code, thrown.pointer, thrown.rule]).toEqual([first.code, first.pointer, first.rule]);
        const told = second === undefined ? first.sentence : `${first.sentence} Also: ${second.sentence}`;
        expect(thrown.sentence.slice(0, told.length)).toBe(told);
        expect(thrown.sentence).toMatch(/^[^\n]{10,}\.$/s);
        expect(first.sentence).toMatch(/^[^\n]{10,}\.$/s);
        expect(first.rule).toMatch(/^(AAEP §|R)\d/);
      }
    }
  });

  it("a core type written as a URI is the same type", () => {
    const type = "https://aaep-protocol.org/types/agent.state.changed";
    expect(parseEvent(altered("agent.state.changed", { type })).kind).toBe("ok");
    expect(faultOf(altered("agent.state.changed", { type, to_state: "" })).pointer).toBe("/to_state");
  });

  it("language variants of human-readable fields are no stray fields", () => {
    const variants = { "summary_normal_es-419": "Pensando.", summary_terse_yo: "Ń ronú." };
    expect(parseEvent(altered("agent.state.changed", variants)).kind).toBe("ok");
    expect(faultOf(altered("agent.state.changed", { summary_normal_yo: "" })).pointer).toBe("/summary_normal_yo");
    expect(faultOf(altered("agent.state.changed", { from_state_yo: "x" })).pointer).toBe("/from_state_yo");
    expect(parseEvent(altered("agent.awaiting.confirmation", { action_ja: "送金", consequence_ja: "即時" })).kind).toBe(
      "ok",
    );
    expect(parseEvent(altered("agent.handoff.requested", { reason_fr: "Impôts" })).kind).toBe("ok");
  });
});

describe("R2, AAEP §9.3.1(9): summaries", () => {
  const LEVELS = ["summary_terse", "summary_normal", "summary_detailed"];
  it.each(EVENT_NAMES)(
    "%s may have them at every level and in every language, and may be said to have none",
    (name) => {
      const all = Object.fromEntries(LEVELS.flatMap((field) => [field, `${field}_yo`].map((key) => [key, "Said."])));
      expect(() => assertEvent(altered(name, all))).not.toThrow();
      for (const field of LEVELS)
        for (const key of [field, `${field}_yo`])
          for (const wrong of ["", 5, "x".repeat(16_385)])
            expect(() => assertEvent(altered(name, { ...all, [key]: wrong }))).toThrow();
    },
  );
});

describe("the defects of §3.11", () => {
  const state = "agent.state.changed";
  const spoilt = (changes: Json) => altered(state, changes);
  const defects: readonly (readonly [string, Json, string, string, string, RegExp])[] = [
    [
      "a missing id",
      spoilt({ event_id: undefined }),
      "invalid_event",
      "/event_id",
      "AAEP §3.2.3",
      /missing; aaep:agent/,
    ],
    [
      "a time in words",
      spoilt({ timestamp: "May 24" }),
      "invalid_event",
      "/timestamp",
      "AAEP §3.2.5",
      /RFC 3339.*May 24/,
    ],
    ["an unknown type", spoilt({ type: "aaep:agent.x" }), "unknown_type", "/type", "AAEP §3.9", /none of the twelve/],
    [
      "an undeclared extension prefix",
      spoilt({ extensions: { bank: { account: 1 } } }),
      "invalid_event",
      "/extensions/bank",
      "AAEP §7",
      /not declared/,
    ],
    [
      "a stray field",
      spoilt({ mood: "good" }),
      "invalid_event",
      "/mood",
      "AAEP §3.5",
      /is not a field of aaep:agent.+ move it into `extensions`/,
    ],
  ];
  it.each(defects)("%s is caught", (_name, event, code, pointer, rule, words) => {
    const fault = faultOf(event);
    expect([fault.code, fault.pointer, fault.rule]).toEqual([code, pointer, rule]);
    expect(fault.sentence).toMatch(words);
    expect(fault.eventId).toBe(event.event_id);
  });
});

describe("bounds", () => {
  it.each(EVENT_BOUNDS)("$example $pointer", ({ example: name, pointer, passes, fails, rule, beside = {} }) => {
    const base = altered(name, beside);
    expect(allFaults(withMember(base, pointer, passes)).map(({ message }) => message)).toEqual([]);
    const fault = faultOf(withMember(base, pointer, fails));
    expect([fault.code, fault.pointer, fault.rule]).toEqual(["invalid_event", pointer, rule]);
  });

  it("R20: a sentence says what to do", () => {
    expect(faultOf(altered("agent.awaiting.confirmation", { timeout_seconds: 0 })).sentence).toBe(
      "`timeout_seconds` must be between 1 and 86400; it is 0.",
    );
    expect(faultOf(altered("agent.awaiting.clarification", { choices: [] })).sentence).toBe(
      "`choices` must have between 2 and 32 entries; it has 0.",
    );
    // Beyond what a number of JSON holds in every language.
    expect(faultOf(altered("agent.progress.updated", { progress: { step: 2 ** 53 } })).sentence).toBe(
      "`progress.step` must be at most 9007199254740991; it is 9007199254740992.",
    );
    // As it comes out of protobuf.
    expect(faultOf(altered("agent.progress.updated", { progress: { step: String(2n ** 60n) } })).sentence).toBe(
      '`progress.step` must be a whole number between -9007199254740991 and 9007199254740991; it is "1152921504606846976".',
    );
  });

  it("T5: the content of a token is not repeated", () => {
    const fault = faultOf(altered("agent.awaiting.confirmation", { reply_token: "rpl_s3cr3t!" }));
    expect(fault.pointer).toBe("/reply_token");
    expect(fault.message).not.toContain("s3cr3t");
  });
});

describe("the order of §3.9", () => {
  const bad: readonly (readonly [string, unknown])[] = [
    ["", []],
    [
      "/session_id",
      altered("agent.state.changed", { session_id: undefined, verbosity: 5, to_state: "", event_id: "x" }),
    ],
    ["/verbosity", altered("agent.state.changed", { verbosity: 5, "@context": "https://x.example", to_state: "" })],
    [
      "/@context",
      altered("agent.state.changed", { "@context": "https://x.example", type: "aaep:agent.x", event_id: "x" }),
    ],
    ["/type", altered("agent.state.changed", { type: "aaep:agent.x", event_id: "x" })],
    ["/event_id", altered("agent.state.changed", { event_id: "x", to_state: "", extensions: { b: {} } })],
    ["/to_state", altered("agent.state.changed", { to_state: "", extensions: { b: {} } })],
    ["/extensions/b", altered("agent.state.changed", { extensions: { b: { c: "a".repeat(16_385) } } })],
  ];
  it.each(bad)("%s comes first", (pointer, value) => {
    expect(faultOf(value).pointer).toBe(pointer);
  });

  it("allFaults tells every place once", () => {
    const spoilt = altered("agent.state.changed", { event_id: 5, to_state: "", mood: "good", extensions: { b: {} } });
    expect(allFaults(spoilt).map(({ pointer }) => pointer)).toEqual([
      "/event_id",
      "/to_state",
      "/mood",
      "/extensions/b",
    ]);
  });
});

describe("R4: urgency", () => {
  const critical = [
    "agent.session.errored",
    "agent.awaiting.confirmation",
    "agent.awaiting.clarification",
    "agent.handoff.requested",
  ];
  it.each(critical)("%s is critical and nothing else", (name) => {
    for (const urgency of ["normal", undefined]) {
      const fault = faultOf(altered(name, { urgency }));
      expect([fault.code, fault.pointer, fault.rule]).toEqual(["urgency_not_allowed", "/urgency", "R4"]);
    }
  });
  it.each(["agent.output.streaming", "agent.progress.updated"])("%s is never critical", (name) => {
    const fault = faultOf(altered(name, { urgency: "critical" }));
    expect([fault.code, fault.pointer, fault.rule]).toEqual(["urgency_not_allowed", "/urgency", "R4"]);
    expect(parseEvent(altered(name, { urgency: undefined })).kind).toBe("ok");
  });
  it("other types may be critical", () => {
    expect(parseEvent(altered("agent.state.changed", { urgency: "critical" })).kind).toBe("ok");
  });
});

describe("§6.4.1: default decisions", () => {
  const cases = [
    [{ reversibility: "irreversible", risk_level: "high" }, false],
    [{ reversibility: "irreversible", risk_level: "medium" }, false],
    [{ reversibility: "irreversible", risk_level: "low" }, true],
    [{ reversibility: undefined, irreversible: true, risk_level: "high" }, false],
    [{ reversibility: "reversible", irreversible: true, risk_level: "medium" }, false],
    [{ reversibility: "reversible", risk_level: "high" }, true],
  ] as const;
  it.each(cases)("accept with %j", (fields, allowed) => {
    const event = altered("agent.awaiting.confirmation", { ...fields, default_decision: "accept" });
    expect(parseEvent(event).kind).toBe(allowed ? "ok" : "invalid");
    if (!allowed) {
      const fault = faultOf(event);
      expect([fault.code, fault.pointer, fault.rule]).toEqual([
        "default_not_allowed",
        "/default_decision",
        "AAEP §6.4.1",
      ]);
    }
    expect(parseEvent({ ...event, default_decision: "reject" }).kind).toBe("ok");
  });
});

describe("§4.4.2: clarifications that somebody can answer", () => {
  const ask = (fields: Json): Json => {
    const {
      accepted_response_kinds: _,
      choices: __,
      default_response: ___,
      ...rest
    } = example("agent.awaiting.clarification") as Json;
    return { ...rest, ...fields };
  };
  const choices = ["60", "65"].map((value) => ({ value, label: `Age ${value}` }));
  const [first] = choices;

  it.each([
    ["choices alone are accepted and there are none", { accepted_response_kinds: ["multiple_choice"] }, "/choices"],
    ["two choices are the same", { choices: [...choices, { value: "60", label: "Sixty" }] }, "/choices/2/value"],
    [
      "two choices are the same beside another kind",
      { choices: [first, first], accepted_response_kinds: ["freetext", "multiple_choice"] },
      "/choices/1/value",
    ],
    ["the default is no choice", { choices, default_response: "61" }, "/default_response"],
    [
      "the default is a choice's label",
      { choices, accepted_response_kinds: ["multiple_choice"], default_response: "Age 65" },
      "/default_response",
    ],
    ["a number is written in letters", { accepted_response_kinds: ["numeric"], default_response: "abc" }],
    ["a number is infinite", { accepted_response_kinds: ["numeric"], default_response: "1e999" }],
    ["a number has a unit", { accepted_response_kinds: ["numeric"], default_response: "65 years" }],
    ["true is written as yes", { accepted_response_kinds: ["yes_no"], default_response: "yes" }],
    ["false is written as no", { accepted_response_kinds: ["yes_no"], default_response: "no" }],
    ["it is none of several kinds", { accepted_response_kinds: ["yes_no", "numeric"], default_response: "maybe" }],
    ["no kind is known", { accepted_response_kinds: ["essay"], default_response: "x" }, "/accepted_response_kinds/0"],
    [
      "it is neither a choice nor a number",
      { choices, accepted_response_kinds: ["multiple_choice", "numeric"], default_response: "Age 65" },
    ],
  ] as readonly [string, Json, string?][])("%s: refused", (_, fields, pointer = "/default_response") => {
    expect(faultOf(ask(fields))).toMatchObject({ code: "invalid_event", pointer, rule: "AAEP §4.4.2" });
    expect(allFaults(ask(fields)).map((fault) => fault.pointer)).toEqual([pointer]);
  });

  it.each([
    {},
    { choices },
    { choices, default_response: "65" },
    { choices, accepted_response_kinds: ["multiple_choice"], default_response: "60" },
    { choices, accepted_response_kinds: ["multiple_choice", "freetext"], default_response: "Whatever." },
    { choices, accepted_response_kinds: ["freetext"], default_response: "Whatever." },
    { accepted_response_kinds: ["multiple_choice", "numeric"] },
    { accepted_response_kinds: ["yes_no"], default_response: "false" },
    { accepted_response_kinds: ["yes_no", "freetext"], default_response: "no" },
    { accepted_response_kinds: ["numeric"], default_response: "-6.5e1" },
    { choices, accepted_response_kinds: ["multiple_choice", "numeric"], default_response: "62" },
  ])("%j: accepted", (fields) => {
    expect(allFaults(ask(fields))).toEqual([]);
    expect(parseEvent(ask(fields)).kind).toBe("ok");
  });
});

describe("extensions", () => {
  const extended = (changes: Json): Json => ({
    ...altered("agent.state.changed", { from_state: undefined, to_state: undefined }),
    "@context": [CORE, BANK],
    type: "bank:card.blocked",
    ...changes,
  });
  it("§7: an unknown event type of a declared prefix passes with any payload", () => {
    expect(parseEvent(extended({ card: { last: [1, { x: null }] }, mood: "good" })).kind).toBe("ok");
    expect(parseEvent(extended({ type: "https://bank.example/types/card.blocked", "@context": CORE })).kind).toBe("ok");
  });
  it("an undeclared or reserved prefix of a type is refused", () => {
    for (const changes of [{ "@context": CORE }, { "@context": [CORE] }, { type: "xsd:card.blocked" }]) {
      const fault = faultOf(extended(changes));
      expect([fault.code, fault.pointer]).toEqual(["unknown_type", "/type"]);
    }
  });
  it("a misspelt core type gets the nearest one, in either spelling, unless it is very long", () => {
    const sentenceFor = (type: string) => faultOf(extended({ type })).sentence;
    expect(sentenceFor("aaep:agent.tool.invokedd")).toContain("Did you mean aaep:agent.tool.invoked?");
    expect(sentenceFor("https://aaep-protocol.org/types/agent.tool.complete")).toContain(
      "Did you mean aaep:agent.tool.completed?",
    );
    expect(sentenceFor("aaep:x")).toContain("Use one of them");
    expect(sentenceFor(`aaep:agent.tool.invoked${"d".repeat(300)}`)).toContain("Use one of them");
  });
  it("even an extension's event may not use the protocol's own names", () => {
    for (const name of ["aaep_mood", "@id", "@graph", "@base", "@vocab"]) {
      expect([name, faultOf(extended({ [name]: "x" })).pointer]).toEqual([name, `/${name}`]);
    }
    expect(parseEvent(extended({ aaep_version: "1.0.0" })).kind).toBe("ok");
    expect(faultOf(extended({ producer: {} })).pointer).toBe("/producer/agent_id");
  });
  it("a prefix whose vocabulary is known must be declared with it", () => {
    const event = altered("agent.state.changed", { "@context": [CORE, BANK], extensions: { aaepd: { by: "daemon" } } });
    expect(faultOf(event).pointer).toBe("/extensions/aaepd");
    expect(parseEvent({ ...event, "@context": [CORE, "https://aaepd.dev/context/v1"] }).kind).toBe("ok");
    const other = { ...event, "@context": [CORE, "https://other.example"], extensions: { bank: {} } };
    expect(parseEvent(other).kind).toBe("ok");
  });
  it.each(["aaep", "xsd", "rdf", "rdfs", "@id", "a b", ""])("the prefix %j is refused", (prefix) => {
    const event = altered("agent.state.changed", { "@context": [CORE, BANK], extensions: { [prefix]: {} } });
    expect(faultOf(event).pointer).toBe(`/extensions/${prefix}`);
  });
});

/** `levels` objects inside each other. */
function nested(levels: number): Json {
  let value: Json = {};
  for (let level = 1; level < levels; level++) value = { x: value };
  return value;
}

describe("§3.7: soft limits", () => {
  const context = (levels: number) => altered("agent.handoff.requested", { packaged_context: nested(levels) });
  it("8 levels pass, 9 do not", () => {
    expect(parseEvent(context(7)).kind).toBe("ok");
    const fault = faultOf(context(8));
    expect([fault.code, fault.pointer, fault.rule]).toEqual([
      "invalid_event",
      `/packaged_context${"/x".repeat(7)}`,
      "AAEP §3.7",
    ]);
  });
  it("10,000 levels yield a fault, not a stack overflow", () => {
    for (const text of [
      `${'{"x":'.repeat(9_999)}{}${"}".repeat(9_999)}`,
      `{"x":${"[".repeat(9_999)}${"]".repeat(9_999)}}`,
    ]) {
      const deep: unknown = JSON.parse(text);
      expect(faultOf(deep).pointer).toBe("/@context");
      expect(faultOf(altered("agent.handoff.requested", { packaged_context: deep })).rule).toBe("AAEP §3.7");
    }
  });
  it("16,384 characters of any script pass in a free string, one more does not", () => {
    const event = (text: string) => altered("agent.handoff.requested", { packaged_context: { note: text } });
    expect(parseEvent(event("日".repeat(16_384))).kind).toBe("ok");
    expect(parseEvent(event("😀".repeat(16_000))).kind).toBe("ok");
    expect(faultOf(event("日".repeat(16_385))).pointer).toBe("/packaged_context/note");
  });
});
