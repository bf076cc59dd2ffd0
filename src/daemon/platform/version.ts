import { readFileSync } from "node:fs";

/** The version that package.json states, whether this runs out of the bundle, from its source or compiled. */
export function readVersion(): string {
  for (const path of ["../../package.json", "../../../package.json", "../../../../package.json"]) {
    try {
      const { name, version } = JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8"));
      if (name === "aaepd" && typeof version === "string") return version;
    } catch {
      // Not there: the next one.
    }
  }
  return "0.0.0";
}
