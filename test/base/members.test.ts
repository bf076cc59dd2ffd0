import { expect, it } from "vitest";
import { ownMember, setMember, textOf } from "../../src/base/members.js";

const INHERITED = ["constructor", "toString", "hasOwnProperty", "__proto__"];

it("finds the members that an object has itself, and no inherited one", () => {
  expect(INHERITED.map((name) => ownMember({ known: 1 }, name))).toEqual([undefined, undefined, undefined, undefined]);
  expect(ownMember({ known: 1 }, "known")).toBe(1);
  expect(ownMember(JSON.parse('{"__proto__":2}') as Record<string, number>, "__proto__")).toBe(2);
});

it("sets a member of any name, and never another prototype", () => {
  const object = {};
  for (const name of ["known", ...INHERITED]) setMember(object, name, { name });
  expect(Object.keys(object)).toEqual(["known", ...INHERITED]);
  expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
});

it("takes for a text only what is one", () => {
  const values = ["a", 1, null, undefined, { toString: "x" }, ["b"]];
  expect(values.map(textOf)).toEqual(["a", "", "", "", "", ""]);
});
