// The token of this daemon, in a file that only its user can read.
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Fault } from "../base/errors.js";

export interface TokenFile {
  readonly path: string;
  /** Writes the file again if it is gone. Returns whether it was. Throws as `writeTokenFile`. */
  readonly renew: () => boolean;
  /** Replaces the token in one step. Throws as `writeTokenFile`; the old token then stays in place. */
  readonly replace: (token: string) => void;
  /** Removes the file, unless it contains another token by now. Never throws. */
  readonly remove: () => void;
}

/** Writes the token with mode 0600, in one step. The folder must belong to the user. Throws a Fault "permission_denied". */
export function writeTokenFile(path: string, token: string): TokenFile {
  let written = token;
  putToken(path, token, renameSync);
  return {
    path,
    renew: () => {
      if (existsSync(path)) return false;
      putToken(path, written, renameSync);
      return true;
    },
    replace: (next) => {
      putToken(path, next, renameSync);
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

/**
 * Writes the token with mode 0600 in one step: into a draft, which `put` then moves or links to the path. Throws a Fault "permission_denied", and
 * leaves no draft.
 */
export function putToken(path: string, token: string, put: (draft: string, path: string) => void): void {
  const draft = join(dirname(path), `.${basename(path)}.${process.pid}`);
  try {
    rmSync(draft, { force: true });
    writeFileSync(draft, `${token}\n`, { mode: 0o600, flag: "wx" });
    put(draft, path);
  } catch (caught) {
    const sentence = `The token could not be written to ${path}. Make its folder one that you may write to.`;
    throw new Fault("permission_denied", sentence, { origin: "local", cause: caught });
  } finally {
    rmSync(draft, { force: true });
  }
}
