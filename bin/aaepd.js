#!/usr/bin/env node
// Runs in this very process, whatever it is told: a program that starts another one leaves it behind when it is killed.
import { readFileSync, statSync } from "node:fs";
import module from "node:module";
import { fileURLToPath } from "node:url";

const inPackage = (path) => new URL(`../${path}`, import.meta.url);
/** When a file was written, ms since 1970; undefined where there is none. */
const writtenAt = (path) => statSync(inPackage(path), { throwIfNoEntry: false })?.mtimeMs;

/** The version alone, which other programs ask for at each of their starts, loads nothing of the program. */
function showVersion() {
  process.stdout.on("error", () => {});
  process.stdout.write(`${JSON.parse(readFileSync(inPackage("package.json"), "utf8")).version}\n`);
}

/**
 * What is compiled is kept for the next start, where Node can (22 and later). In a folder of the user's own: whoever can write there decides what
 * runs, and so it is not the one for temporary files, and under another user's rights it is none.
 */
function keepCompiled() {
  const { XDG_CACHE_HOME, HOME } = process.env;
  const home = XDG_CACHE_HOME || (HOME && `${HOME}/.cache`);
  try {
    if (home?.startsWith("/") && statSync(home).uid === process.getuid?.())
      module.enableCompileCache?.(`${home}/aaepd/compiled`);
  } catch {
    // It starts without.
  }
}

/** The keys of `aaepd speak`, of src/cli/speak/key-names.ts: a person waits for them, so that they load no more than they need. */
const KEYS = "hush again back skip where pause resume mute questions details answer braille stop".split(" ");

/** The bundle of a command, and its module. A listener elsewhere waits for `connect`. */
function partOf(argv) {
  if (argv[0] === "connect" && argv.length === 1) return ["connect", "serve/connect-run"];
  const isKey = KEYS.includes(argv[0]) && !argv.includes("--help") && !argv.includes("-h");
  return isKey ? ["key", "speak/key"] : ["main", "main"];
}

async function runCommand(argv) {
  keepCompiled();
  const [bundle, module] = partOf(argv);
  const bundled = writtenAt(`dist/bundle/${bundle}.js`);
  const compiled = Math.max(...["pure", "node"].map((part) => writtenAt(`dist/${part}.tsbuildinfo`) ?? 0));
  // What was compiled since the bundle was made is not in it. Where the package is installed, there is no trace of compiling.
  const isBundled = bundled !== undefined && bundled >= compiled;
  const entry = isBundled ? `dist/bundle/${bundle}.js` : `dist/src/cli/${module}.js`;
  if (writtenAt(entry) !== undefined) return (await import(inPackage(entry))).main({ argv });
  const isClone = writtenAt("src") !== undefined;
  const remedy = isClone ? `Run "npm ci" in ${fileURLToPath(inPackage("."))}` : "Install it without --ignore-scripts.";
  process.stderr.write(`Error: aaepd is not built. ${remedy}\n`);
  process.exitCode = 1;
}

const argv = process.argv.slice(2);
if (argv.length === 1 && ["-v", "--version"].includes(argv[0])) showVersion();
else if (argv[0] === "hook" && ["claude", "codex"].includes(argv[1])) await import("./aaepd-hook.js");
else await runCommand(argv);
