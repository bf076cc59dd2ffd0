// Programs of a registry, in a folder of their own. npm keeps what it has downloaded for the next run.
import { execFile } from "node:child_process";
import { temporaryDirectory } from "../../support/temporary-directory.js";
import { succeed } from "../package/stage.js";

/** Installs packages, each with its version. Returns the folder of `node_modules`. */
export async function installed(...packages: readonly [string, ...string[]]): Promise<string> {
  const folder = temporaryDirectory();
  await succeed(folder, "npm", "install", "--no-audit", "--no-fund", "--prefer-offline", ...packages);
  return `${folder}/node_modules`;
}

/** Runs a program that must end with 0, without input. Returns its standard output. */
export function outputOf(
  env: Readonly<Record<string, string>>,
  program: string,
  ...argv: readonly string[]
): Promise<string> {
  return new Promise((resolve, reject) => {
    const running = execFile(program, argv, { env }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${program} ended with ${error.code}: ${stdout}${stderr}`));
    });
    running.stdin?.end();
  });
}
