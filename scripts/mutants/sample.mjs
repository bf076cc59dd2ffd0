// Draws the mutants of a seed: from each room in proportion to its code.
import { createHash } from "node:crypto";
import { withChange } from "./switches.mjs";

/** The room of a source: the first two folders of its path at most. */
export function roomOf(path) {
  return path.split("/").slice(0, -1).slice(0, 2).join("/");
}

/**
 * Returns for each room a list of all its mutants, in an order that depends only on `seed` and the mutants, with the room's `quota` in a sample of
 * `count`. `sources` are `{ path, source, changes }`. A change of one line moves no mutant of another.
 */
export function drawn(sources, seed, count) {
  const rooms = new Map();
  for (const { path, source, changes } of sources) {
    const seen = new Map();
    for (const change of changes) {
      const { line, from, to } = lineOf(source, change);
      const name = [seed, path, from, to].join("\n");
      const number = (seen.get(name) ?? 0) + 1;
      seen.set(name, number);
      const rank = createHash("sha256").update(`${name}\n${number}`).digest("hex");
      const room = roomOf(path);
      if (!rooms.has(room)) rooms.set(room, []);
      rooms.get(room).push({ path, room, line, from, to, rank, ...change });
    }
  }
  const names = [...rooms.keys()].sort();
  for (const mutants of rooms.values()) mutants.sort((one, other) => (one.rank < other.rank ? -1 : 1));
  const quotas = quotasOf(
    names.map((name) => rooms.get(name).length),
    count,
  );
  return names.map((room, index) => ({ room, mutants: rooms.get(room), quota: quotas[index] }));
}

/** The line of a change, and what it says before and after it. */
function lineOf(source, change) {
  const { start, end } = change;
  const from = source.lastIndexOf("\n", start - 1) + 1;
  const to = source.indexOf("\n", end);
  const around = source.slice(from, to === -1 ? source.length : to);
  const shown = (text) => text.trim().replace(/\s*\n\s*/g, " ");
  const changed = withChange(around, { ...change, start: start - from, end: end - from });
  return { line: source.slice(0, start).split("\n").length, from: shown(around), to: shown(changed) };
}

/** Whole numbers in proportion to the sizes, `count` in all if possible. The remainder goes to the largest fractions. */
function quotasOf(sizes, count) {
  const all = sizes.reduce((sum, size) => sum + size, 0);
  const wanted = Math.min(count, all);
  const shares = sizes.map((size) => (wanted * size) / Math.max(all, 1));
  const quotas = shares.map(Math.floor);
  const byRest = shares.map((share, index) => [share - quotas[index], index]).sort((one, other) => other[0] - one[0]);
  const left = wanted - quotas.reduce((sum, quota) => sum + quota, 0);
  for (const [, index] of byRest.slice(0, left)) quotas[index] += 1;
  return quotas;
}
