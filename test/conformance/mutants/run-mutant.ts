// The verdicts of the suite about one mutant, over a daemon of its own.
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { PLATFORM_TIMERS } from "../../../src/client/platform-clock.js";
import { agentDriver } from "../../../src/conformance/drive/agent-driver.js";
import type { CaseResult } from "../../../src/conformance/findings/finding.js";
import { runProducerCases } from "../../../src/conformance/producer/run-producer-cases.js";
import { openLinks } from "../../../src/conformance/wire/open-links.js";
import type { Mutant } from "./mutant.js";
import { startMutant } from "./mutant-layer.js";

const wait = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

/** `daemon`: the socket of a producer that is correct. `chosen`: ids of cases; default: all. */
export async function judgeMutant(
  mutant: Mutant,
  daemon: string,
  folder: string,
  chosen?: readonly string[],
): Promise<readonly CaseResult[]> {
  const near = join(folder, `${mutant.name.slice(0, 40)}.sock`);
  const listener = await startMutant(mutant, near, daemon);
  const driver = agentDriver({ path: daemon, hex: (bytes) => randomBytes(bytes).toString("hex"), wait });
  const links = await openLinks({ kind: "ipc", path: near });
  try {
    return await runProducerCases({
      links,
      driver,
      timers: PLATFORM_TIMERS,
      level: 3,
      extensions: [],
      chosen,
      patienceMs: 8000,
      told: () => {},
    });
  } finally {
    await driver.stop();
    await links.stop();
    await listener.stop();
  }
}

export function failedIds(results: readonly CaseResult[]): readonly string[] {
  return results.flatMap(({ about, verdict }) => (verdict.kind === "failed" ? [about.id] : []));
}
