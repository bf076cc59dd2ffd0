#!/usr/bin/env node
// Runs in this very process, whatever it is told: a program that starts another one leaves it behind when it is killed.
import { statSync } from "node:fs";

/** When a file was written, ms since 1970; undefined where there is none. */
const writtenAt = (path) => statSync(new URL(path, import.meta.url), { throwIfNoEntry: false })?.mtimeMs;

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
