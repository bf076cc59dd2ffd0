// The process of the host whose hook has called: its shells do not count, because they end with the hook.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { processLineage } from "../platform/process-lineage.js";

const SHELLS: ReadonlySet<string> = new Set([
  "ash",
  "bash",
  "busybox",
  "cmd",
  "dash",
  "fish",
  "ksh",
  "pwsh",
  "sh",
  "zsh",
]);
const PS_MS = 1000;

/** The nearest of a process and its parents that is no shell; undefined if that is the first process of all. */
export function hostProcess(parent: number): number | undefined {
  const found = processLineage(parent).find((pid) => !SHELLS.has(nameOf(pid)));
  return found === 1 ? undefined : found;
}

/** The name of its program; "" where the system does not tell. */
function nameOf(pid: number): string {
  try {
    if (process.platform === "linux") return readFileSync(`/proc/${pid}/comm`, "utf8").trim();
    if (process.platform === "win32") return "";
    const path = execFileSync("/bin/ps", ["-o", "comm=", "-p", String(pid)], { encoding: "utf8", timeout: PS_MS });
    return path.trim().replace(/^.*\//, "").replace(/^-/, "");
  } catch {
    return "";
  }
}
