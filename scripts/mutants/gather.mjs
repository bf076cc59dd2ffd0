// Finds out which blocks each test file reaches, and stores the result beside the packages.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { withCounters } from "./blocks.mjs";
import { createRunner } from "./runner.mjs";
import { compile, filesIn, readSources, write } from "./scratch.mjs";

const LIMIT_MS = 300_000;
const COUNTERS = "counters/reached";
const CURRENT = "counters/current";

const digest = (text) => createHash("sha256").update(text).digest("hex").slice(0, 16);
const cachePath = (root) => join(root, "node_modules/.cache/mutants/reach.json");

/**
 * Returns the blocks reached by the tests of the project at `root`: `{ sources, keys, tests }`. `sources` are the digests of the counted sources,
 * `keys` the blocks, and `tests` has for each test file its digest, its duration, whether it passed, and the numbers of its blocks. Unchanged test
 * files are not run again, however the sources have changed, unless `isAnew`. Runs `slots` at a time.
 */
export async function gather(root, { slots, isAnew, tell, signal }) {
  const map = isAnew ? emptyMap() : (readMap(root) ?? emptyMap());
  const texts = new Map(
    filesIn(root, "test", ".test.ts").map((path) => [path, readFileSync(join(root, path), "utf8")]),
  );
  const waiting = [...texts.keys()].filter((path) => map.tests[path]?.digest !== digest(texts.get(path)));
  for (const path of Object.keys(map.tests)) if (!texts.has(path)) delete map.tests[path];
  if (waiting.length === 0) return map;
  const sources = readSources(root);
  if (waiting.length === texts.size)
    map.sources = Object.fromEntries(sources.map(({ path, source }) => [path, digest(source)]));
  tell(`finding out what ${waiting.length} test files reach; this is done once`);
  const numbers = new Map(map.keys.map((key, id) => [key, id]));
  const idOf = (key) => {
    if (!numbers.has(key)) numbers.set(key, map.keys.push(key) - 1);
    return numbers.get(key);
  };
  const work = async () => {
    const runner = createRunner(root);
    signal.addEventListener("abort", runner.close);
    try {
      count(runner.folder, sources, idOf);
      for (let path = waiting.shift(); path !== undefined && !signal.aborted; path = waiting.shift()) {
        map.tests[path] = { digest: digest(texts.get(path)), ...(await reachOf(runner, path)) };
        if (waiting.length % 25 === 0) writeMap(root, map);
        tell(`${path}: ${map.tests[path].reached.length} blocks, ${(map.tests[path].ms / 1000).toFixed(1)} s`);
      }
    } finally {
      runner.close();
    }
  };
  await Promise.all(Array.from({ length: slots }, work));
  if (!signal.aborted) writeMap(root, map);
  return map;
}

/** Whether a source is unchanged since the tests were counted with it. */
export const isCounted = (map, path, source) => map.sources[path] === digest(source);

function count(folder, sources, idOf) {
  const counters = join(folder, `${COUNTERS}.mjs`);
  for (const { path, source } of sources)
    write(
      folder,
      path,
      withCounters(source, path, counters, ({ key }) => idOf(`${path}#${key}`)),
    );
  // Each block is recorded when it is first reached, because a killed process reports nothing at its end.
  write(
    folder,
    `${COUNTERS}.mjs`,
    `import { openSync, readFileSync, writeSync } from "node:fs";
const seen = new Set();
let file;
export function reached(id) {
  if (seen.has(id)) return;
  seen.add(id);
  file ??= openSync(readFileSync(${JSON.stringify(join(folder, CURRENT))}, "utf8"), "a");
  writeSync(file, id + "\\n");
}
`,
  );
  write(folder, `${COUNTERS}.d.mts`, "export declare function reached(id: number): void;\n");
  compile(folder);
}

async function reachOf(runner, path) {
  const list = join(runner.folder, "counters/list");
  rmSync(list, { force: true });
  writeFileSync(list, "");
  write(runner.folder, CURRENT, list);
  const { passed, ms } = await runner.run(path, { limitMs: LIMIT_MS, isWhole: true });
  const ids = new Set(readFileSync(list, "utf8").split("\n").slice(0, -1).map(Number));
  return { ms: Math.round(ms), passed, reached: [...ids].sort((one, other) => one - other) };
}

const emptyMap = () => ({ sources: {}, keys: [], tests: {} });

function readMap(root) {
  try {
    return JSON.parse(readFileSync(cachePath(root), "utf8"));
  } catch {
    return undefined;
  }
}

function writeMap(root, map) {
  const path = cachePath(root);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.${process.pid}`, JSON.stringify(map));
  renameSync(`${path}.${process.pid}`, path);
}
