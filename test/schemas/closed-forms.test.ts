// The closed forms of AAEP §5.4, §5.5, §6.3 and §6.5: what the daemon sends is of them, and so is what its client sends.
import { describe, expect, it } from "vitest";
import { isSubscriptionAccepted, isSubscriptionRejected } from "#gen/aaep/validators.js";
import { CLOSED_FORMS, type ClosedType, isClosedForm } from "../support/oracles/closed-forms.js";
import { flatSchemas } from "../support/schema-values.js";
import { example } from "./fixtures.js";

const SUBSCRIPTION = "sub_8a4f2c9d1e7b5f3a";
const REPLY = { reply_token: "rpl_xyz", subscription_id: SUBSCRIPTION, timestamp: "2026-05-24T14:22:24.812Z" };

const EXAMPLES: Readonly<Record<ClosedType, Record<string, unknown>>> = {
  "subscription.accepted": example("subscription.accepted"),
  "subscription.rejected": { type: "subscription.rejected", reason_code: "unknown", reason_message: "Why." },
  "confirmation.reply": { ...REPLY, type: "confirmation.reply", decision: "accept" },
  "clarification.reply": { ...REPLY, type: "clarification.reply", response: "67" },
};

describe.each(Object.keys(CLOSED_FORMS) as ClosedType[])("R19: %s", (type) => {
  it("has the members of its paragraph, all that are required, and no others", () => {
    const whole = EXAMPLES[type];
    expect(isClosedForm(type, whole)).toBe(true);
    for (const stray of ["extensions", "key", "aaepd"])
      expect([isClosedForm(type, { ...whole, [stray]: {} }), stray]).toEqual([false, stray]);
    for (const name of CLOSED_FORMS[type].required) {
      const { [name]: _, ...rest } = whole;
      expect([isClosedForm(type, rest), name]).toEqual([false, name]);
    }
  });

  it("has no member in our schema that its paragraph does not list", () => {
    const { required, optional } = CLOSED_FORMS[type];
    const schema = [...flatSchemas().values()].find(({ properties }) => properties?.type?.const === type);
    expect(Object.keys(schema?.properties ?? {}).sort()).toEqual([...required, ...optional].sort());
    expect([...(schema?.required ?? [])].sort()).toEqual([...required].sort());
  });
});

it("R19: what the daemon says in them is closed by our schemas too, and replies stay open to later versions (AAEP §12.6)", () => {
  const schemas = [...flatSchemas().values()];
  const isClosed = (type: string) =>
    schemas.find(({ properties }) => properties?.type?.const === type)?.additionalProperties === false;
  expect(Object.keys(CLOSED_FORMS).map((type) => [type, isClosed(type)])).toEqual([
    ["subscription.accepted", true],
    ["subscription.rejected", true],
    ["confirmation.reply", false],
    ["clarification.reply", false],
  ]);
  expect(isSubscriptionAccepted({ ...EXAMPLES["subscription.accepted"], extensions: {} })).toBe(false);
  expect(isSubscriptionRejected({ ...EXAMPLES["subscription.rejected"], extensions: {} })).toBe(false);
});

it.each(["confirmation.reply", "clarification.reply"] as const)(
  "%s: every form of RFC 3339 is a timestamp (§6.3.1)",
  (type) => {
    const isTaken = (timestamp: string) => isClosedForm(type, { ...EXAMPLES[type], timestamp });
    const forms = ["11Z", "11.3Z", "11.342Z", "11.342187+01:00", "11.342187654-05:30", "60.5Z", "11z"];
    expect(forms.filter((form) => !isTaken(`2026-05-24T14:22:${form}`))).toEqual([]);
    expect(isTaken("2026-05-24t14:22:11Z")).toBe(true);
    const others = [
      "2026-05-24T14:22:11",
      "2026-05-24 14:22:11Z",
      "2026-05-24T14:22:11.Z",
      "2026-05-24T24:22:11Z",
      "1779632531",
    ];
    expect(others.filter(isTaken)).toEqual([]);
  },
);
