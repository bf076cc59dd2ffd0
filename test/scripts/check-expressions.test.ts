// `npm run expressions`: what it finds in sources and schemas, and what it refuses.
import { expect, it } from "vitest";
import { expressionsIn, patternsIn } from "../../scripts/expressions/find.mjs";
import { complaintOf } from "../../scripts/expressions/judge.mjs";

it.each([
  ["/[#/]+$/", "is 2nd degree polynomial"],
  ['RegExp("(a*)*b", "u")', "is exponential"],
  ["new RegExp(word + '$')", "not constant"],
  ["/^(?!ab).*$/", "is not known"],
  ["/^[ \\t]*([0-9]{1,15})[ \\t]*$/", undefined],
])("R34: %s", (expression, found) => {
  const complaints = expressionsIn(`export const it = ${expression};\n`, "a.ts").map((one) => complaintOf(one));
  expect(complaints).toEqual([found === undefined ? undefined : expect.stringContaining(found)]);
});

it("R34: a pattern of a schema, unless its proof stands beside it", () => {
  const found = patternsIn({ patternProperties: { "^x_(a+)+$": false } }, "id").map((one) => complaintOf(one));
  expect(found).toEqual([expect.stringContaining("exponential")]);
  const proven = { pattern: "^(?!ab).*$", $comment: "Linear: it is anchored, and repeats once." };
  expect(patternsIn(proven, "id").map((one) => complaintOf(one))).toEqual([undefined]);
});
