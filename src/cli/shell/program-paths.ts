// Where programs are: those of this package, and those that a shell would find.
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** Returns the path of a file of this package: two levels up from the bundle, three from the source, four from a compiled module. */
export function packagePath(...parts: readonly string[]): string {
  const roots = ["../..", "../../..", "../../../.."].map((path) => fileURLToPath(new URL(path, import.meta.url)));
  const root = roots.find((candidate) => existsSync(join(candidate, "bin", "aaepd.js"))) ?? roots[0] ?? ".";
  return join(root, ...parts);
}

/** Names each page of docs/ in a text by its address: nobody looks into the folder of an installed package. */
export function withPages(text: string): string {
  return text.replaceAll(/\bdocs\/[a-z-]+\.md\b/g, (page) => pathToFileURL(packagePath(page)).href);
}

/** Whether a program stands where a package runner has put it for one run: `npx`, `pnpm dlx`, `yarn dlx` or `bunx` may empty that at any time. */
export function isInRunnersCache(program: string): boolean {
  return /[\\/](?:_npx|dlx(?:-[^\\/]*)?|bunx-[^\\/]*)[\\/]/.test(program);
}

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
