import { readFileSync } from "node:fs";

/** Returns the version of this package, whether this file runs from the bundle, from its source or compiled. */
export function readVersion(): string {
  for (const path of ["../../package.json", "../../../package.json", "../../../../package.json"]) {
    try {
      const { name, version } = JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8"));
      if (/^(@aaepd\/\w+|aaepd)$/.test(name) && typeof version === "string") return version;
    } catch {
      // Not there: try the next path.
    }
  }
  return "0.0.0";
}
