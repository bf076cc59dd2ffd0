// Takes over a listening socket that a service manager made before this process started (socket activation). The socket belongs to the manager: it
// is there before the daemon and stays behind it, so that no client finds the address empty.
import { once } from "node:events";
import { readFileSync, readlinkSync, rmSync } from "node:fs";
import type { Server } from "node:net";
import { dirname } from "node:path";
import { Fault } from "../../src/base/errors.js";
import { faultFromNodeError } from "../node-errors.js";
import { type Bound, ownerFile, writeOwner } from "./bind.js";
import { assureSocketDirectory, socketStatus } from "./directory.js";
import type { IpcPlace } from "./paths.js";

/**
 * Listens on the socket of `descriptor`, which has to be the one at `path`: a stream socket of mode 0600 in a private folder, which listens. Throws a
 * Fault "address_invalid" or "permission_denied" that says what to change in the unit.
 */
export async function adoptInherited(
  server: Server,
  descriptor: number,
  path: string,
  place: IpcPlace,
): Promise<Bound> {
  const bound = listeningPath(descriptor);
  if (bound === undefined)
    throw unfit(`The service manager passed no Unix socket that listens`, `ListenStream=${path}`);
  if (!isSameFile(bound, path))
    throw unfit(
      `The service manager passed the socket ${bound}, and the daemon listens at ${path}`,
      `ListenStream=${path}`,
    );
  assureSocketDirectory(dirname(path), place);
  const adopted = socketStatus(path);
  const mode = Number(adopted?.mode) & 0o777;
  if ((mode & 0o177) !== 0) {
    const sentence = `The socket ${path} of the service manager has mode 0${mode.toString(8)}. Write SocketMode=0600 into the socket unit.`;
    throw new Fault("permission_denied", sentence, { origin: "local" });
  }
  try {
    await once(server.listen({ fd: descriptor }), "listening");
  } catch (caught) {
    throw faultFromNodeError(caught, path);
  }
  writeOwner(path);
  return {
    unbind: () => {
      // Node removes only sockets that it has bound itself.
      server.close();
      rmSync(ownerFile(path), { force: true });
    },
    renew: async () => {
      const status = socketStatus(path);
      if (status !== undefined && status.ino === adopted?.ino) return false;
      const sentence = `The socket ${path} of the service manager is gone. Start its socket unit again.`;
      throw new Fault("not_found", sentence, { origin: "local" });
    },
  };
}

function unfit(what: string, remedy: string): Fault {
  return new Fault("address_invalid", `${what}. Write ${remedy} into the socket unit.`, { origin: "local" });
}

/** The flag of a socket that accepts connections, and the type of a stream socket, as the kernel prints them. */
const ACCEPTS = 0x10000;
const STREAM = 1;

/** The path at which the socket of a descriptor listens, by the kernel's list of sockets (Linux); undefined if no stream socket listens there. */
function listeningPath(descriptor: number): string | undefined {
  try {
    const own = /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/self/fd/${descriptor}`))?.[1];
    for (const line of readFileSync("/proc/net/unix", "utf8").split("\n")) {
      // Address, references, protocol, flags, type, state, inode; then the path, which may have blanks.
      const [, flags = "", type = "", inode, path] = /^\S+ \S+ \S+ (\S+) (\S+) \S+ +(\d+) (\/.*)$/.exec(line) ?? [];
      const listens = (Number.parseInt(flags, 16) & ACCEPTS) !== 0 && Number.parseInt(type, 16) === STREAM;
      if (listens && inode === own) return path;
    }
  } catch {
    // The kernel does not tell.
  }
  return undefined;
}

function isSameFile(one: string, other: string): boolean {
  if (one === other) return true;
  const [first, second] = [one, other].map((path) => socketStatus(path));
  return first !== undefined && first.ino === second?.ino && first.dev === second.dev;
}
