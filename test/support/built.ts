import { spawnSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const built = { isFresh: false };

/** Brings dist/ up to date, for tests that start real child processes: once in a worker, whose files share this module. */
export function ensureBuilt(): void {
  if (built.isFresh) return;
  // Errors of types are for `npm run types`; the files are written all the same.
  if (!isCompiled()) run("node_modules/typescript/bin/tsc", "-b");
  if (!isBundleFresh()) {
    run("scripts/declarations.mjs");
    run("scripts/bundle.mjs");
  }
  built.isFresh = true;
}

function run(...args: readonly string[]): void {
  const { error } = spawnSync(process.execPath, args, { cwd: ROOT });
  if (error !== undefined) throw error;
}

const writtenAt = (path: string): number => statSync(join(ROOT, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;
const compiledAt = (): readonly number[] => ["pure", "node"].map((part) => writtenAt(`dist/${part}.tsbuildinfo`));

/** What is compiled: a folder is newer too where one of its files has gone. */
const SOURCES = ["src", "transports", "gen", "examples/typescript"];
const CONFIGURATIONS = ["base", "pure", "node"].map((part) => `tsconfig.${part}.json`);

/** Whether nothing is newer than what was compiled last. The compiler takes a second and more to say so. */
function isCompiled(): boolean {
  const oldest = Math.min(...compiledAt());
  const within = SOURCES.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((path) => join(folder, path)),
  );
  return [...SOURCES, ...CONFIGURATIONS, ...within].every((path) => writtenAt(path) < oldest);
}

/** Whether `bin/aaepd.js` will use it. */
function isBundleFresh(): boolean {
  return writtenAt("dist/bundle/main.js") >= Math.max(...compiledAt());
}
