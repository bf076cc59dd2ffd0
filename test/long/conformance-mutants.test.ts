// Every mutant under the whole suite, and the table of the cases that fail.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { CHAPTER_MUTANTS } from "../conformance/mutants/producer-mutants.js";
import { failedIds, judgeMutant } from "../conformance/mutants/run-mutant.js";
import { serve, runtimeEnvironment } from "../cli/command-stage.js";
import { temporaryDirectory } from "../support/temporary-directory.js";
import { writeFileSync } from "node:fs";

it("all", async () => {
  const only = process.env.MUTANTS?.split(",");
  const queue = CHAPTER_MUTANTS.filter(({ name }) => only === undefined || only.includes(name));
  const table: Record<string, readonly string[]> = {};
  const worker = async (): Promise<void> => {
    for (let one = queue.shift(); one !== undefined; one = queue.shift()) {
      const folder = join(temporaryDirectory(), "m");
      mkdirSync(folder, { mode: 0o700 });
      const daemon = await serve(runtimeEnvironment().XDG_RUNTIME_DIR, "--journal", "memory");
      const results = await judgeMutant(one, daemon.socketPath, folder);
      table[one.name] = failedIds(results);
      const skipped = results.filter(({ verdict }) => verdict.kind === "skipped").map(({ about }) => about.id);
      process.stdout.write(`${one.name}: ${failedIds(results).join(" ")} | skipped ${skipped.join(" ")}\n`);
      await daemon.stop();
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  writeFileSync("/tmp/mutants-table.json", JSON.stringify(table, null, 1));
  expect(Object.keys(table).length).toBeGreaterThan(0);
}, 3_600_000);
