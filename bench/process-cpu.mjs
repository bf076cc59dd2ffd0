// CPU time of a process that cannot report it.
import { readdirSync, readFileSync } from "node:fs";

/** CPU microseconds of a process, all its threads, as the kernel counts them. */
export function cpuMicrosOf(pid) {
  let total = 0;
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    total += Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ")[0]);
  }
  return total / 1000;
}
