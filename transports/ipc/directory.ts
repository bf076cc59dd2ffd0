import { lstatSync, mkdirSync } from "node:fs";
import { Fault } from "../../src/base/errors.js";
import { faultFromNodeError, isAlreadyThere } from "../node-errors.js";

/**
 * Makes the folder of a socket where it is missing, and assures that nobody else can put, replace or reach a file in it (U3): ours, mode 0700, and
 * no symbolic link. Throws a Fault "permission_denied" that says what to do. Does not change a folder it did not make.
 */
export function assurePrivateDirectory(directory: string, userId: number | undefined): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (caught) {
    if (!isAlreadyThere(caught)) throw faultFromNodeError(caught, `the folder ${directory}`);
  }
  assertPrivateDirectory(directory, userId);
}

/** The same of a folder that is there. Throws besides what Node throws where it is not. */
export function assertPrivateDirectory(directory: string, userId: number | undefined): void {
  const status = lstatSync(directory);
  if (status.isSymbolicLink()) refuse(directory, "is a symbolic link", "Give the folder it points to");
  if (!status.isDirectory()) refuse(directory, "is not a folder", "Give a path in a folder");
  if (userId !== undefined && status.uid !== userId) {
    refuse(directory, `belongs to user ${status.uid}`, "Choose a folder of your own");
  }
  const mode = status.mode & 0o777;
  if ((mode & 0o077) !== 0) {
    refuse(
      directory,
      `has mode 0${mode.toString(8)}, so that others can reach the socket`,
      "Put the socket into a folder of your own with mode 700, in which nothing else is; do not change the mode of a folder of the system",
    );
  }
}

/** Those of them that are there and that nobody else can write to. */
export function privateDirectories(directories: readonly string[], userId: number | undefined): readonly string[] {
  return directories.filter((directory) => {
    try {
      assertPrivateDirectory(directory, userId);
      return true;
    } catch {
      return false;
    }
  });
}

function refuse(directory: string, is: string, advice: string): never {
  throw new Fault("permission_denied", `The folder ${directory} ${is}. ${advice}.`, { origin: "local" });
}
