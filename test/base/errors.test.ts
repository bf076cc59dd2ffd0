import { expect, test } from "vitest";
import { Fault, publicFault } from "../../src/base/errors.js";

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

test("R20: an error by which the system lacks something is told as that, any other in general, and each stands in the log", () => {
  const logged: unknown[] = [];
  const log = { error: (fields: Readonly<Record<string, unknown>>) => void logged.push(fields.err) };
  const lacking = Object.assign(new Error("EMFILE: too many open files, open '/secret'"), { code: "EMFILE" });
  const other = Object.assign(new Error("secret"), { code: "toString" });
  const told = [lacking, other].map((caught) => publicFault(caught, log));
  expect(told.map(({ code }) => code)).toEqual(["storage_unavailable", "internal"]);
  expect(told[0]?.sentence).toContain("open no more files");
  expect(JSON.stringify(told.map(({ sentence }) => sentence))).not.toContain("secret");
  expect(logged).toEqual([lacking, other]);
});
