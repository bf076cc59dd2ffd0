// Copies of the project in the folder for temporary files, whose sources are changed. The project itself is never written to.
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { transformSync } from "rolldown/utils";
import { withSwitches } from "./switches.mjs";

const LEFT_OUT = new Set([".git", "node_modules", "coverage"]);
const SWITCH = "mutants/switch.mjs";
const [ACTIVE, REACHED, STATIC] = ["mutants/active", "mutants/reached", "mutants/static"];
/** A file that runs before each test file, in the process of the tests, which may have run others with another mutant. */
export const SETUP = "mutants/setup.ts";
const SETUP_SOURCE = `import { beforeAll } from "vitest";
import { begin, loaded } from "./switch.mjs";
begin();
beforeAll(loaded);
`;
const switchSource = (folder) => `import { appendFileSync, readFileSync } from "node:fs";
function note(name, text) {
  try {
    appendFileSync(${JSON.stringify(`${folder}/`)} + name, text);
  } catch {
    // A program at its limit of open files.
  }
}
let active, isLoading;
const [reached, whileLoading] = [new Set(), new Set()];
export function begin(isTest = true) {
  active = Number(readFileSync(${JSON.stringify(join(folder, ACTIVE))}, "utf8"));
  isLoading = isTest;
  reached.clear();
}
export function loaded() {
  isLoading = false;
  for (const number of whileLoading) note("${STATIC}", number + " ");
  whileLoading.clear();
}
export function isMutant(number) {
  if (isLoading) whileLoading.add(number);
  if (!reached.has(number)) note("${REACHED}", number + " ");
  reached.add(number);
  return number === active;
}
begin(false);
`;

/** Makes a copy of the project at `root`, with its packages by reference. Returns its folder. */
export function createScratch(root) {
  const folder = mkdtempSync(join(tmpdir(), "aaepd-mutants-"));
  // Tests start programs of it as other users too.
  chmodSync(folder, 0o755);
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

/** Puts all mutants into the sources of a copy. None of them runs before `activate` names it. */
export function arm(folder, sources, mutants) {
  activate(folder, 0);
  write(folder, STATIC, "");
  write(folder, SETUP, SETUP_SOURCE);
  write(folder, SWITCH, switchSource(folder));
  for (const { path, source } of sources) {
    const own = mutants.filter((mutant) => mutant.path === path);
    if (own.length > 0) write(folder, path, withSwitches(source, own, join(folder, SWITCH)));
  }
  build(folder);
}

/** From now on, each test file and each program that starts in the copy has the mutant with this number; with 0 it has none. */
export function activate(folder, number) {
  write(folder, ACTIVE, String(number));
  write(folder, REACHED, "");
}

/** The numbers of the mutants whose places have been reached since `activate`. */
export const reachedIn = (folder) => numbersIn(join(folder, REACHED));

/** Whether a place is known to be reached while a module is loaded: the next mutant needs other modules. */
export const isStatic = (folder, number) => numbersIn(join(folder, STATIC)).has(number);

const numbersIn = (path) => new Set(readFileSync(path, "utf8").trim().split(" ").map(Number));

/** Makes the programs that tests start. Types are judged elsewhere, so they are only left out here. */
function build(folder) {
  for (const path of ["src", "transports", "examples/typescript"].flatMap((part) => filesIn(folder, part, ".ts"))) {
    const { code, errors } = transformSync(path, readFileSync(join(folder, path), "utf8"));
    if (errors.length > 0) throw new Error(`${path}: ${errors[0].message}`);
    write(folder, `dist/${path.replace(/\.ts$/, ".js")}`, code);
  }
  // A test that needs the programs compiles what is newer than these.
  const soon = new Date(Date.now() + 1000);
  const stamp = (path) => {
    writeFileSync(join(folder, path), "", { flag: "a" });
    utimesSync(join(folder, path), soon, soon);
  };
  for (const part of ["pure", "node"]) stamp(`dist/${part}.tsbuildinfo`);
  const bundler = join(folder, "scripts/bundle.mjs");
  if (!existsSync(bundler)) return;
  const { status } = spawnSync(process.execPath, [bundler], { cwd: folder, stdio: ["ignore", 2, 2] });
  if (status !== 0) throw new Error("the programs that tests start cannot be made");
  stamp("dist/bundle/main.js");
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
