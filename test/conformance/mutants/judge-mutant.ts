// The verdicts of the suite about one mutant.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { agentDriver } from "../../../src/conformance/drive/agent-driver.js";
import type { Driver } from "../../../src/conformance/drive/driver.js";
import type { CaseResult } from "../../../src/conformance/findings/finding.js";
import { runProducerCases } from "../../../src/conformance/producer/run-producer-cases.js";
import { runSubscriberCases } from "../../../src/conformance/subscriber/run-subscriber-cases.js";
import type { SubscriberHooks } from "../../../src/conformance/subscriber/tested-subscriber.js";
import type { Links } from "../../../src/conformance/wire/link.js";
import { openLinks } from "../../../src/conformance/wire/open-links.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";
import type { Deviation } from "./deviation.js";
import { startDeviation } from "./layer.js";

/** A folder for sockets that nobody else may use. */
export function socketFolder(): string {
  const folder = join(temporaryDirectory(), "m");
  mkdirSync(folder, { mode: 0o700 });
  return folder;
}

/** Judges a producer at level 3. `chosen`: ids of cases; default: all. */
export async function judgeProducer(
  links: Links,
  driver: Driver,
  patienceMs: number,
  chosen?: readonly string[],
): Promise<readonly CaseResult[]> {
  try {
    return await runProducerCases({ links, driver, level: 3, extensions: [], chosen, patienceMs, told: () => {} });
  } finally {
    await driver.stop();
    await links.stop();
  }
}

/** How long a producer's case waits for what must come: a case that waits in vain is skipped, also where the machine is the cause. In milliseconds. */
const PATIENCE_MS = 20_000;

/** `daemon`: the socket of a producer that is correct. `chosen`: as above. */
export async function judgeMutant(
  deviation: Deviation,
  daemon: string,
  chosen?: readonly string[],
): Promise<readonly CaseResult[]> {
  const near = join(socketFolder(), "near.sock");
  const listener = await startDeviation(deviation, near, daemon);
  const links = await openLinks({ kind: "ipc", path: near });
  return judgeProducer(links, agentDriver(daemon), PATIENCE_MS, chosen).finally(listener.stop);
}

/** `start`: the command of a subscriber whose user agrees by `accept`; it connects to `path`. `chosen`: as above. */
export function judgeSubscriber(
  path: string,
  { start, accept }: Pick<SubscriberHooks, "start" | "accept">,
  chosen?: readonly string[],
): Promise<readonly CaseResult[]> {
  return runSubscriberCases({
    endpoint: { kind: "ipc", path },
    hooks: { start, accept, announcements: "stdout", ask: undefined, answer: "{text}" },
    level: 3,
    chosen,
    patienceMs: 8000,
    told: () => {},
  });
}

export function failedIds(results: readonly CaseResult[]): readonly string[] {
  return results.flatMap(({ about, verdict }) => (verdict.kind === "failed" ? [about.id] : []));
}

/** The id and the verdict of each case, with what was seen, or the reason. */
export function toldOf(results: readonly CaseResult[]): readonly string[] {
  return results.map(({ about: { id }, verdict }) => {
    if (verdict.kind === "passed") return `${id} passed`;
    return `${id} ${verdict.kind}: ${verdict.kind === "failed" ? verdict.seen : verdict.reason}`;
  });
}
