#!/usr/bin/env node
// Runs in this very process, whatever it is told: a program that starts another one leaves it behind when it is killed.
import { existsSync } from "node:fs";

const entry = new URL("../dist/src/cli/main.js", import.meta.url);
if (existsSync(entry)) {
  const { main } = await import(entry.href);
  await main({ argv: process.argv.slice(2) });
} else {
  process.stderr.write("Error: aaepd has not been built yet. Run npm ci, or npm run build, in its folder.\n");
  process.exitCode = 1;
}
