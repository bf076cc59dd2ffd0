import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type * as jsonc from "jsonc-parser";

/**
 * Loads the parser of JSON with comments only where there is a file: loading takes 7 ms of a start. The package brings it along (scripts/bundle.mjs).
 */
export function loadJsonc(): typeof jsonc {
  const brought = new URL("../jsonc-parser/dist/index.cjs", import.meta.url);
  return createRequire(import.meta.url)(existsSync(brought) ? fileURLToPath(brought) : "jsonc-parser");
}
