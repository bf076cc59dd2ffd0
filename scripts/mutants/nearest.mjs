// Which tests are asked about a source: those that import it, however indirectly, the nearest first.
import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { filesIn } from "./scratch.mjs";

const IMPORTS = /^(?:import|export)\s(?!type\s)[^;"]*?"(\.[^"]+)"|^\s*import\s*"(\.[^"]+)"|import\("(\.[^"]+)"\)/gm;
/** A test that starts programs of the package runs all of it, and imports nothing of it. */
const STARTS = "test/support/built.ts";

/** Returns `testsFor(path)` for the project at `root`: the paths of the test files to ask about a source. */
export function createNearest(root) {
  const paths = ["src", "transports", "test"].flatMap((folder) => filesIn(root, folder, ".ts"));
  const importers = new Map(paths.map((path) => [path, []]));
  for (const path of paths)
    for (const [, ...found] of readFileSync(join(root, path), "utf8").matchAll(IMPORTS)) {
      const imported = join(dirname(path), found.find(Boolean)).replace(/\.js$/, ".ts");
      importers.get(imported)?.push(path);
    }
  const starting = importers.has(STARTS) ? hopsTo(STARTS, importers) : new Map();
  return (path) => {
    const hops = hopsTo(path, importers);
    const stem = basename(path, ".ts");
    const room = dirname(path).replace(/^src\//, "");
    const rankOf = (test) => {
      const folder = dirname(test).replace(/^test\//, "");
      const isInRoom = folder === room || folder.startsWith(`${room}/`);
      const isNear = isInRoom || room.startsWith(`${folder}/`);
      if (!hops.has(test) && !(isNear && starting.has(test))) return undefined;
      if (isNear && basename(test).startsWith(`${stem}.`)) return 4;
      // Programs take long to start.
      return isNear ? (starting.has(test) ? 2 : 3) : starting.has(test) ? 0 : 1;
    };
    const farAway = paths.length;
    return paths
      .filter((test) => test.endsWith(".test.ts"))
      .map((test) => ({ test, rank: rankOf(test), away: hops.get(test) ?? farAway }))
      .filter(({ rank }) => rank !== undefined)
      .sort((one, other) => other.rank - one.rank || one.away - other.away)
      .map(({ test }) => test);
  };
}

/** How many imports each file is away from `path`. */
function hopsTo(path, importers) {
  const hops = new Map([[path, 0]]);
  for (const [reached, count] of hops)
    for (const importer of importers.get(reached) ?? []) if (!hops.has(importer)) hops.set(importer, count + 1);
  return hops;
}
