// The token of this daemon, in a file that only its user can read.
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Fault } from "../base/errors.js";

export interface TokenFile {
  readonly path: string;
  /** Replaces the token in one step. Throws as `writeTokenFile`; the old token then stays in place. */
  readonly replace: (token: string) => void;
  /** Removes the file, unless it contains another token by now. Never throws. */
  readonly remove: () => void;
}

/** Writes the token with mode 0600, in one step. The folder must belong to the user. Throws a Fault "permission_denied". */
export function writeTokenFile(path: string, token: string): TokenFile {
  let written = token;
  putInPlace(path, token);
  return {
    path,
    replace: (next) => {
      putInPlace(path, next);
      written = next;
    },
    remove: () => {
      try {
        if (readFileSync(path, "utf8").trim() === written) rmSync(path, { force: true });
      } catch {
        // The file is gone already, or belongs to another daemon.
      }
    },
  };
}

function putInPlace(path: string, token: string): void {
  const draft = join(dirname(path), `.${basename(path)}.${process.pid}`);
  try {
    rmSync(draft, { force: true });
    writeFileSync(draft, `${token}\n`, { mode: 0o600, flag: "wx" });
    renameSync(draft, path);
  } catch (caught) {
    rmSync(draft, { force: true });
    const sentence = `The token could not be written to ${path}. Make its folder one that you may write to.`;
    throw new Fault("permission_denied", sentence, { origin: "local", cause: caught });
  }
}
