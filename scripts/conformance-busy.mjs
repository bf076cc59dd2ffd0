// npm run conformance:busy [-- RUNS]
// Runs the conformance suite against the built daemon ten times beside eight busy processes: no verdict may change.
import { spawn, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const SUITE = fileURLToPath(new URL("conformance.mjs", import.meta.url));
const BUSY = 8;
const runs = Number(process.argv[2] ?? 10);

const loops = Array.from({ length: BUSY }, () => spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" }));
let differing = 0;
try {
  for (let run = 1; run <= runs; run += 1) {
    const { status, stdout, stderr } = spawnSync(process.execPath, [SUITE, "--check"], { encoding: "utf8" });
    process.stdout.write(`run ${run}: ${status === 0 ? "the same verdicts" : `${stdout}${stderr}`}\n`);
    if (status !== 0) differing += 1;
  }
} finally {
  for (const loop of loops) loop.kill("SIGKILL");
}
process.stdout.write(`${runs - differing} of ${runs} runs had the same verdicts.\n`);
process.exit(differing === 0 ? 0 : 1);
