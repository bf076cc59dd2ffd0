import { createRequire } from "node:module";
import type * as jsonc from "jsonc-parser";

/** Loads the parser of JSON with comments only where there is a file: loading takes 7 ms of a start. */
export function loadJsonc(): typeof jsonc {
  return createRequire(import.meta.url)("jsonc-parser");
}
