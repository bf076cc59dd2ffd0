// Every mutant under the whole suite: exactly the cases fail that the table names. `npm run test:conformance` prints the table.
import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { PLATFORM_TIMERS } from "../../src/client/platform-clock.js";
import { runSubscriberCases } from "../../src/conformance/subscriber/run-subscriber-cases.js";
import type { SubscriberHooks } from "../../src/conformance/subscriber/tested-subscriber.js";
import { runtimeEnvironment, serve } from "../cli/command-stage.js";
import { PRODUCER_MUTANTS } from "../conformance/mutants/all-mutants.js";
import { AAEPD_MUTANTS } from "../conformance/mutants/case-mutants.js";
import {
  AAEPD_FAILS,
  CASE_FAILS,
  CASE_SUBSCRIBER_FAILS,
  FAILS,
  KIND_FAILS,
  SUBSCRIBER_FAILS,
  SUBSCRIBER_UNSEEN,
  UNSEEN,
} from "../conformance/mutants/expected-failures.js";
import type { Mutant } from "../conformance/mutants/mutant.js";
import { startMutant } from "../conformance/mutants/mutant-layer.js";
import { PATCHED_SUBSCRIBERS, writePatched } from "../conformance/mutants/patched-subscribers.js";
import { failedIds, judgeMutant } from "../conformance/mutants/run-mutant.js";
import { SUBSCRIBER_MUTANTS } from "../conformance/mutants/subscriber-mutants.js";
import { PROGRAM } from "../support/peers/program.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

/** Mutants at a time. A run mostly waits. */
const AT_A_TIME = 6;
const ONLY = process.env.MUTANTS?.split(",");

/** A mutant, as the table names it. */
interface Named {
  readonly name: string;
  readonly paragraph: string;
}

interface Row {
  readonly name: string;
  readonly failed: readonly string[];
}

async function judged<Tested extends Named>(
  mutants: readonly Tested[],
  judge: (mutant: Tested, folder: string) => Promise<readonly string[]>,
): Promise<readonly Row[]> {
  const queue = mutants.filter(({ name }) => ONLY === undefined || ONLY.includes(name));
  const rows: Row[] = [];
  const work = async (): Promise<void> => {
    for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
      const folder = join(temporaryDirectory(), "m");
      mkdirSync(folder, { mode: 0o700 });
      const row = { name: mutant.name, failed: await judge(mutant, folder) };
      rows.push(row);
      process.stdout.write(`${mutant.name} (${mutant.paragraph}): ${row.failed.join(", ") || "nothing fails"}\n`);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  return rows;
}

function expectTable(rows: readonly Row[], fails: Readonly<Record<string, readonly string[]>>): void {
  const found = Object.fromEntries(rows.map(({ name, failed }) => [name, [...failed].sort()]));
  const wanted = Object.fromEntries(rows.map(({ name }) => [name, [...(fails[name] ?? ["no row"])].sort()]));
  expect(found).toEqual(wanted);
}

it("producers: exactly the cases fail that the table names", async () => {
  const rows = await judged(PRODUCER_MUTANTS, judgeProducer);
  const unseen = Object.fromEntries(Object.keys(UNSEEN).map((name) => [name, []]));
  expectTable(rows, { ...FAILS, ...CASE_FAILS, ...KIND_FAILS, ...unseen });
}, 3_600_000);

it("producers: likewise in the set aaepd", async () => {
  const cases = Object.values(AAEPD_FAILS).flat();
  const rows = await judged(AAEPD_MUTANTS, (mutant, folder) => judgeProducer(mutant, folder, cases));
  expectTable(rows, AAEPD_FAILS);
}, 600_000);

async function judgeProducer(mutant: Mutant, folder: string, chosen?: readonly string[]): Promise<readonly string[]> {
  const daemon = await serve(runtimeEnvironment().XDG_RUNTIME_DIR, "--journal", "memory");
  const results = await judgeMutant(mutant, daemon.socketPath, folder, chosen);
  await daemon.stop();
  return failedIds(results);
}

async function judgeSubscriber(far: string, hooks: SubscriberHooks): Promise<readonly string[]> {
  const results = await runSubscriberCases({
    endpoint: { kind: "ipc", path: far },
    hooks,
    hex: (bytes) => randomBytes(bytes).toString("hex"),
    wallTime: Date.now,
    timers: PLATFORM_TIMERS,
    level: 3,
    chosen: undefined,
    patienceMs: 8000,
    told: () => {},
  });
  return failedIds(results);
}

it("subscribers: exactly the cases fail that the table names", async () => {
  const layered = await judged(SUBSCRIBER_MUTANTS, async (mutant, folder) => {
    const [near, far] = [join(folder, "near.sock"), join(folder, "far.sock")];
    const listener = await startMutant(mutant, near, far);
    const start = `AAEPD_SOCKET=${near} exec ${process.execPath} ${PROGRAM} tail --interactive --no-reconnect 2>&1`;
    const failed = await judgeSubscriber(far, { ...HOOKS, start, accept: "accept" });
    await listener.stop();
    return failed;
  });
  const patched = await judged(PATCHED_SUBSCRIBERS, async (mutant, folder) => {
    const start = `PYTHONPATH=examples/python exec python3 ${writePatched(mutant, folder)} "$AAEPD_SOCKET"`;
    return judgeSubscriber(join(folder, "suite.sock"), { ...HOOKS, start, accept: "yes" });
  });
  expectTable([...layered, ...patched], {
    ...SUBSCRIBER_FAILS,
    ...CASE_SUBSCRIBER_FAILS,
    ...Object.fromEntries(Object.keys(SUBSCRIBER_UNSEEN).map((name) => [name, []])),
  });
}, 3_600_000);

const HOOKS = { announcements: "stdout", ask: undefined, answer: "{text}" } as const;
