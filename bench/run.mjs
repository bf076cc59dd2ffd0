// npm run bench -- [--quick] [--row NAME]... [--attack NAME]... [--write] [--json FILE] [--pairs N] [--profile FOLDER]
// Measures the daemon beside the raw limit of each path, in pairs within one run. `--write` makes docs/benchmarks.md of a whole run.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createStage } from "./children.mjs";
import { commit, diskOf, machine } from "./machine.mjs";
import { inTime, isMet } from "./measuring.mjs";
import { lineText, reportOf } from "./report.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const PAGE = join(ROOT, "docs/benchmarks.md");
/** Default time limit of a row, longer than any takes on a slow machine. */
const LONGEST_ROW_MS = 600_000;

const { values: options } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    row: { type: "string", multiple: true },
    attack: { type: "string", multiple: true },
    write: { type: "boolean", default: false },
    json: { type: "string" },
    pairs: { type: "string" },
    profile: { type: "string" },
  },
});

// The measurement uses the current sources. `npm run types` reports errors of types; the files are written nevertheless.
for (const step of [["node_modules/typescript/bin/tsc", "-b"], ["scripts/bundle.mjs"]])
  spawnSync(process.execPath, step, { cwd: ROOT });
const { SECTIONS } = await import("./sections.mjs");
const { ATTACKS } = await import("./attacks.mjs");

const names = SECTIONS.map(({ name }) => name);
const unknown = options.row?.find((name) => !names.includes(name));
if (unknown !== undefined) {
  console.error(`There is no row "${unknown}". Rows: ${names.join(", ")}.`);
  process.exit(64);
}

const strange = options.attack?.find((name) => !ATTACKS.some((one) => one.name === name));
if (strange !== undefined) {
  console.error(`There is no attack "${strange}". Attacks: ${ATTACKS.map(({ name }) => name).join(", ")}.`);
  process.exit(64);
}

if (options.write && (options.quick || options.row !== undefined || options.attack !== undefined)) {
  console.error("--write makes the page of a whole run: leave out --quick, --row and --attack.");
  process.exit(64);
}

/** `--attack` selects attacks without other rows. */
const rowNames = options.attack === undefined ? options.row : ["attack"];

const settings = {
  pairs: Number(options.pairs ?? (options.quick ? 1 : 5)),
  scale: options.quick ? 0.05 : 1,
  quick: options.quick,
  profile: options.profile,
  attacks: options.attack,
};
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(130));

const begin = performance.now();
const stageOfDisk = createStage(settings);
const disk = diskOf(stageOfDisk.diskFolder("probe"));
await stageOfDisk.close();
const facts = { at: new Date().toISOString(), commit: commit(), ...machine(), disk };

const measured = [];
const failed = [];
for (const { name, title, rows, longestMs = LONGEST_ROW_MS } of SECTIONS.filter(
  (one) => rowNames?.includes(one.name) ?? true,
)) {
  const from = performance.now();
  console.log(`\n${title}`);
  const stage = createStage(settings);
  try {
    const lines = await inTime(rows(stage, settings), longestMs, `It took longer than ${longestMs / 60_000} minutes.`);
    for (const line of lines) console.log(lineText(line));
    const seconds = Math.round((performance.now() - from) / 1000);
    console.log(`        ${seconds} s`);
    const judged = lines.map((line) => ({ ...line, met: isMet(line) }));
    measured.push({ name, seconds, lines: judged });
  } catch (error) {
    // A failed row must not lose the others.
    console.error(error);
    failed.push(name);
  } finally {
    await stage.close();
  }
}

const result = { ...facts, pairs: settings.pairs, sections: measured };
if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(result, undefined, 2)}\n`);
if (options.write && failed.length === 0) writeFileSync(PAGE, reportOf(result, SECTIONS));
const aimed = measured.flatMap(({ lines }) => lines.filter(({ met }) => met !== undefined));
const missed = aimed.filter(({ met }) => !met).length;
console.log(
  `\n${aimed.length - missed} of ${aimed.length} targets met. ${facts.cpu}, ${facts.cores} cores, Node ${facts.node}. ` +
    `${Math.round((performance.now() - begin) / 1000)} s in all.`,
);
if (failed.length > 0) {
  console.error(`Could not be measured: ${failed.join(", ")}.`);
  process.exitCode = 1;
}
