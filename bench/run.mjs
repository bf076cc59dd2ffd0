// npm run bench -- [--quick] [--row NAME]... [--json FILE] [--pairs N] [--profile FOLDER]
// Measures the daemon beside the raw limit of each path, in pairs within one run, and prints the table; docs/performance.md says what it means.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, release, totalmem } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createStage } from "./children.mjs";
import { isMet } from "./measuring.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

const { values: options } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    row: { type: "string", multiple: true },
    json: { type: "string" },
    pairs: { type: "string" },
    profile: { type: "string" },
  },
});

// What is measured is what the sources say now. Errors of types are for `npm run types`; the files are written all the same.
for (const step of [["node_modules/typescript/bin/tsc", "-b"], ["scripts/bundle.mjs"]])
  spawnSync(process.execPath, step, { cwd: ROOT });

const ROWS = new Map([
  ["ingest", async () => (await import("./rows/ingest.mjs")).ingestRows],
  ["socket", async () => (await import("./rows/socket.mjs")).socketRows],
  ["services", async () => (await import("./rows/services.mjs")).servicesRows],
  ["services-paused", async () => (await import("./rows/services-paused.mjs")).servicesPausedRows],
  ["services-ingest", async () => (await import("./rows/services-ingest.mjs")).servicesIngestRows],
  ["stdio", async () => (await import("./rows/stdio.mjs")).stdioRows],
  ["encodings", async () => (await import("./rows/counted.mjs")).encodingRows],
  ["shaped", async () => (await import("./rows/shaped.mjs")).shapedRows],
  ["idle", async () => (await import("./rows/many.mjs")).idleRows],
  ["slow", async () => (await import("./rows/many.mjs")).slowRows],
  ["slow-full", async () => (await import("./rows/many.mjs")).slowFullRows],
  ["start", async () => (await import("./rows/start.mjs")).startRows],
  ["replies", async () => (await import("./rows/replies.mjs")).repliesRows],
  ["latency", async () => (await import("./rows/latency.mjs")).latencyRows],
]);

const wanted = options.row ?? [...ROWS.keys()];
const unknown = wanted.find((name) => !ROWS.has(name));
if (unknown !== undefined) {
  console.error(`There is no row "${unknown}". Rows: ${[...ROWS.keys()].join(", ")}.`);
  process.exit(64);
}

const settings = {
  pairs: Number(options.pairs ?? (options.quick ? 1 : 5)),
  scale: options.quick ? 0.05 : 1,
  quick: options.quick,
  profile: options.profile,
};

const lines = [];
for (const name of wanted) {
  const rows = await ROWS.get(name)();
  const stage = createStage(settings);
  try {
    for (const line of await rows(stage, settings)) {
      lines.push({ row: name, ...line });
      print({ row: name, ...line });
    }
  } finally {
    await stage.close();
  }
}

const result = {
  ...machine(),
  quick: options.quick,
  pairs: settings.pairs,
  rows: lines.map((line) => ({ ...line, met: isMet(line) })),
};
const file = options.json ?? (options.quick ? undefined : join(ROOT, "bench/results/latest.json"));
if (file !== undefined) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(result, undefined, 2)}\n`);
}
const aimed = result.rows.filter(({ met }) => met !== undefined);
const missed = aimed.filter(({ met }) => !met).length;
console.log(
  `\n${aimed.length - missed} of ${aimed.length} targets met. ${result.cpu}, ${result.cores} cores, Node ${result.node}.`,
);

function machine() {
  const [first] = cpus();
  const commit = () => {
    try {
      return execFileSync("git", ["rev-parse", "--short", "HEAD"], { cwd: ROOT, encoding: "utf8" }).trim();
    } catch {
      return undefined;
    }
  };
  return {
    at: new Date().toISOString(),
    commit: commit(),
    cpu: first?.model ?? "unknown",
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${process.platform} ${release()} ${process.arch}`,
    node: process.versions.node,
    v8: process.versions.v8,
  };
}

function figure(value) {
  if (value === undefined) return "";
  return Math.abs(value) >= 1000 ? Math.round(value).toLocaleString("en") : String(Number(value.toPrecision(3)));
}

function print(line) {
  const { what, unit, daemon, bare, value, least, most, valueUnit, target, note } = line;
  const verdict = target === undefined ? "known" : isMet(line) ? "met" : "MISSED";
  const beside = daemon === undefined ? "" : `  ${figure(daemon)} beside ${figure(bare)} ${unit}`;
  const spread = least === most ? "" : ` (${figure(least)} to ${figure(most)})`;
  console.log(`${verdict.padEnd(6)}  ${what}`);
  const measured = value === undefined ? "no figure" : `${figure(value)} ${valueUnit}`;
  const aim = target === undefined ? "no target" : `target ${target.kind} ${target.bound}`;
  console.log(`        ${measured}${spread}, ${aim}${beside}`);
  if (note !== undefined) console.log(`        ${note}`);
}
