// The files of `aaepd hook`: a host's settings, and the shim that they name. The shim is in the user's own folder, and settings do not name aaepd
// itself: Codex asks for trust in each changed line, and a removed aaepd must stop no agent.

import { isUtf8 } from "node:buffer";
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { isMissing, nodeErrorCode } from "../../../transports/node-errors.js";
import type { HookHostId } from "../../adapters/hooks/hook-host.js";
import { Fault, usage } from "../../base/errors.js";
import { writeWhole } from "../../daemon/platform/whole-file.js";
import { packagePath } from "../shell/program-paths.js";
import type { Environment } from "../terminal/command-io.js";

/** The programs that the shim starts. A parameter, so that tests can pass others. */
export interface HookPrograms {
  readonly node: string;
  readonly relay: string;
}

export function currentPrograms(): HookPrograms {
  return { node: process.execPath, relay: packagePath("bin", "aaepd-hook.js") };
}

/** The shim of this user: its path never changes, whatever becomes of aaepd. */
export function shimPath(environment: Environment, platform: NodeJS.Platform = process.platform): string {
  const { XDG_DATA_HOME: data, LOCALAPPDATA: local, HOME: home = homedir() } = environment;
  if (platform === "win32") return join(local ?? home, "aaepd", "hook.cmd");
  return join(data !== undefined && isAbsolute(data) ? data : join(home, ".local", "share"), "aaepd", "hook");
}

/** The end of the shim's path, and the host behind it. */
const SHIM_AND_HOST = /[/\\]aaepd[/\\]hook(?:\.cmd)?["']? ([a-z]{1,20})(?: |$)/;
/** An absolute path, perhaps in quotation marks. */
const ABSOLUTE = /^["']?(?:\/|[A-Za-z]:\\)/;

/** Whether a command of a host's settings is one of ours, wherever the shim was when it was written. */
export function isOurCommand(host: HookHostId): (command: string) => boolean {
  return (command) => {
    const found = SHIM_AND_HOST.exec(command);
    return found?.[1] === host && ABSOLUTE.test(command) && !/[;&|<>\n]/.test(command.slice(0, found.index));
  };
}

/** Whether hooks of this line ask a person. */
export function asksBy(command: string): boolean {
  return / --answer(?: |$)/.test(command);
}

/** The socket that a line names; undefined: the usual one. */
export function socketOf(command: string): string | undefined {
  // It is the last option.
  const [, word] = command.split(" --socket ", 2);
  if (word === undefined || !/^['"]/.test(word)) return word;
  return word.slice(1, -1).replaceAll("'\\''", "'");
}

/** In each shim. */
export const SHIM_MARK = "Made by aaepd hook install.";

/** A program that starts the hook, and does nothing where that is gone. */
export function shimText({ node, relay }: HookPrograms, platform: NodeJS.Platform = process.platform): string {
  if (platform === "win32")
    return `@rem ${SHIM_MARK}\r\n@if not exist "${relay}" exit /b 0\r\n@"${node}" "${relay}" %*\r\n@exit /b 0\r\n`;
  const [program, target] = [node, relay].map(quoted);
  return `#!/bin/sh
# ${SHIM_MARK} Settings of agents name this file. Without aaepd it does nothing.
[ -x ${program} ] && [ -f ${target} ] || exit 0
exec ${program} ${target} "$@"
`;
}

/** Whether Node and the program behind the hooks are where the shim of this user looks for them. */
export function hasPrograms(environment: Environment): boolean {
  const text = readIfThere(shimPath(environment));
  if (text === undefined) return false;
  // Linear: each match begins at its own `[ -x '`, `[ -f '` or quotation mark.
  const named = [
    ...text.matchAll(/\[ -[xf] '((?:[^']|'\\'')*)'/g),
    ...text.matchAll(/^@(?:if not exist )?"([^"]*)"/gm),
  ];
  return named.length > 0 && named.every(([, path = ""]) => existsSync(path.replaceAll("'\\''", "'")));
}

/** Whether the file is this shim. */
export function isShim(path: string, text: string): boolean {
  return readIfThere(path) === text;
}

/** Throws a Fault if it cannot be written. */
export function writeShim(path: string, text: string): void {
  if (isShim(path, text)) return;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeWhole(path, text, 0o700);
  } catch (caught) {
    throw unusable(path, "written", caught);
  }
}

/** "" for a file that is not there. Throws a Fault for one that cannot be read, or would not be the same bytes when it is written again. */
export function readSettings(path: string): string {
  try {
    const bytes = readPlain(path);
    if (isUtf8(bytes)) return bytes.toString("utf8");
    throw usage(`${path} is not UTF-8. It stays as it is. Save it as UTF-8, and run the command again.`);
  } catch (caught) {
    if (isMissing(caught)) return "";
    throw unusable(path, "read", caught);
  }
}

/** Bytes of a file that is read. Settings have some thousand. */
const MOST_BYTES = 1024 * 1024;

/** Throws the error of Node, or a Fault for what is no file, or too large. It waits for nobody: a pipe may have no writer. */
function readPlain(path: string): Buffer {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const status = fstatSync(file);
    if (status.isFile() && status.size <= MOST_BYTES) return readFileSync(file);
    const fault = status.isFile() ? "larger than 1 MiB" : "no file";
    throw kept(`${path} is ${fault}.`, "Mend it, and run the command again.");
  } finally {
    closeSync(file);
  }
}

/**
 * Replaces the file in one step, behind a link the one that it points to, with the mode and the owner that it has. `before`: what it is to have now.
 * Throws a Fault if that is not possible, if the file may not be written to, or if somebody has changed it.
 */
export function writeSettings(path: string, text: string, before: string): void {
  try {
    const target = linked(path);
    // Behind a link nothing is made but the file.
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    if (readSettings(path) !== before) throw kept(`${path} was changed in the meantime.`, "Run the command again.");
    const owner = statSync(target, { throwIfNoEntry: false });
    // A new file could take the place of one that its owner has made read-only.
    if (owner !== undefined && (owner.mode & 0o222) === 0)
      throw kept(`${path} is read-only.`, "Make it one that you may write to.");
    writeWhole(target, text, (owner?.mode ?? 0o600) & 0o7777, owner);
  } catch (caught) {
    throw unusable(path, "written", caught);
  }
}

/** The file to which a path leads, there or not. */
function linked(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  return isLink ? resolve(dirname(path), readlinkSync(path)) : path;
}

function readIfThere(path: string): string | undefined {
  try {
    return readPlain(path).toString("utf8");
  } catch {
    return undefined;
  }
}

/** A word of sh. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

function kept(what: string, todo: string): Fault {
  return new Fault("storage_unavailable", `${what} It stays as it is. ${todo}`, { origin: "local" });
}

function unusable(path: string, how: string, cause: unknown): Fault {
  if (cause instanceof Fault) return cause;
  const sentence = `${path} cannot be ${how} (${nodeErrorCode(cause)}). Make it one that you may read and write.`;
  return new Fault("storage_unavailable", sentence, { origin: "local", cause });
}
