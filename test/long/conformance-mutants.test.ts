// Every mutant under the whole suite: exactly the cases fail that the table names. `npm run test:conformance` prints the table.
import { join } from "node:path";
import { expect, it } from "vitest";
import { runtimeEnvironment, serve } from "../cli/command-stage.js";
import { PRODUCER_MUTANTS } from "../conformance/mutants/all-mutants.js";
import type { Deviation } from "../conformance/mutants/deviation.js";
import {
  AAEPD_FAILS,
  FAILS,
  type Failures,
  failsOf,
  SUBSCRIBER_FAILS,
} from "../conformance/mutants/expected-failures.js";
import { failedIds, judgeMutant, judgeSubscriber, socketFolder } from "../conformance/mutants/judge-mutant.js";
import { startDeviation } from "../conformance/mutants/layer.js";
import { PATCHED_SUBSCRIBERS, patchedCommand } from "../conformance/mutants/patched-subscribers.js";
import { AAEPD } from "../conformance/mutants/question-mutants.js";
import { SUBSCRIBER_MUTANTS } from "../conformance/mutants/subscriber-mutants.js";
import { PROGRAM } from "../support/peers/program.js";

/** Mutants at a time. A run mostly waits. */
const AT_A_TIME = 6;
const ONLY = process.env.MUTANTS?.split(",");

/** Judges each mutant, and compares what fails with the table. */
async function expectFailures<Mutant>(
  mutants: Readonly<Record<string, Mutant>>,
  fails: Failures,
  judge: (mutant: Mutant) => Promise<readonly string[]>,
): Promise<void> {
  const queue = Object.entries(mutants).filter(([name]) => ONLY === undefined || ONLY.includes(name));
  const found = new Map<string, readonly string[]>();
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [name, mutant] = next;
      const failed = [...(await judge(mutant))].sort();
      found.set(name, failed);
      process.stdout.write(`${name}: ${failed.join(", ") || "nothing fails"}\n`);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  const wanted = [...found.keys()].map((name) => [
    name,
    [...(name in fails ? failsOf(fails, name) : ["no row"])].sort(),
  ]);
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(wanted));
}

it("producers: exactly the cases fail that the table names", async () => {
  await expectFailures(PRODUCER_MUTANTS, FAILS, (mutant) => judgeProducer(mutant));
}, 3_600_000);

it("producers: likewise in the set aaepd", async () => {
  const cases = Object.keys(AAEPD_FAILS).flatMap((name) => failsOf(AAEPD_FAILS, name));
  await expectFailures(AAEPD, AAEPD_FAILS, (mutant) => judgeProducer(mutant, cases));
}, 600_000);

async function judgeProducer(mutant: Deviation, chosen?: readonly string[]): Promise<readonly string[]> {
  const daemon = await serve(runtimeEnvironment().XDG_RUNTIME_DIR, "--journal", "memory");
  const results = await judgeMutant(mutant, daemon.socketPath, chosen);
  await daemon.stop();
  return failedIds(results);
}

it("subscribers: exactly the cases fail that the table names", async () => {
  await expectFailures(SUBSCRIBER_MUTANTS, SUBSCRIBER_FAILS, async (mutant) => {
    const folder = socketFolder();
    const [near, far] = [join(folder, "near.sock"), join(folder, "far.sock")];
    const listener = await startDeviation(mutant, near, far);
    const start = `AAEPD_SOCKET=${near} exec ${process.execPath} ${PROGRAM} tail --interactive --no-reconnect 2>&1`;
    const results = await judgeSubscriber(far, { start, accept: "accept" });
    await listener.stop();
    return failedIds(results);
  });
  await expectFailures(PATCHED_SUBSCRIBERS, SUBSCRIBER_FAILS, async (patch) => {
    const path = join(socketFolder(), "suite.sock");
    return failedIds(await judgeSubscriber(path, { start: patchedCommand(patch), accept: "yes" }));
  });
}, 3_600_000);
