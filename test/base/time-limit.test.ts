// Time limits, on whichever clock they run.
import { expect, test } from "vitest";
import { within } from "../../src/base/time-limit.js";
import { PLATFORM_TIMERS } from "../../src/client/timers.js";
import { createClock } from "../../src/daemon/platform/clock.js";

test.each([
  ["the platform's timers", PLATFORM_TIMERS],
  ["the daemon's clock", createClock()],
])("a time limit that is over gives nothing, by %s", async (_, timers) => {
  expect(await within(timers.now() + 1, new Promise<string>(() => {}), timers)).toBeUndefined();
  expect(await within(timers.now() + 60_000, Promise.resolve("done"), timers)).toBe("done");
});
