// A damaged file is never deleted: it gets a name with the date, and whoever knows more can look at it (P12).
import { existsSync, renameSync } from "node:fs";

/**
 * Renames the file and its lock file. In one step each, the file first: after a crash in between a new journal begins all the same, and what was
 * set aside is whole. Answers the new name.
 */
export function setAside(path: string, wallTime: number): string {
  const stamp = new Date(wallTime).toISOString().replaceAll(/[:.]/g, "-");
  let name = `${path}.damaged-${stamp}`;
  for (let instance = 2; existsSync(name); instance += 1) name = `${path}.damaged-${stamp}-${instance}`;
  renameSync(path, name);
  if (existsSync(`${path}-lock`)) renameSync(`${path}-lock`, `${name}-lock`);
  return name;
}
