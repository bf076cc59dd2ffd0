// The kernel's list of local sockets. Known on Linux only.
import { existsSync, readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
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

/**
 * The paths in these folders at which a process of this user listens although somebody removed the file, so that nobody finds the process. The
 * kernel's list has the names that other users chose too.
 */
export function removedSockets(directories: readonly string[]): readonly string[] {
  const removed = [...listeningPaths()].filter(([, path]) => directories.includes(dirname(path)) && !existsSync(path));
  if (removed.length === 0) return [];
  const own = ownSockets();
  return [...new Set(removed.flatMap(([inode, path]) => (own.has(inode) ? [path] : [])))];
}

/** The numbers of the sockets that processes of this user have open. */
function ownSockets(): ReadonlySet<string> {
  const sockets = new Set<string>();
  for (const id of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      if (statSync(`/proc/${id}`).uid !== process.getuid?.()) continue;
      for (const descriptor of readdirSync(`/proc/${id}/fd`)) {
        const [, inode] = /^socket:\[(\d+)\]$/.exec(linkOf(`/proc/${id}/fd/${descriptor}`)) ?? [];
        if (inode !== undefined) sockets.add(inode);
      }
    } catch {
      // It has ended, or hides what it has.
    }
  }
  return sockets;
}

function linkOf(descriptor: string): string {
  try {
    return readlinkSync(descriptor);
  } catch {
    // It was closed meanwhile.
    return "";
  }
}

function table(): string {
  try {
    return readFileSync("/proc/net/unix", "utf8");
  } catch {
    return "";
  }
}
