import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const built = { isFresh: false };

/** Brings dist/ up to date, for tests that start real child processes: once in a worker, whose files share this module. */
export function ensureBuilt(): void {
  if (built.isFresh) return;
  // Errors of types are for `npm run types`; the files are written all the same.
  run("node_modules/typescript/bin/tsc", "-b");
  if (!isBundleFresh()) run("scripts/bundle.mjs");
  built.isFresh = true;
}

function run(...args: readonly string[]): void {
  const { error } = spawnSync(process.execPath, args, { cwd: ROOT });
  if (error !== undefined) throw error;
}

/** Whether `bin/aaepd.js` will use it. */
function isBundleFresh(): boolean {
  const writtenAt = (path: string) => statSync(`${ROOT}/dist/${path}`, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return writtenAt("bundle/main.js") >= Math.max(writtenAt("pure.tsbuildinfo"), writtenAt("node.tsbuildinfo"));
}
