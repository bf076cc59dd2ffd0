// A damaged file is never deleted. It gets a name with the date, so that a person can examine it.
import { existsSync, renameSync } from "node:fs";

/**
 * Renames the file, and then its lock file, in one step each. After a crash between the steps a new journal begins as well, and the renamed file is
 * whole. Returns the new name.
 */
export function setAside(path: string, wallTime: number): string {
  const stamp = new Date(wallTime).toISOString().replaceAll(/[:.]/g, "-");
  let name = `${path}.damaged-${stamp}`;
  for (let instance = 2; existsSync(name); instance += 1) name = `${path}.damaged-${stamp}-${instance}`;
  renameSync(path, name);
  if (existsSync(`${path}-lock`)) renameSync(`${path}-lock`, `${name}-lock`);
  return name;
}
