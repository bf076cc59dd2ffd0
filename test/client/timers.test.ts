// The client's time limits, on whichever clock it runs.
import { expect, test } from "vitest";
import { PLATFORM_TIMERS, within } from "../../src/client/timers.js";
import { createClock } from "../../src/daemon/platform/clock.js";

test.each([
  ["the platform's timers", PLATFORM_TIMERS],
  ["the daemon's clock", createClock()],
])("a time limit that is over gives nothing, by %s", async (_, timers) => {
  expect(await within(new Promise<string>(() => {}), 1, timers)).toBeUndefined();
  expect(await within(Promise.resolve("done"), 60_000, timers)).toBe("done");
});
