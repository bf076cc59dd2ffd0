// Costs that are compared with one another, so that it does not matter how fast the machine is, or what else it does.
import { expect } from "vitest";

/** Below this, microseconds of a processor, a cost is nothing but noise. */
const NOISE_US = 2000;
const ROUNDS = 4;
/** The processor time has that of the garbage collector's threads in it. Beside other work it takes more rounds until one is free of them. */
const MOST_ROUNDS = 24;

/** Processor time of this process, microseconds. */
async function costOf(run: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/**
 * Fails where four times as much of something costs more than ten times the processor time: what is in proportion costs four times, what is quadratic
 * sixteen times. The least of several rounds counts, after one that warms up. A quadratic cost stays quadratic in every round.
 */
export async function expectInProportion(run: (times: 1 | 4) => Promise<void>): Promise<void> {
  await run(4);
  let [once, fourTimes] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const ratio = (): number => fourTimes / Math.max(once, NOISE_US);
  for (let round = 0; round < ROUNDS || (round < MOST_ROUNDS && ratio() >= 10); round++) {
    once = Math.min(once, await costOf(() => run(1)));
    fourTimes = Math.min(fourTimes, await costOf(() => run(4)));
  }
  expect(ratio()).toBeLessThan(10);
}
