import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Brings dist/ up to date, for tests that start real child processes. Takes no time where nothing has changed. */
export function ensureBuilt(): void {
  // Errors of types are for `npm run types`; the files are written all the same.
  const { error } = spawnSync(process.execPath, ["node_modules/typescript/bin/tsc", "-b"], { cwd: ROOT });
  if (error !== undefined) throw error;
}
