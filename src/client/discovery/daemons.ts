// Finds the daemons of this user by the files in the runtime directory (AAEP appendix B). For Node.
import { lstat, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { isMissing } from "../../../transports/node-errors.js";

/** A socket in the runtime directory, with the contents of the files beside it. Only an attempt to connect shows whether a daemon listens. */
export interface FoundDaemon {
  /** The socket's file name without ".sock". */
  readonly name: string;
  readonly socketPath: string;
  /** `agent_name`, else `agent_id` of its manifest, else the name of the socket. */
  readonly label: string;
  readonly pid: number | undefined;
  /** Another text for each daemon that has put its socket at this path. */
  readonly revision: string;
}

const SOCKET_ENDING = ".sock";

/** Finds the daemons of several directories, in the order of the directories, then of their names. A missing directory has none. */
export async function findAllDaemons(directories: readonly string[]): Promise<readonly FoundDaemon[]> {
  return (await Promise.all(directories.map(findDaemons))).flat();
}

async function findDaemons(directory: string): Promise<readonly FoundDaemon[]> {
  const names = (await fileNames(directory)).filter((name) => name.endsWith(SOCKET_ENDING)).sort();
  return Promise.all(names.map((fileName) => readDaemon(directory, fileName.slice(0, -SOCKET_ENDING.length))));
}

async function fileNames(directory: string): Promise<readonly string[]> {
  try {
    return await readdir(directory);
  } catch (caught) {
    if (isMissing(caught)) return [];
    throw caught;
  }
}

async function readDaemon(directory: string, name: string): Promise<FoundDaemon> {
  const socketPath = join(directory, `${name}${SOCKET_ENDING}`);
  const [manifest, file] = await Promise.all([
    readManifest(join(directory, `${name}.manifest.json`)),
    // The socket may be gone by now.
    lstat(socketPath).catch(() => undefined),
  ]);
  const pid = typeof manifest.pid === "number" ? manifest.pid : undefined;
  return {
    name,
    socketPath,
    label: textOf(manifest.agent_name) ?? textOf(manifest.agent_id) ?? name,
    pid,
    // The manifest follows its socket, and a process may have the number of an earlier one.
    revision: `${file?.ino} ${file?.ctimeMs} ${pid}`,
  };
}

type Fields = Readonly<Record<string, unknown>>;

/** Reads the manifest, with `pid` beside its own members. A missing or incomplete file gives no members. */
async function readManifest(path: string): Promise<Fields> {
  try {
    return fieldsOf(JSON.parse(await readFile(path, "utf8")));
  } catch {
    return {};
  }
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
