// Checks that the tests notice mutants: copies of the project with one small slip each. Exits 1 if they notice too few. Usage:
//   npm run test:mutants -- --seed N --count N       a sample from all rooms; the same seed draws the same mutants
//   npm run test:mutants -- --only src/engine/views  a file or a folder only; may be repeated
// Options: --at-least PERCENT (default 85), --budget SECONDS of tests for each mutant, the nearest first (default 20), --slots N at a time
// (default 2), --json, --map (find out again which blocks each test reaches), --root FOLDER.
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { changesOf } from "./mutants/changes.mjs";
import { gather } from "./mutants/gather.mjs";
import { createJudge } from "./mutants/judge.mjs";
import { percentNoticed, reportOf } from "./mutants/report.mjs";
import { createRunner } from "./mutants/runner.mjs";
import { drawn } from "./mutants/sample.mjs";
import { readSources } from "./mutants/scratch.mjs";

const { values: options } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "200" },
    only: { type: "string", multiple: true, default: [""] },
    "at-least": { type: "string", default: "85" },
    budget: { type: "string", default: "20" },
    slots: { type: "string", default: "2" },
    json: { type: "boolean", default: false },
    map: { type: "boolean", default: false },
    root: { type: "string", default: fileURLToPath(new URL("..", import.meta.url)) },
  },
});
const [count, slots] = [Number(options.count), Number(options.slots)];
const tell = (text) => process.stderr.write(`mutants: ${text}\n`);

const interrupted = new AbortController();
for (const name of ["SIGINT", "SIGTERM"])
  process.once(name, () => {
    interrupted.abort();
    process.exit(1);
  });
const { signal } = interrupted;

const map = await gather(options.root, { slots, isAnew: options.map, tell, signal });
const sources = readSources(options.root);
const chosen = sources
  .filter(({ path }) => options.only.some((start) => path.startsWith(start)))
  .map(({ path, source }) => ({ path, source, changes: changesOf(source, path) }));
// A mutant that the compiler refuses does not count; the next of its room replaces it.
const queues = drawn(chosen, options.seed, count);
const next = () => {
  const queue = queues.find(({ quota, mutants }) => quota > 0 && mutants.length > 0);
  if (queue === undefined) return undefined;
  queue.quota -= 1;
  return { queue, mutant: { ...queue.mutants.shift(), room: queue.room } };
};
const judged = [];
const sound = new Map();
async function work() {
  const runner = createRunner(options.root);
  signal.addEventListener("abort", runner.close);
  try {
    const judge = createJudge(runner, sources, map, sound, Number(options.budget) * 1000);
    for (let one = next(); one !== undefined; one = next()) {
      const result = await judge(one.mutant);
      if (result.verdict === "refused") one.queue.quota += 1;
      else tell(`${result.path}:${result.line} ${result.verdict}: ${result.from} → ${result.to}`);
      judged.push(result);
    }
  } finally {
    runner.close();
  }
}
await Promise.all(Array.from({ length: slots }, work));
const placeOf = ({ path, start, text }) => [path, String(start).padStart(8, "0"), text].join(" ");
judged.sort((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1));
const unsound = [...sound].flatMap(([path, passes]) => (passes ? [] : [path]));
for (const path of unsound) tell(`${path} fails without any mutant, and was not asked`);
console.log(options.json ? JSON.stringify(judged, null, 2) : reportOf(judged));
if (percentNoticed(judged) < Number(options["at-least"])) process.exitCode = 1;
