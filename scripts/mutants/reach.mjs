// Chooses the tests for a mutant, the nearest first.
import { basename, dirname } from "node:path";

/**
 * Returns the tests for a mutant in the order of their runs: `{ path, ms }`, as many as fit into `budgetMs`, and at least one if there is any. `map`
 * is the result of `gather`. `isFresh`: the source is unchanged since it was counted; then a mutant in an unreached block has no tests. Otherwise the
 * tests of its function are the next best, then those of its file.
 */
export function testsFor(mutant, map, isFresh, budgetMs) {
  const { path, block } = mutant;
  const inFunction = `${path}#${block.slice(0, block.lastIndexOf("/") + 1)}`;
  const levels = [(key) => key === `${path}#${block}`];
  if (!isFresh)
    levels.push(
      (key) => key.startsWith(inFunction),
      (key) => key.startsWith(`${path}#`),
    );
  for (const isReached of levels) {
    const ids = new Set([...map.keys.keys()].filter((id) => isReached(map.keys[id])));
    const tests = Object.entries(map.tests).filter(([, { reached }]) => reached.some((id) => ids.has(id)));
    if (tests.length > 0) return withinBudget(byNearness(path, tests, map), budgetMs);
  }
  return [];
}

function withinBudget(tests, budgetMs) {
  let used = 0;
  return tests.filter(({ ms }, index) => {
    if (index > 0 && used + ms > budgetMs) return false;
    used += ms;
    return true;
  });
}

/** A test with the name of the file comes first, then the tests of its room, then short tests that do little else. */
function byNearness(path, tests, map) {
  const stem = basename(path, ".ts");
  const room = dirname(path)
    .split("/")
    .filter((name) => name !== "src");
  const rated = tests.map(([test, { ms, reached }]) => {
    const folders = dirname(test).split("/").slice(1);
    const apart = room.findIndex((name, index) => folders[index] !== name);
    const shared = apart === -1 ? room.length : apart;
    const here = reached.filter((id) => map.keys[id].startsWith(`${path}#`)).length;
    const isNamed = basename(test).startsWith(stem);
    return {
      path: test,
      ms,
      rank: [isNamed ? 1 : 0, shared === room.length ? 1 : 0, here / (reached.length + 200) / ms],
    };
  });
  const compare = ({ rank: one }, { rank: other }) => other[0] - one[0] || other[1] - one[1] || other[2] - one[2];
  return rated.sort(compare).map(({ path: test, ms }) => ({ path: test, ms }));
}
