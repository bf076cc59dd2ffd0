import { expect, it } from "vitest";
import { demoListeners } from "../../../src/cli/demo/demo-listeners.js";
import { readDemoSession } from "../../../src/cli/demo/demo-session.js";

it("three listeners subscribe under names of their own, and only the debugging tool gets text in pieces", () => {
  const listeners = demoListeners("yo");
  expect(listeners.map(({ id }) => id)).toEqual(["demo-screen-reader", "demo-braille", "demo-debugger"]);
  expect(listeners.map(({ getsPieces }) => getsPieces)).toEqual([false, false, true]);
  expect(listeners.map(({ capabilities }) => capabilities.max_events_per_second)).toEqual([3, 1, undefined]);
});

it("the braille display prefers English, the others the session's language; an English session has one language", () => {
  expect(demoListeners("yo").map(({ capabilities }) => capabilities.languages)).toEqual([
    ["yo", "en"],
    ["en", "yo"],
    ["yo", "en"],
  ]);
  for (const { capabilities } of demoListeners("en-GB")) expect(capabilities.languages).toEqual(["en-GB"]);
});

it("a session that is not there is answered with those that are", async () => {
  await expect(readDemoSession("parallel-tool")).rejects.toThrow(
    'There is no session "parallel-tool". Did you mean parallel-tools? There are: arabic-library, japanese-travel, parallel-tools, retirement-planner, yoruba-market.',
  );
});
