// Binds a socket so that no other user can reach it at any moment, and takes over the address of a killed process without ever taking one that
// is alive. For every transport that listens on a Unix socket.
import { linkSync, readFileSync, renameSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { connect, type Server } from "node:net";
import { dirname } from "node:path";
import { Fault } from "../../src/base/errors.js";
import { withResolvers } from "../../src/base/with-resolvers.js";
import { faultFromNodeError, isAddressInUse, isRefused } from "../node-errors.js";
import { isProcess, withClaim } from "./claim.js";
import { assureSocketDirectory, socketStatus } from "./directory.js";
import { assertPathFits, type IpcPlace, isPipeName } from "./paths.js";

/** How long the owner of a socket may take to accept. A socket without owner refuses at once. */
const PROBE_MS = 500;
/** Most daemons of one producer id on one machine; more are a mistake somewhere. */
const MOST_INSTANCES = 16;

/** A bound address. */
export interface Bound {
  /** Stops listening and removes the socket and the file that names its owner. */
  readonly unbind: () => void;
  /** As `Listener.renew`. */
  readonly renew: () => Promise<boolean>;
}

/** Binds `server` to the path with mode 0600. Throws a Fault "address_invalid", "address_in_use" or "permission_denied". */
export async function bindPrivately(server: Server, path: string, place: IpcPlace): Promise<Bound> {
  assertPathFits(path, place);
  if (isPipeName(path)) {
    await listen(server, path);
    return { unbind: () => server.close(), renew: async () => false };
  }
  assureSocketDirectory(dirname(path), place);
  let inode: bigint | undefined;
  let isBound = true;
  const { promise: stopped, resolve: stop } = withResolvers();
  const bound = (): void => {
    inode = socketStatus(path)?.ino;
    if (!isBound) unbind(server, path, inode);
  };
  // Every bind happens under the claim: between bind and listen a live socket refuses like a dead one.
  await withClaim(path, () => bindOrTakeOver(server, path, place.userId, bound));
  return {
    unbind: () => {
      isBound = false;
      stop();
      unbind(server, path, inode);
    },
    renew: async () => {
      if (statusOf(path)?.ino === inode) return false;
      assureSocketDirectory(dirname(path), place);
      await withClaim(path, async () => {
        await removeIfDead(path, place.userId);
        if (!isBound) return;
        // Its connections stay. Nothing has the name that closing removes.
        server.close();
        // A server that is stopped before it tells that it listens never tells it.
        await Promise.race([bindOrTakeOver(server, path, place.userId, bound), stopped]);
      });
      return isBound;
    },
  };
}

async function bindOrTakeOver(
  server: Server,
  path: string,
  userId: number | undefined,
  bound: () => void,
): Promise<void> {
  try {
    await listen(server, path, bound);
  } catch (caught) {
    if (!isAddressInUse(caught)) throw faultFromNodeError(caught, path);
    await removeIfDead(path, userId);
    await listen(server, path, bound).catch((again: unknown) => {
      throw faultFromNodeError(again, path);
    });
  }
  writeOwner(path);
}

/** Names this process in the file beside its socket. */
export function writeOwner(path: string): void {
  writeFileSync(ownerFile(path), `${process.pid}\n`, { mode: 0o600 });
}

/** `bound` is called in the same turn, when the socket is there and before the server tells that it listens. */
function listen(server: Server, path: string, bound: () => void = () => {}): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (error: Error) => {
      server.off("listening", onListening);
      reject(error);
    };
    const onListening = () => {
      server.off("error", onError);
      resolve();
    };
    server.once("error", onError);
    server.once("listening", onListening);
    // `listen` makes the file, so the mask of the process differs only during that call.
    const mask = process.umask(0o177);
    try {
      server.listen(path);
    } finally {
      process.umask(mask);
    }
    if (server.listening) bound();
  });
}

async function removeIfDead(path: string, userId: number | undefined): Promise<void> {
  const occupant = await occupantOf(path, userId);
  switch (occupant.kind) {
    case "nobody":
      return;
    case "dead":
      unlinkSync(path);
      return;
    case "file":
      throw inUse(
        path,
        "There is a file of another kind, which was left as it is",
        "Remove it if you can do without it",
      );
    case "stranger":
      throw inUse(path, `The socket belongs to user ${occupant.userId}`, "Let its owner stop it");
    case "alive":
      throw listensThere(path, occupant.pid);
  }
}

/** The occupant of an address in the file system. */
export type Occupant =
  | { readonly kind: "nobody" }
  /** A socket whose process ended without removing it. */
  | { readonly kind: "dead" }
  /** Anything but a socket. */
  | { readonly kind: "file" }
  /** A socket of another user. */
  | { readonly kind: "stranger"; readonly userId: number }
  /** A process listens. `pid` is set if the process named itself. */
  | { readonly kind: "alive"; readonly pid: number | undefined };

/** Finds out who occupies a path, and changes nothing. Rejects with a Fault if that cannot be found out. */
export async function occupantOf(path: string, userId: number | undefined): Promise<Occupant> {
  const status = statusOf(path);
  if (status === undefined) return { kind: "nobody" };
  if (!status.isSocket()) return { kind: "file" };
  if (userId !== undefined && Number(status.uid) !== userId) return { kind: "stranger", userId: Number(status.uid) };
  return (await isAlive(path)) ? { kind: "alive", pid: ownerOf(path) } : { kind: "dead" };
}

/** The Fault "address_in_use" of a path at which a live process listens. */
export function listensThere(path: string, pid: number | undefined): Fault {
  return inUse(path, `${processName(pid)} listens there`, "Stop it");
}

/** In the form that begins a sentence. */
export function processName(pid: number | undefined): string {
  return pid === undefined ? "Another process" : `Process ${pid}`;
}

function inUse(path: string, why: string, remedy: string): Fault {
  return new Fault("address_in_use", `Cannot listen at ${path}. ${why}. ${remedy}, or choose another path.`, {
    origin: "local",
  });
}

function statusOf(path: string) {
  try {
    return socketStatus(path);
  } catch (caught) {
    throw faultFromNodeError(caught, path);
  }
}

/** Only a refusal means that there is no owner. Silence, a full backlog and anything else may come from a busy one. */
function isAlive(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(path);
    const settle = (alive: boolean) => {
      clearTimeout(deadline);
      probe.destroy();
      resolve(alive);
    };
    const deadline = setTimeout(settle, PROBE_MS, true);
    probe.once("connect", () => settle(true));
    probe.once("error", (error) => settle(!isRefused(error)));
  });
}

/** The file beside a socket that names its process. */
export function ownerFile(path: string): string {
  return `${path}.pid`;
}

/** Returns the process named in the owner file, if it is alive. For people; nothing depends on it. */
function ownerOf(path: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(ownerFile(path), "utf8"), 10);
    return isProcess(pid) ? pid : undefined;
  } catch {
    return undefined;
  }
}

function unbind(server: Server, path: string, inode: bigint | undefined): void {
  const status = statusOf(path);
  if (status !== undefined && status.ino !== inode) {
    // Another daemon has replaced our socket. Closing ours would remove the other's by its name.
    const kept = `${path}.kept`;
    linkSync(path, kept);
    server.close();
    renameSync(kept, path);
    return;
  }
  server.close();
  rmSync(path, { force: true });
  rmSync(ownerFile(path), { force: true });
}

/**
 * Tries instance 1, 2 and so on, until an address is free. Rejects with any other Fault, and beyond `mostInstances` (default 16) with
 * "address_in_use".
 */
export async function firstFreeInstance<Listening>(
  listenAs: (instance: number) => Promise<Listening>,
  mostInstances: number = MOST_INSTANCES,
): Promise<Listening> {
  for (let instance = 1; ; instance++) {
    try {
      return await listenAs(instance);
    } catch (caught) {
      const isTaken = caught instanceof Fault && caught.code === "address_in_use";
      if (!isTaken || instance >= mostInstances) throw caught;
    }
  }
}
