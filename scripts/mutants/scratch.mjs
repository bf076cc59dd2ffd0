// Copies of the project in the folder for temporary files, whose sources are changed. The project itself is never written to.
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const LEFT_OUT = new Set([".git", "node_modules", "coverage"]);

/** Makes a copy of the project at `root`, with its packages by reference. Returns its folder. */
export function createScratch(root) {
  const folder = mkdtempSync(join(tmpdir(), "aaepd-mutants-"));
  for (const name of readdirSync(root))
    if (!LEFT_OUT.has(name))
      cpSync(join(root, name), join(folder, name), { recursive: true, preserveTimestamps: true });
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  return folder;
}

export function removeScratch(folder) {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

export function write(folder, path, text) {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

/** Compiles the copy, so that child processes run its current sources. Returns whether the compiler has no complaint. */
export function compile(folder) {
  const compiler = join(folder, "node_modules/typescript/bin/tsc");
  // A project without types needs no compilation.
  if (!existsSync(join(folder, "tsconfig.json"))) return true;
  return spawnSync(process.execPath, [compiler, "-b"], { cwd: folder, stdio: "ignore" }).status === 0;
}

/** The changeable sources of a project with their texts, in the order of their paths. */
export function readSources(root) {
  const paths = ["src", "transports"].flatMap((folder) => filesIn(root, folder, ".ts"));
  return paths.map((path) => ({ path, source: readFileSync(join(root, path), "utf8") }));
}

/** The paths below a folder of the project with that ending, in order, with slashes. Empty if the folder does not exist. */
export function filesIn(root, folder, ending) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true })
    .filter((path) => path.endsWith(ending))
    .map((path) => join(folder, path).replaceAll("\\", "/"))
    .sort();
}
