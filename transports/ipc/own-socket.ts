// Decides whether a socket is this user's own. Every connection to a Unix socket begins here: another user who made the folder or the socket first
// would otherwise hear what agents say, and answer for the person who is asked.
import {
  type BigIntStats,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  realpathSync,
} from "node:fs";
import { connect, type Socket } from "node:net";
import { basename, dirname, join } from "node:path";
import { Fault } from "../../src/base/errors.js";
import { faultFromNodeError } from "../node-errors.js";
import { assertPrivate, assertUnswappable, isForeign, isWritableForOthers, socketStatus } from "./directory.js";
import { currentPlace, type IpcPlace, ipcDirectories, isPipeName } from "./paths.js";
import { peerUserOf } from "./peer-user.js";

/** A socket that was looked at, under a name that means this socket and no other until its release. */
export interface HeldSocket {
  readonly address: string;
  /** The Fault "permission_denied" of a connection whose peer is another user's process, as far as the kernel can be asked. */
  readonly peerFault: (socket: Socket) => Fault | undefined;
  /** Call it when the connection is made or has failed. Further calls do nothing. */
  readonly release: () => void;
}

/** Linux's flag for a descriptor that only names a file: it needs no right to the file. Node has no name for it. */
const O_PATH = 0o10000000;
/** The names of this process's descriptors. The kernel follows them to the open file, whatever has its old name by now. */
const DESCRIPTORS = "/proc/self/fd";

/**
 * Holds the socket at `path` if it is this user's or root's, and no link, in a folder where nobody else can replace it:
 * - A folder in which daemons put their sockets by themselves (`ipcDirectories`) must be this user's, with mode 0700.
 * - Any other folder was named by a person. A link to it is followed first. It must be this user's or root's.
 * - Others may write to a named folder only if it has the sticky bit.
 * - Unless the folder has mode 0700, others must not be able to write to this user's socket: they could answer questions in this user's place.
 *
 * Root may name a socket in another user's folder, if nobody but that user and root could have made the folder. All is then as for that user.
 *
 * On Linux folder and socket are held by descriptors, so that what was looked at is what is connected to. Elsewhere every folder above must be as a
 * named one, so that nobody else can swap any of them. Throws a Fault "permission_denied", "not_found" or "address_invalid".
 */
export function holdOwnSocket(path: string, place: IpcPlace = currentPlace()): HeldSocket {
  try {
    return place.platform === "linux" && existsSync(DESCRIPTORS)
      ? heldByDescriptor(path, place)
      : heldByName(path, place);
  } catch (caught) {
    throw faultFromNodeError(caught, path);
  }
}

/**
 * Connects to this user's own socket, or to a named pipe of Windows, of which nothing is looked at: any local user may have made it first. Throws as
 * `holdOwnSocket` does. If the kernel names another user as the peer, the socket ends with a Fault "permission_denied" before anything is written.
 */
export function connectToOwn(path: string, allowHalfOpen = false): Socket {
  if (isPipeName(path)) return connect({ path, allowHalfOpen });
  const place = currentPlace();
  const { address, release, peerFault } = holdOwnSocket(path, place);
  const socket = connect({ path: address, allowHalfOpen });
  socket.once("connect", () => {
    release();
    const fault = peerFault(socket);
    if (fault !== undefined) socket.destroy(fault);
  });
  socket.once("close", release);
  return socket;
}

function foreignPeerFault(socket: Socket, path: string, userId: number | undefined): Fault | undefined {
  const user = peerUserOf(socket);
  return user !== undefined && isForeign(user, userId)
    ? denied(`A process of user ${user} listens at the socket ${path}. Choose a socket of your own.`)
    : undefined;
}

function heldByDescriptor(path: string, place: IpcPlace): HeldSocket {
  const directory = folderOf(path, place);
  const folder = openSync(directory, O_PATH | constants.O_NOFOLLOW);
  try {
    const { userId, isPrivate } = assertSocketFolder(directory, folder, place);
    const socket = openSync(`${DESCRIPTORS}/${folder}/${basename(path)}`, O_PATH | constants.O_NOFOLLOW);
    let isOpen = true;
    const release = (): void => {
      if (isOpen) closeSync(socket);
      isOpen = false;
    };
    try {
      assertSocket(path, fstatSync(socket, { bigint: true }), isPrivate, userId);
    } catch (caught) {
      release();
      throw caught;
    }
    return {
      address: `${DESCRIPTORS}/${socket}`,
      peerFault: (connected) => foreignPeerFault(connected, path, userId),
      release,
    };
  } finally {
    closeSync(folder);
  }
}

function heldByName(path: string, place: IpcPlace): HeldSocket {
  const directory = folderOf(path, place);
  const { userId, isPrivate } = assertSocketFolder(directory, undefined, place);
  for (let above = realpathSync(directory); above !== dirname(above); above = dirname(above))
    assertUnswappable(dirname(above), lstatSync(dirname(above)), userId);
  const address = join(directory, basename(path));
  const status = socketStatus(address);
  // Connecting reports that there is none.
  if (status !== undefined) assertSocket(path, status, isPrivate, userId);
  return { address, peerFault: (socket) => foreignPeerFault(socket, path, userId), release: () => {} };
}

/** The folder to look at. A link to a named folder is a person's own choice, as /tmp of macOS is the system's: what it leads to is looked at. */
function folderOf(path: string, place: IpcPlace): string {
  const directory = dirname(path);
  return ipcDirectories(place).includes(directory) ? directory : realpathSync(directory);
}

interface JudgedFolder {
  /** The user whose socket may stand in it: for root the owner of a named folder. */
  readonly userId: number | undefined;
  /** No other user can reach anything in it. */
  readonly isPrivate: boolean;
}

function assertSocketFolder(directory: string, descriptor: number | undefined, place: IpcPlace): JudgedFolder {
  const status = descriptor === undefined ? lstatSync(directory) : fstatSync(descriptor);
  const isUsual = ipcDirectories(place).includes(directory);
  const userId = place.userId === 0 && !isUsual ? status.uid : place.userId;
  if (isUsual) assertPrivate(directory, status, userId);
  else assertUnswappable(directory, status, userId);
  if (userId !== place.userId) assertMadeByOwner(directory);
  return { userId, isPrivate: (status.mode & 0o077) === 0 };
}

/** Refuses root another user's folder under one in which everybody can make folders: that user need not be the one whom root means. */
function assertMadeByOwner(directory: string): void {
  for (let above = directory; above !== dirname(above); above = dirname(above)) {
    if ((lstatSync(dirname(above)).mode & 0o022) === 0) continue;
    const why = `others can make folders in ${dirname(above)}`;
    throw denied(`The folder ${directory} is not root's, and ${why}. Run this as the user of the daemon.`);
  }
}

function assertSocket(path: string, status: BigIntStats, isPrivate: boolean, userId: number | undefined): void {
  if (status.isSymbolicLink()) throw denied(`The socket ${path} is a symbolic link. Give the socket it points to.`);
  if (!status.isSocket())
    throw new Fault("address_invalid", `${path} is no socket. Choose another path.`, { origin: "local" });
  const owner = Number(status.uid);
  if (isForeign(owner, userId))
    throw denied(`The socket ${path} belongs to user ${owner}. Choose a socket of your own.`);
  const mode = Number(status.mode) & 0o777;
  if (!isPrivate && owner === userId && isWritableForOthers(mode, Number(status.gid), userId)) {
    const is = `has mode 0${mode.toString(8)}, so that others could answer for you`;
    throw denied(`The socket ${path} ${is}. Run: chmod 600 ${path}`);
  }
}

function denied(sentence: string): Fault {
  return new Fault("permission_denied", sentence, { origin: "local" });
}
