// `npm run expressions`: what it finds in sources and schemas, and what it refuses.
import { readFileSync } from "node:fs";
import { describe, expect, it, test } from "vitest";
import { expressionsIn, patternsIn } from "../../scripts/expressions/find.mjs";
import { complaintOf } from "../../scripts/expressions/judge.mjs";

const complaintsOf = (source: string): readonly string[] =>
  expressionsIn(source, "a.ts").flatMap((expression) => {
    const complaint = complaintOf(expression);
    return complaint === undefined ? [] : [`${expression.place}: ${complaint}`];
  });

describe("R34: an expression that takes longer than in proportion to its input is refused", () => {
  it("the expression that read header lines, in cubic time", () => {
    const source = "const line = (text: string) =>\n  /^([A-Za-z-]+):[ \\t]*(.*?)[ \\t]*$/.exec(text);\n";
    expect(complaintsOf(source)).toEqual([
      expect.stringMatching(/^a\.ts:2: The time of .* is 3rd degree polynomial\./),
    ]);
  });

  it.each([
    ["one that begins anew at each character", "/[#/]+$/", "2nd degree polynomial"],
    ["one that can match in two ways", "/^(?:a|b|ab)*c$/", "exponential"],
    ["one whose repetitions are counted, but many", "/^a{0,1000}a{0,1000}b$/", "2nd degree polynomial"],
    ["one in a call", 'RegExp("(a*)*b", "u")', "exponential"],
    ["one in a template", "new RegExp(`^(a*)*$`)", "exponential"],
    ["one that the automata cannot judge", "/^(?!ab).*$/", "not known"],
  ])("%s", (_, expression, found) => {
    const complaints = complaintsOf(`export const it = ${expression};\n`);
    expect(complaints).toHaveLength(1);
    expect(complaints[0]).toContain(`is ${found}`);
  });

  it("one that is made of what is not constant", () => {
    const complaint = [expect.stringMatching(/^a\.ts:1: .*not constant/)];
    expect(complaintsOf("export const of = (word: string) => new RegExp(word + '$');\n")).toEqual(complaint);
    expect(complaintsOf("export const of = (word: string) => globalThis.RegExp(word);\n")).toEqual(complaint);
  });

  it("a pattern of a schema, at any depth", () => {
    const schema = {
      properties: { a: { pattern: "^a*b?a*$" } },
      patternProperties: { "^x_(a+)+$": false, "^y$": false },
    };
    const found = patternsIn(schema, "id").map((pattern) => complaintOf(pattern));
    expect(found).toEqual([expect.stringContaining("exponential"), undefined, expect.stringContaining("2nd degree")]);
  });
});

describe("R34: an expression that is linear passes", () => {
  it.each([
    "/^[ \\t]*([0-9]{1,15})[ \\t]*$/",
    "/\\s/g",
    "/^\\p{Lu}{1,100}[^\\]{2}]{3}\\u{10}$/u",
    'new RegExp("^a$", "i")',
  ])("%s", (expression) => {
    expect(complaintsOf(`export const it = ${expression};\n`)).toEqual([]);
  });

  it("also one with its proof on the line above, and a proof that is not needed is refused", () => {
    const proof = "// Linear: the text has at most sixteen characters.\n";
    expect(complaintsOf(`${proof}const it = /\\s+$/;\n`)).toEqual([]);
    expect(complaintsOf(`${proof}\nconst it = /\\s+$/;\n`)).toHaveLength(1);
    expect(complaintsOf("// Linear: yes.\nconst it = /\\s+$/;\n")).toHaveLength(1);
    expect(complaintsOf(`${proof}const it = /^\\s+$/;\n`)).toEqual([expect.stringContaining("Delete the proof")]);
    const schema = { pattern: "^(?!ab).*$", $comment: "Linear: it is anchored, and repeats once." };
    expect(patternsIn(schema, "id").map((pattern) => complaintOf(pattern))).toEqual([undefined]);
  });
});

test.each(["transports/framing/decoder.ts", "src/protocols/aaep/subscriber/extension-prefixes.ts"])(
  "the expressions of %s are linear",
  (path) => {
    const source = readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
    expect(expressionsIn(source, path).length).toBeGreaterThan(0);
    expect(complaintsOf(source)).toEqual([]);
  },
);
