import { expect, test } from "vitest";
import { createRestartWaits } from "../../../src/daemon/a2e/restart-waits.js";

test("a process that ends again and again waits longer each time, up to a minute; one that ran for a while begins anew", () => {
  const nextWait = createRestartWaits();
  const waits = Array.from({ length: 9 }, () => nextWait(60_000));
  expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
  expect(nextWait(60_001)).toBe(500);
  expect(nextWait(0)).toBe(1000);
});
