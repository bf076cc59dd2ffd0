// The kernel's list of local sockets. Known on Linux only.
import { existsSync, readFileSync } from "node:fs";
import { dirname } from "node:path";

/** The flag of a socket that accepts connections, and the type of a stream socket, as the kernel prints them. */
const ACCEPTS = 0x10000;
const STREAM = 1;

/**
 * The path at which each stream socket of this system listens, by the number of the socket: the path that it was bound to, whether or not a file is
 * still there. Empty if the kernel does not tell.
 */
export function listeningPaths(): ReadonlyMap<string, string> {
  const paths = new Map<string, string>();
  for (const line of table().split("\n")) {
    // Address, references, protocol, flags, type, state, inode; then the path, which may have blanks.
    const [, flags = "", type = "", inode = "", path = ""] =
      /^\S+ \S+ \S+ (\S+) (\S+) \S+ +(\d+) (\/.*)$/.exec(line) ?? [];
    if ((Number.parseInt(flags, 16) & ACCEPTS) !== 0 && Number.parseInt(type, 16) === STREAM) paths.set(inode, path);
  }
  return paths;
}

/** The paths in these folders at which a process listens although somebody removed the file, so that nobody finds the process. */
export function removedSockets(directories: readonly string[]): readonly string[] {
  return [...new Set(listeningPaths().values())].filter(
    (path) => directories.includes(dirname(path)) && !existsSync(path),
  );
}

function table(): string {
  try {
    return readFileSync("/proc/net/unix", "utf8");
  } catch {
    return "";
  }
}
