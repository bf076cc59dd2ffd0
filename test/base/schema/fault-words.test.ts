// R20: every kind of mistake has a sentence that says where, what is wanted, and what is there.
import { describe, expect, it } from "vitest";
import { firstSentence, sentenceOf } from "../../../src/base/schema/fault-words.js";
import { MOST_FAULTS, type Schema, schemaFaults } from "../../../src/base/schema/schema-faults.js";

const member = (schema: Schema): Schema => ({ type: "object", properties: { a: schema } });
const TAG: Schema = { type: "string", pattern: /^[a-z]+(-[A-Z]+)?$/, form: "a language tag such as en-US" };
const CLOSED: Schema = { type: "object", properties: { a: {} }, additionalProperties: false };

describe("the sentence of a mistake", () => {
  it.each<readonly [string, Schema, unknown, string]>([
    ["no object", member({}), [], "The message must be an object; it is a list."],
    ["nothing", { type: "object", required: ["a"] }, {}, "`a` is missing; thing needs it."],
    ["undefined", { type: "object", required: ["a"] }, { a: undefined }, "`a` is missing; thing needs it."],
    [
      "an inherited name",
      { type: "object", required: ["constructor"] },
      {},
      "`constructor` is missing; thing needs it.",
    ],
    ["a lonely member", { dependentRequired: { a: ["b"] } }, { a: 1 }, "`b` is missing; `a` means nothing without it."],
    ["a stray member", CLOSED, { a: 1, "b/~": 2 }, "`b/~` is not known here; correct its spelling or remove it."],
    [
      "a stray member of the rest",
      { ...CLOSED, known: ["b"] },
      { b: 1, c: 2 },
      "`c` is not known here; correct its spelling or remove it.",
    ],
    ["a reserved member", { patterns: [[/^@/, false]] }, { "@x": 1 }, "`@x` is reserved by the protocol; remove it."],
    ["a variant", { patterns: [[/^s_/, { type: "string" }]] }, { s_en: 1 }, "`s_en` must be a string; it is 1."],
    ["any other member", { additionalProperties: { type: "object" } }, { x: 1 }, "`x` must be an object; it is 1."],
    ["another type", member({ type: "string" }), { a: 5 }, "`a` must be a string; it is 5."],
    ["null", member({ type: "boolean" }), { a: null }, "`a` must be true or false; it is null."],
    ["two types", member({ type: ["string", "null"] }), { a: {} }, "`a` must be a string or null; it is an object."],
    ["a type with a form", member(TAG), { a: 5 }, "`a` must be a string: a language tag such as en-US; it is 5."],
    [
      "two types with a form",
      member({ ...TAG, type: ["string", "array"] }),
      { a: 5 },
      "`a` must be a language tag such as en-US; it is 5.",
    ],
    ["a fraction", member({ type: "integer" }), { a: 1.5 }, "`a` must be a whole number; it is 1.5."],
    [
      "an infinite number",
      member({ type: "number" }),
      { a: Number.POSITIVE_INFINITY },
      "`a` must be a number; it is Infinity.",
    ],
    [
      "a number that JSON cannot have",
      member({ type: "integer" }),
      { a: "9007199254740993" },
      '`a` must be a whole number between -9007199254740991 and 9007199254740991; it is "9007199254740993".',
    ],
    ["too small", member({ minimum: 1, maximum: 9 }), { a: 0 }, "`a` must be between 1 and 9; it is 0."],
    ["too great", member({ minimum: 1, maximum: 9 }), { a: 10 }, "`a` must be between 1 and 9; it is 10."],
    ["below an open end", member({ minimum: 0, maximum: 2 ** 53 - 1 }), { a: -1 }, "`a` must be at least 0; it is -1."],
    [
      "above what is exact",
      member({ maximum: 2 ** 53 - 1 }),
      { a: 2 ** 53 },
      "`a` must be at most 9007199254740991; it is 9007199254740992.",
    ],
    ["an empty text", member({ minLength: 1 }), { a: "" }, "`a` must not be empty."],
    ["a long text", member({ maxLength: 2 }), { a: "😀😀😀" }, "`a` may have at most 2 characters; it has 3."],
    [
      "few entries",
      member({ minItems: 1, maxItems: 3 }),
      { a: [] },
      "`a` must have between 1 and 3 entries; it has 0.",
    ],
    ["many entries", member({ maxItems: 1 }), { a: [1, 2] }, "`a` must have at most 1 entries; it has 2."],
    ["an entry", member({ items: { type: "string" } }), { a: ["x", 1] }, "`a[1]` must be a string; it is 1."],
    [
      "a first entry",
      member({ prefixItems: [{ const: "x" }], items: {} }),
      { a: ["y", 1] },
      '`a[0]` must be "x"; it is "y".',
    ],
    [
      "a value twice",
      member({ uniqueItems: true }),
      { a: ["x", "x"] },
      "`a` names the same value twice; leave one out.",
    ],
    ["another form", member(TAG), { a: "1" }, '`a` must be a language tag such as en-US; it is "1".'],
    [
      "a locale",
      member(TAG),
      { a: "de_DE.UTF-8" },
      '`a` must be a language tag such as en-US; it is "de_DE.UTF-8". Did you mean de-DE?',
    ],
    ["another choice", member({ enum: ["x", "y", null] }), { a: "z" }, '`a` must be "x", "y" or null; it is "z".'],
    ["no choice", member({ const: "x" }), { a: "z".repeat(61) }, '`a` must be "x"; it is a string of 61 characters.'],
    [
      "none of several",
      member({ anyOf: [{ required: ["x"] }, { required: ["y"] }, { required: ["z"] }] }),
      { a: {} },
      "`a` must have at least one of x, y and z.",
    ],
  ])("%s", (_, schema, value, sentence) => {
    expect(firstSentence(schema, value, "thing")).toBe(sentence);
  });

  it("names a member of the whole message", () => {
    expect(firstSentence(member({ items: { required: ["b"] } }), { a: [{}] }, "RECORD", ["payload"])).toBe(
      "`payload.a[0].b` is missing; RECORD needs it.",
    );
  });

  it.each(["reply_token", "resume_token", "auth_token", "key", "signed_manifest"])("%s is not repeated", (name) => {
    const schema: Schema = { properties: { [name]: { maxLength: 2, enum: ["x"] } } };
    expect(firstSentence(schema, { [name]: "s3" }, "thing")).toBe(`\`${name}\` must be "x".`);
  });
});

describe("the search", () => {
  it("finds nothing in what fits", () => {
    const schema: Schema = { type: "object", required: ["a"], properties: { a: TAG }, additionalProperties: false };
    expect(schemaFaults(schema, { a: "en-US" })).toEqual([]);
    expect(schemaFaults({ anyOf: [{ required: ["x"] }, { required: ["y"] }] }, { y: 1 })).toEqual([]);
    expect(schemaFaults({}, null)).toEqual([]);
  });

  it("tells each place once, in the order of the schema, with its pointer", () => {
    const schema: Schema = {
      required: ["c"],
      properties: { b: { type: "string", maxLength: 1, enum: ["x"] }, a: { items: { minimum: 1 } } },
      additionalProperties: false,
    };
    const faults = schemaFaults(schema, { "~/": 1, a: [0, 1, 0], b: "long" });
    expect(faults.map(({ pointer, keyword }) => [pointer, keyword])).toEqual([
      ["/c", "required"],
      ["/b", "maxLength"],
      ["/a/0", "minimum"],
      ["/a/2", "minimum"],
      ["/~0~1", "additionalProperties"],
    ]);
    expect(faults.map((fault) => sentenceOf(fault, "thing")).join(" ")).toContain("`a[2]` must be at least 1");
  });

  it("R34: ends at the last fault that is wanted, and reads no further", () => {
    let readCount = 0;
    const list = new Proxy(new Array<unknown>(1_000_000), {
      get: (target, name) => {
        if (name === "length") return target.length;
        readCount += 1;
        return 0;
      },
    });
    for (const [most, wanted] of [
      [1, 1],
      [undefined, MOST_FAULTS],
    ] as const) {
      readCount = 0;
      const faults = schemaFaults({ items: { type: "string" } }, list, most === undefined ? {} : { most });
      expect([faults.length, readCount]).toEqual([wanted, wanted]);
    }
    readCount = 0;
    expect(schemaFaults({ maxItems: 3, items: { type: "string" } }, list)).toHaveLength(4);
    expect(readCount).toBe(3);
    const names = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`n${index}`, 1]));
    expect(schemaFaults({ additionalProperties: false }, names)).toHaveLength(MOST_FAULTS);
  });
});
