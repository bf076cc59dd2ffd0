// The members of the daemon's extension that agents may set, each in its events and with its values alone.
import { describe, expect, it } from "vitest";
import { assertAgentsMembers } from "../../../../src/protocols/aaep/validation/agents-members.js";
import { assertPublishedEvent } from "../../../../src/protocols/aaep/validation/validate.js";
import { altered } from "../../../schemas/fixtures.js";
import { faultOf } from "../../../support/fault-of.js";

type Member = readonly [
  name: string,
  rule: string,
  kinds: readonly string[],
  fits: readonly unknown[],
  not: readonly unknown[],
];

const QUESTIONS = ["awaiting.confirmation", "awaiting.clarification"];
const KINDS = [...QUESTIONS, "tool.invoked", "tool.completed", "state.changed", "progress.updated", "session.started"];

const MEMBERS: readonly Member[] = [
  ["accepts_modified_action", "AAEP §6.3", ["awaiting.confirmation"], [true, false], ["true", 1, null]],
  ["approved_by", "R5a", ["tool.invoked"], ["host"], ["maria", "", true, null]],
  ["breach", "R38", ["state.changed"], ["R5", "x".repeat(100)], ["", "x".repeat(101), true, null]],
  ["host_dialog", "R5b", QUESTIONS, [true, false], ["true", 1, null, {}]],
  [
    "call_id",
    "R5c",
    ["tool.invoked", "tool.completed", "progress.updated", ...QUESTIONS],
    ["a", "😀".repeat(256), "toolu_1/\u0000"],
    ["", "a".repeat(257), "😀".repeat(257), 7, null, ["a"]],
  ],
  ["tool_call_id", "R5c", ["progress.updated"], ["call_1"], ["", "1", "call_", "call_-", `call_${"a".repeat(65)}`, 7]],
  ["consent", "R5c", ["tool.invoked"], ["rpl_1", ""], [7, null, ["rpl_1"]]],
];

const check = (kind: string, name: string, value: unknown): void =>
  assertAgentsMembers({ type: `aaep:agent.${kind}`, extensions: { aaepd: { [name]: value } } } as never);

describe.each(MEMBERS)("extensions.aaepd.%s", (name, rule, kinds, fits, not) => {
  const refused = { code: "invalid_event", pointer: `/extensions/aaepd/${name}`, rule };

  it("has these values, and no others", () => {
    for (const kind of kinds) {
      for (const value of fits) expect(() => check(kind, name, value), JSON.stringify(value)).not.toThrow();
      for (const value of not)
        expect(
          faultOf(() => check(kind, name, value)),
          JSON.stringify(value),
        ).toMatchObject(refused);
    }
  });

  it("stands in its events alone", () => {
    for (const kind of KINDS.filter((one) => !kinds.includes(one)))
      for (const value of fits)
        expect(
          faultOf(() => check(kind, name, value)),
          kind,
        ).toMatchObject(refused);
    expect(faultOf(() => check("unheard.of", name, fits[0]))).toMatchObject(refused);
  });
});

it("R31: any other member is the daemon's", () => {
  const told = { "@context": ["https://aaep-protocol.org/context/v1", "https://aaepd.dev/context/v1"] };
  const extended = altered("agent.tool.invoked", { ...told, extensions: { aaepd: { by: "daemon" } } });
  expect(faultOf(() => assertPublishedEvent(extended))).toMatchObject({ pointer: "/extensions/aaepd/by", rule: "R31" });
  for (const name of ["by", "decision", "constructor", "__proto__x", "x".repeat(101)])
    expect(faultOf(() => check("tool.invoked", name, true))).toMatchObject({
      code: "invalid_event",
      rule: "R31",
      pointer: `/extensions/aaepd/${name.slice(0, 100)}`,
      sentence: `Leave out \`extensions.aaepd.${name.slice(0, 100)}\`: of what stands there agents say ${MEMBERS.map(
        ([own]) => own,
      )
        .sort()
        .join(", ")} and resume_token, and the daemon the rest.`,
    });
});
