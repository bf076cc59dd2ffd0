import { expect, test } from "vitest";
import { RecentMap } from "../../src/client/recent-map.js";

test("the newest entries are remembered, at most twice as many, and an entry that is used counts as new", () => {
  const map = new RecentMap<number>(3);
  map.set("a", 1);
  for (const [index, key] of ["b", "c", "d", "e"].entries()) {
    map.set(key, index);
    expect(map.get("a")).toBe(1);
  }
  for (const key of ["f", "g", "h"]) map.set(key, 0);
  expect(["f", "g", "h"].map((key) => map.get(key))).toEqual([0, 0, 0]);
  for (const key of ["i", "j", "k", "l"]) map.set(key, 0);
  expect(["a", "b", "c", "d", "e"].map((key) => map.get(key))).toEqual(Array(5).fill(undefined));
});

test("entries are deleted by their values, however old", () => {
  const map = new RecentMap<number>(2);
  for (const [index, key] of ["a", "b", "c"].entries()) map.set(key, index);
  map.deleteAll((value) => value !== 1);
  expect(["a", "b", "c"].map((key) => map.get(key))).toEqual([undefined, 1, undefined]);
});
