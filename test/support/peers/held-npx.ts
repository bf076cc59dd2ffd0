// An `npx` that keeps the agent's words from `aaepd` until it is let go: so an agent's example can be run as it stands, and still says nothing before
// somebody listens. A short run spares itself the real `npx`, which takes four times as long as what it starts.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isWhole } from "../extent.js";
import { PROGRAM } from "./program.js";

export interface HeldNpx {
  /** The value of PATH for which `npx` is this one. */
  readonly path: string;
  /** Lets the agent be heard. */
  readonly letGo: () => Promise<void>;
}

/** `directory` is the test's own. */
export function createHeldNpx(directory: string): HeldNpx {
  const folder = join(directory, "held-npx");
  const gate = join(folder, "gate");
  const searched = process.env.PATH ?? "";
  mkdirSync(folder);
  if (spawnSync("mkfifo", [gate]).status !== 0) throw new Error("mkfifo is missing");
  const npx = isWhole
    ? `PATH='${searched}' npx "$@"`
    : `while [ "$1" != aaepd ]; do shift; done; shift; '${process.execPath}' '${PROGRAM}' "$@"`;
  const script = [
    "#!/bin/sh",
    "exec 3<&0",
    `{ read -r _ < '${gate}'; exec cat <&3; } |`,
    // A daemon that has ended keeps nobody waiting.
    `{ ${npx}; echo 1<> '${gate}'; }`,
  ];
  writeFileSync(join(folder, "npx"), `${script.join("\n")}\n`);
  chmodSync(join(folder, "npx"), 0o755);
  // The daemon runs in any case, so that opening the pipe waits for no more than its start.
  return { path: `${folder}:${searched}`, letGo: () => writeFile(gate, "\n") };
}
