// Every mutant under the whole suite: exactly the cases fail that the table names. `npm run test:conformance` prints the table.
import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { PLATFORM_TIMERS } from "../../src/client/platform-clock.js";
import { runSubscriberCases } from "../../src/conformance/subscriber/run-subscriber-cases.js";
import { runtimeEnvironment, serve } from "../cli/command-stage.js";
import { CHAPTER_MUTANTS } from "../conformance/mutants/chapter-mutants.js";
import { FAILS, SUBSCRIBER_FAILS, SUBSCRIBER_UNSEEN, UNSEEN } from "../conformance/mutants/expected-failures.js";
import type { Mutant } from "../conformance/mutants/mutant.js";
import { startMutant } from "../conformance/mutants/mutant-layer.js";
import { failedIds, judgeMutant } from "../conformance/mutants/run-mutant.js";
import { SUBSCRIBER_MUTANTS } from "../conformance/mutants/subscriber-mutants.js";
import { PROGRAM } from "../support/peers/program.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

/** Mutants at a time. A run mostly waits. */
const AT_A_TIME = 6;
const ONLY = process.env.MUTANTS?.split(",");

interface Row {
  readonly mutant: Mutant;
  readonly failed: readonly string[];
}

async function judged(
  mutants: readonly Mutant[],
  judge: (mutant: Mutant, folder: string) => Promise<readonly string[]>,
): Promise<readonly Row[]> {
  const queue = mutants.filter(({ name }) => ONLY === undefined || ONLY.includes(name));
  const rows: Row[] = [];
  const work = async (): Promise<void> => {
    for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
      const folder = join(temporaryDirectory(), "m");
      mkdirSync(folder, { mode: 0o700 });
      const row = { mutant, failed: await judge(mutant, folder) };
      rows.push(row);
      process.stdout.write(`${mutant.name} (${mutant.paragraph}): ${row.failed.join(", ") || "nothing fails"}\n`);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  return rows;
}

function expectTable(rows: readonly Row[], fails: Readonly<Record<string, readonly string[]>>): void {
  const found = Object.fromEntries(rows.map(({ mutant, failed }) => [mutant.name, failed]));
  const wanted = Object.fromEntries(rows.map(({ mutant }) => [mutant.name, fails[mutant.name]]));
  expect(found).toEqual(wanted);
}

it("producers: exactly the cases fail that the table names", async () => {
  const rows = await judged(CHAPTER_MUTANTS, async (mutant, folder) => {
    const daemon = await serve(runtimeEnvironment().XDG_RUNTIME_DIR, "--journal", "memory");
    const results = await judgeMutant(mutant, daemon.socketPath, folder);
    await daemon.stop();
    return failedIds(results);
  });
  expectTable(rows, { ...FAILS, ...Object.fromEntries(Object.keys(UNSEEN).map((name) => [name, []])) });
}, 3_600_000);

it("subscribers: exactly the cases fail that the table names", async () => {
  const rows = await judged(SUBSCRIBER_MUTANTS, async (mutant, folder) => {
    const [near, far] = [join(folder, "near.sock"), join(folder, "far.sock")];
    const listener = await startMutant(mutant, near, far);
    const start = `AAEPD_SOCKET=${near} exec ${process.execPath} ${PROGRAM} tail --interactive --no-reconnect`;
    const results = await runSubscriberCases({
      endpoint: { kind: "socket", path: far },
      hooks: { start, announcements: "stdout", ask: undefined, accept: "accept", answer: "{text}" },
      hex: (bytes) => randomBytes(bytes).toString("hex"),
      wallTime: Date.now,
      timers: PLATFORM_TIMERS,
      level: 3,
      chosen: undefined,
      told: () => {},
    });
    await listener.stop();
    return failedIds(results);
  });
  expectTable(rows, {
    ...SUBSCRIBER_FAILS,
    ...Object.fromEntries(Object.keys(SUBSCRIBER_UNSEEN).map((name) => [name, []])),
  });
}, 3_600_000);
