import { expect, test } from "vitest";
import { createToldInOrder } from "../../../src/cli/terminal/told-in-order.js";

test("findings are told in the order of their lines, and no later than that needs", () => {
  const told: string[] = [];
  const { expect: awaitLine, settle } = createToldInOrder<string>((line, finding) => told.push(`${line} ${finding}`));
  for (const line of [1, 2, 3, 5]) awaitLine(line);
  settle(3, "third");
  settle(2);
  expect(told).toEqual([]);
  settle(1, "first");
  expect(told).toEqual(["1 first", "3 third"]);
  settle(5, "fifth");
  settle(5, "again");
  settle(9, "nobody asked");
  expect(told).toEqual(["1 first", "3 third", "5 fifth"]);
});
