import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cleanEnvironment, PROGRAM } from "./program.js";

/** A user's environment in a folder, with `aaepd` on the path as after an installation. `npx --no -- aaepd` starts it without the time of npm. */
export function environmentWithAaepd(directory: string): Record<string, string> {
  const bin = join(directory, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "aaepd"), `#!/bin/sh\nexec ${process.execPath} ${PROGRAM} "$@"\n`, { mode: 0o755 });
  writeFileSync(join(bin, "npx"), '#!/bin/sh\nshift 2\nexec "$@"\n', { mode: 0o755 });
  const environment = cleanEnvironment(directory);
  return { ...environment, PATH: `${bin}:${environment.PATH}` };
}
