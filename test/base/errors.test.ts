import { expect, test } from "vitest";
import { Fault } from "../../src/base/errors.js";

test("a fault that is told of another place keeps everything else (R20)", () => {
  const cause = new Error("what was caught");
  const fault = new Fault("rate_limit", "Later, and less.", {
    pointer: "/a",
    tellsSeveral: true,
    rule: "R8",
    origin: "local",
    eventId: "evt_1",
    retryAfterSeconds: 7,
    cause,
  });
  const moved = fault.with({ pointer: "/0/a" });
  expect(moved).not.toBe(fault);
  expect({ ...moved, cause: moved.cause }).toEqual({ ...fault, cause, pointer: "/0/a" });
  expect([moved.code, moved.sentence, moved.tellsSeveral, moved.retryAfterSeconds]).toEqual([
    "rate_limit",
    "Later, and less.",
    true,
    7,
  ]);
  expect(fault.pointer).toBe("/a");
});
