// npm run bench -- [--quick] [--row NAME]... [--attack NAME]... [--report FILE] [--json FILE] [--pairs N] [--profile FOLDER]
// Measures the daemon beside the raw limit of each path, in pairs within one run, and writes the results as a page and as JSON.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createStage } from "./children.mjs";
import { inTime } from "./in-time.mjs";
import { commit, diskOf, machine } from "./machine.mjs";
import { isMet } from "./measuring.mjs";
import { lineText, reportOf } from "./report.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const REFERENCE = join(ROOT, "bench/results/reference.json");
const LATEST = join(ROOT, "bench/results/latest");
/** Default time limit of a row, longer than any takes on a slow machine. */
const LONGEST_ROW_MS = 600_000;

const { values: options } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    row: { type: "string", multiple: true },
    attack: { type: "string", multiple: true },
    report: { type: "string" },
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

/** `--attack` selects attacks without other rows. */
const rowNames = options.attack === undefined ? options.row : ["attack"];

const settings = {
  pairs: Number(options.pairs ?? (options.quick ? 1 : 5)),
  scale: options.quick ? 0.05 : 1,
  quick: options.quick,
  profile: options.profile,
  attacks: options.attack,
};
const jsonPath = options.json ?? (options.report === undefined ? `${LATEST}.json` : REFERENCE);
const reportPath = options.report ?? `${LATEST}.md`;
// A selection of attacks is no complete row.
const isWritten =
  options.attack === undefined && (!options.quick || options.json !== undefined || options.report !== undefined);

for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(130));

const begin = performance.now();
const stageOfDisk = createStage(settings);
const disk = diskOf(stageOfDisk.diskFolder("probe"));
await stageOfDisk.close();
const facts = { at: new Date().toISOString(), commit: commit(), ...machine(), disk, quick: options.quick };

const measured = [];
const failed = [];
for (const { name, title, rows, longestMs = LONGEST_ROW_MS } of SECTIONS.filter(
  (one) => rowNames?.includes(one.name) ?? true,
)) {
  const from = performance.now();
  const at = new Date().toISOString();
  console.log(`\n${title}`);
  const stage = createStage(settings);
  try {
    const lines = await inTime(rows(stage, settings), longestMs, `It took longer than ${longestMs / 60_000} minutes.`);
    for (const line of lines) console.log(lineText(line));
    const seconds = Math.round((performance.now() - from) / 1000);
    console.log(`        ${seconds} s`);
    const judged = lines.map((line) => ({ ...line, met: isMet(line) }));
    measured.push({ name, at, commit: facts.commit, seconds, lines: judged });
  } catch (error) {
    // A failed row must not lose the others.
    console.error(error);
    failed.push(name);
  } finally {
    await stage.close();
  }
}

if (isWritten) {
  const result = { ...facts, pairs: settings.pairs, sections: [...measured, ...kept()] };
  for (const file of [jsonPath, reportPath]) mkdirSync(dirname(file), { recursive: true });
  writeFileSync(jsonPath, `${JSON.stringify(result, undefined, 2)}\n`);
  // The committed page also lists rows that were never measured.
  const told = options.report === undefined ? SECTIONS.filter(({ name }) => isMeasured(result, name)) : SECTIONS;
  writeFileSync(reportPath, reportOf(result, told));
}
const aimed = measured.flatMap(({ lines }) => lines.filter(({ met }) => met !== undefined));
const missed = aimed.filter(({ met }) => !met).length;
console.log(
  `\n${aimed.length - missed} of ${aimed.length} targets met. ${facts.cpu}, ${facts.cores} cores, Node ${facts.node}. ` +
    `${Math.round((performance.now() - begin) / 1000)} s in all.`,
);
if (isWritten) console.log(`${reportPath}, ${jsonPath}`);
if (failed.length > 0) {
  const again = failed.map((name) => `--row ${name}`).join(" ");
  console.error(`Could not be measured: ${failed.join(", ")}. Again, keeping the others: ${again}`);
  process.exitCode = 1;
}

function isMeasured({ sections }, name) {
  return sections.some((one) => one.name === name);
}

/** Rows that were not requested are kept from the file if they come from this machine and from this Node. */
function kept() {
  if (options.row === undefined || !isWritten || !existsSync(jsonPath)) return [];
  const before = JSON.parse(readFileSync(jsonPath, "utf8"));
  const same = ["cpu", "cores", "memoryGiB", "system", "node", "quick"].every((name) => before[name] === facts[name]);
  if (!same || before.sections === undefined) return [];
  return before.sections.filter(({ name }) => names.includes(name) && !options.row.includes(name));
}
