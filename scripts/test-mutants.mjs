// Checks that the tests notice mutants: copies of the project with one small slip each. Exits 1 if they notice too few. Usage:
//   npm run test:mutants -- --count N                a sample from all rooms but src/conformance
//   npm run test:mutants -- --only src/engine/views  a file or a folder only; may be repeated
//   npm run test:mutants -- --last N                 only files of the last N commits that touched sources; in a clone of one commit all files
// Options: --seed TEXT draws others (the hash of the last commit), --tests PATH asks exactly these tests, a file or a folder, may be repeated,
// --at-least PERCENT (default 92; a room with 20 or more may have 7 less), --budget SECONDS of tests for each mutant, the nearest first, as on an
// idle machine (default 10; no end with --tests), --slots N at a time (default 2), --json, --root FOLDER.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { changesOf } from "./mutants/changes.mjs";
import { createJudge } from "./mutants/judge.mjs";
import { createNearest } from "./mutants/nearest.mjs";
import { isEnough, isLeft, leftOf, reportOf } from "./mutants/report.mjs";
import { createRunner } from "./mutants/runner.mjs";
import { drawn } from "./mutants/sample.mjs";
import { arm, createScratch, filesIn, readSources, removeScratch } from "./mutants/scratch.mjs";
import { accepted } from "./mutants/types.mjs";

const { values: options } = parseArgs({
  options: {
    seed: { type: "string" },
    count: { type: "string", default: "40" },
    only: { type: "string", multiple: true },
    last: { type: "string" },
    tests: { type: "string", multiple: true },
    "at-least": { type: "string", default: "92" },
    budget: { type: "string" },
    slots: { type: "string", default: "2" },
    json: { type: "boolean", default: false },
    root: { type: "string", default: fileURLToPath(new URL("..", import.meta.url)) },
  },
});
const { root, last, only, tests } = options;
const [count, slots] = [Number(options.count), Number(options.slots)];
const budgetMs = 1000 * Number(options.budget ?? (tests === undefined ? 10 : 3600));
const tell = (text) => process.stderr.write(`mutants: ${text}\n`);
const git = (...args) => spawnSync("git", args, { cwd: root, encoding: "utf8" }).stdout.trim();
/** Its cases are judged by `npm run test:conformance`, and drawn only where they are named. */
const JUDGED_APART = "src/conformance";
const isIn = (path, part) => path === part || path.startsWith(part.replace(/\/?$/, "/"));

const closing = new Set();
const closeAll = () => {
  for (const close of [...closing].reverse()) close();
  closing.clear();
};
for (const name of ["SIGINT", "SIGTERM"])
  process.once(name, () => {
    closeAll();
    process.exit(1);
  });

function createCopy() {
  const folder = createScratch(root);
  closing.add(() => removeScratch(folder));
  return folder;
}

const sources = readSources(root);
const touched =
  last === undefined
    ? undefined
    : git("log", `-${last}`, "--format=", "--name-only", "--", "src", "transports").split("\n");
const isNamed = (path) => (only === undefined ? !isIn(path, JUDGED_APART) : only.some((part) => isIn(path, part)));
if (only?.every((part) => sources.some(({ path }) => isIn(path, part))) === false) {
  tell(`no such file or folder in src and transports: --only ${only.join(" --only ")}`);
  process.exit(2);
}
const chosen = sources.filter(({ path }) => isNamed(path) && (touched?.includes(path) ?? true));
const seed = options.seed ?? git("rev-parse", "HEAD");
const queues = drawn(
  chosen.map(({ path, source }) => ({ path, source, changes: changesOf(source, path) })),
  seed,
  count,
);
// A mutant that the compiler refuses does not count; the next of its room replaces it.
const candidates = queues.flatMap(({ quota, mutants }) => mutants.slice(0, quota && 2 * quota + 4));
for (const [index, mutant] of candidates.entries()) mutant.number = index + 1;
const first = createCopy();
const viable = new Set(accepted(first, sources, candidates));
const mutants = queues.flatMap(({ quota, mutants: all }) => all.filter((one) => viable.has(one)).slice(0, quota));
// All rooms at once, so that the first of them are a sample too.
mutants.sort((one, other) => (one.rank < other.rank ? -1 : 1));
tell(
  `${mutants.length} of seed ${seed}; the compiler refused ${candidates.length - viable.size} of ${candidates.length}`,
);

const asked = filesIn(root, "test", ".test.ts").filter((path) => tests?.some((part) => isIn(path, part)));
const testsFor = tests === undefined ? createNearest(root) : () => asked;
const [waiting, judged, sound, known] = [[...mutants], [], new Map(), new Map()];
async function work(folder) {
  arm(folder, sources, mutants);
  const runner = createRunner(folder);
  closing.add(runner.close);
  const judge = createJudge(folder, runner, testsFor, sound, known, budgetMs);
  for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
    const result = await judge(mutant);
    judged.push(result);
    tell(isLeft(result) ? leftOf(result) : `${result.path}:${result.line} is noticed by ${result.by}`);
  }
}
try {
  await Promise.all(
    Array.from({ length: Math.min(slots, mutants.length) }, (_, index) => work(index === 0 ? first : createCopy())),
  );
} finally {
  closeAll();
}
const placeOf = ({ path, start, text }) => [path, String(start).padStart(8, "0"), text].join(" ");
judged.sort((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1));
for (const [path, passes] of sound) if (!passes) tell(`${path} fails without any mutant, and was not asked`);
console.log(options.json ? JSON.stringify(judged, null, 2) : reportOf(judged));
if (!isEnough(judged, Number(options["at-least"]))) process.exitCode = 1;
