// Programs that not every machine has.
import { spawnSync } from "node:child_process";

/** Whether tests of this program are skipped: it is not on this machine. In CI nothing is skipped, and a missing program fails its test. */
export function isMissing(program: string): boolean {
  if (process.env.CI === "true") return false;
  return spawnSync("sh", ["-c", `command -v ${program}`]).status !== 0;
}
