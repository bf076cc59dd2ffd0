// Why a call ended, where the clock on the wall is set while it runs.
import { afterEach, expect, test, vi } from "vitest";
import { type CallEnd, watchCallEnd } from "../../../transports/service-calls/deadline.js";

const CONNECTION = { peer: { label: "test", trust: "same-user" }, isConnected: () => true } as const;

afterEach(() => void vi.useRealTimers());

const endOf = (deadlineInMs: number, stepMs: number): Promise<CallEnd> => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const deadline = Date.now() + deadlineInMs;
  const whyEnded = watchCallEnd({ getDeadline: () => deadline }, CONNECTION);
  vi.setSystemTime(Date.now() + stepMs);
  return new Promise((resolve) => whyEnded(resolve));
};

test.each([-3_600_000, 3_600_000])(
  "R40: a cancelled call is that, though the clock on the wall is set by %d ms",
  async (stepMs) => {
    expect(await endOf(60_000, stepMs)).toBeUndefined();
  },
);

test("a call whose deadline has come has ended, though the clock on the wall is set back", async () => {
  expect(await endOf(0, -3_600_000)).toMatchObject({ code: "timed_out" });
});

test("a call without deadline is cancelled", async () => {
  expect(await endOf(Number.POSITIVE_INFINITY, 0)).toBeUndefined();
});
