#!/usr/bin/env node
// Runs in this very process, whatever it is told: a program that starts another one leaves it behind when it is killed.
import { statSync } from "node:fs";
import module from "node:module";

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

/** When a file was written, ms since 1970; undefined where there is none. */
const writtenAt = (path) => statSync(new URL(path, import.meta.url), { throwIfNoEntry: false })?.mtimeMs;

keepCompiled();
const bundled = writtenAt("../dist/bundle/main.js");
const compiled = Math.max(...["pure", "node"].map((part) => writtenAt(`../dist/${part}.tsbuildinfo`) ?? 0));
// What was compiled since the bundle was made is not in it. Where the package is installed, there is no trace of compiling.
const entry = bundled !== undefined && bundled >= compiled ? "../dist/bundle/main.js" : "../dist/src/cli/main.js";
if (writtenAt(entry) !== undefined) {
  const { main } = await import(entry);
  await main({ argv: process.argv.slice(2) });
} else {
  process.stderr.write("Error: aaepd has not been built yet. Run npm ci, or npm run build, in its folder.\n");
  process.exitCode = 1;
}
