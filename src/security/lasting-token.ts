// A token in a file that the operator names: it outlasts the daemon, so that a monitor need not look for another one after each start.
import { linkSync, mkdirSync, readFileSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import { Fault, usage } from "../base/errors.js";
import { putToken } from "./token-file.js";

/** Lengths of a token in a file, in characters. A shorter one could be guessed; a longer one is another kind of file. */
const LEAST_LENGTH = 32;
const MOST_LENGTH = 512;
/** Modes of a file and of its folder that let others in. */
const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;

/**
 * Returns the token of a file. If the file is missing, writes `fresh` into a new one of mode 0600. Throws a Fault "permission_denied" if other users
 * could read or replace the file, and "usage" if it has no token. `userId`: undefined where files have no owners.
 */
export function lastingToken(path: string, fresh: string, userId: number | undefined): string {
  const known = existingToken(path, userId);
  if (known !== undefined) return known;
  makeDirectory(dirname(path));
  create(path, fresh);
  return existingToken(path, userId) ?? fresh;
}

/** Reads a token as `lastingToken` does, and makes no file: undefined if it is missing. */
export function existingToken(path: string, userId: number | undefined): string | undefined {
  const folder = statusOf(dirname(path));
  if (folder === undefined) return undefined;
  assertOwn(dirname(path), folder, userId);
  const status = statusOf(path);
  if (status === undefined) return undefined;
  if (!status.isFile()) throw refused(path, "is no file", "Name a file (--http-token-file)");
  if (userId !== undefined) {
    if (status.uid !== userId) throw refused(path, `belongs to user ${status.uid}`, "Name a file of your own");
    const mode = status.mode & 0o777;
    if ((mode & OTHERS) !== 0) {
      const remedy = `Run: chmod 600 ${path}, or delete the file for another token`;
      throw refused(path, `has mode 0${mode.toString(8)}, so that other users can read the token`, remedy);
    }
  }
  return readToken(path);
}

/** Makes the folder if it alone is missing. A path of which more is missing is a mistake. */
function makeDirectory(directory: string): void {
  try {
    if (statusOf(directory) === undefined) mkdirSync(directory, { mode: 0o700 });
  } catch (caught) {
    const sentence = `There is no folder ${directory} for the token. Run: mkdir -p -m 700 ${directory}`;
    throw new Fault("not_found", sentence, { origin: "local", cause: caught });
  }
}

function assertOwn(directory: string, status: Stats, userId: number | undefined): void {
  if (userId === undefined) return;
  const isOwn = status.uid === userId || status.uid === 0;
  if (isOwn && (status.mode & OTHERS_WRITE) === 0) return;
  const why = isOwn ? `has mode 0${(status.mode & 0o7777).toString(8)}` : `belongs to user ${status.uid}`;
  const sentence = `The folder ${directory} of the token ${why}, so that other users can replace the token. Name a file in a folder of your own.`;
  throw new Fault("permission_denied", sentence, { origin: "local" });
}

/** Makes the file. If another daemon does so at the same time, the file of the first one stays. */
function create(path: string, token: string): void {
  try {
    putToken(path, token, linkSync);
  } catch (caught) {
    if (statusOf(path) === undefined) throw caught;
  }
}

function readToken(path: string): string {
  let text: string;
  try {
    text = readFileSync(path, "utf8").trim();
  } catch (caught) {
    throw refused(path, "cannot be read", `Run: chmod 600 ${path}`, caught);
  }
  if (text.length >= LEAST_LENGTH && text.length <= MOST_LENGTH && /^[\x21-\x7e]+$/.test(text)) return text;
  const wanted = `a word of ${LEAST_LENGTH} to ${MOST_LENGTH} letters, digits and signs`;
  const sentence = `The file ${path} has no token. Write ${wanted} into it, or delete it, and the daemon makes one.`;
  throw usage(sentence);
}

function refused(path: string, is: string, remedy: string, cause?: unknown): Fault {
  return new Fault("permission_denied", `The file ${path} of the token ${is}. ${remedy}.`, { origin: "local", cause });
}

function statusOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}
