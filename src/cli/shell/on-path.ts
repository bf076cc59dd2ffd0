// Whether a shell would find a program.
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

/** Looks in the folders of PATH, on Windows with the endings of programs there. */
export function isOnPath(program: string, { PATH = "", PATHEXT = ".COM;.EXE;.BAT;.CMD" }: NodeJS.ProcessEnv): boolean {
  const endings = process.platform === "win32" ? PATHEXT.split(";") : [""];
  return PATH.split(delimiter)
    .filter(isAbsolute)
    .some((folder) => endings.some((ending) => isProgram(join(folder, program + ending))));
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
