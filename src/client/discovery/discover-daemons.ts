// Finds all daemons of this user, new ones included, by the sockets in the runtime directories (AAEP appendix B). The kernel reports changes; if it
// cannot, the directories are read every other second. For Node. A socket is new if its file is another one, or the process of its manifest, so a
// daemon that was started again at the same path is reported again. Each look examines whether a directory is there and private: it may be
// removed, and made by somebody else.
import { type FSWatcher, lstatSync, watch } from "node:fs";
import { lstat, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Framing } from "../../../transports/framing/framings.js";
import { connectIpc } from "../../../transports/ipc/connect.js";
import { assurePrivateDirectory } from "../../../transports/ipc/directory.js";
import { currentPlace, ipcDirectories, ipcPath } from "../../../transports/ipc/paths.js";
import { isMissing } from "../../../transports/node-errors.js";
import { Fault, faultFrom } from "../../base/errors.js";
import { isObject, type Members, someText } from "../../base/members.js";
import type { Discovery, DiscoveryListeners, Target } from "../listener/types.js";
import { PLATFORM_TIMERS, type Timers } from "../timers.js";

export interface DiscoverDaemonsOptions {
  /**
   * The directories of the sockets, the usual one first. Missing ones are made, privately. Default: those in which daemons of this user put their
   * sockets. Without any, as on Windows, whose named pipes cannot be listed: the daemon of the usual name.
   */
  readonly directories?: readonly string[];
  /** Framing of the messages that the listener sends. Default `length-prefixed`. */
  readonly framing?: Framing | undefined;
  /** Called after each look with the number of daemons that are there. */
  readonly onLooked?: (daemonCount: number) => void;
  /** Reports a socket that nobody listens at: its daemon was killed. Such a socket is looked at again when a daemon takes it over. */
  readonly onStale?: (fault: Fault, label: string) => void;
  /** Reports that a further directory is not this user's alone. Its sockets are ignored, and the others are watched on. */
  readonly onLeftOut?: (fault: Fault) => void;
  /** Default the platform's. */
  readonly timers?: Timers;
}

/** Several files change when a daemon starts; the directories are read once afterwards. */
const SETTLE_MS = 50;
const POLL_MS = 2000;

/**
 * For `subscribe`: all daemons of this user, as long as the subscription lasts. The subscription ends with the Fault "permission_denied" if the usual
 * directory is not this user's alone.
 */
export function discoverDaemons(options: DiscoverDaemonsOptions = {}): Discovery {
  const { directories = ipcDirectories(currentPlace()) } = options;
  return {
    watch: (listeners) => {
      if (directories.length > 0) return watchDirectories(directories, options, listeners);
      const path = ipcPath(currentPlace(), "aaepd");
      listeners.appeared(targetOf(path, "aaepd", options));
      options.onLooked?.(1);
      return () => {};
    },
  };
}

function watchDirectories(
  directories: readonly string[],
  options: DiscoverDaemonsOptions,
  listeners: DiscoveryListeners,
): () => void {
  const { timers = PLATFORM_TIMERS } = options;
  const { userId } = currentPlace();
  const watchers = new Map<string, { readonly inode: number; readonly watcher: FSWatcher }>();
  const leftOut = new Set<string>();
  const known = new Map<string, { readonly revision: string; readonly isStale: boolean }>();
  let nextLook: { readonly at: number; readonly cancel: () => void } | undefined;
  let isLooking = false;
  let hasStopped = false;

  function lookIn(milliseconds: number): void {
    const at = timers.now() + milliseconds;
    // An earlier look serves as well. A later one would never come while files change all the time.
    if (hasStopped || (nextLook !== undefined && nextLook.at <= at)) return;
    nextLook?.cancel();
    nextLook = { at, cancel: timers.wakeAt(at, look) };
  }

  function look(): void {
    nextLook = undefined;
    if (isLooking) {
      lookIn(SETTLE_MS);
      return;
    }
    isLooking = true;
    lookOnce()
      .catch((caught: unknown) => {
        if (!hasStopped) listeners.failed(caught);
      })
      .finally(() => {
        isLooking = false;
        if (watchers.size + leftOut.size < directories.length) lookIn(POLL_MS);
      });
  }

  async function lookOnce(): Promise<void> {
    const usable = directories.filter(isUsable);
    for (const directory of usable) keepWatched(directory);
    const found = await findAllDaemons(usable);
    const news = found.filter(({ socketPath, revision }) => known.get(socketPath)?.revision !== revision);
    const faults = await Promise.all(news.map(staleFault));
    if (hasStopped) return;
    const present = new Set(found.map(({ socketPath }) => socketPath));
    for (const path of known.keys()) {
      if (present.has(path)) continue;
      known.delete(path);
      listeners.left(path);
    }
    const labels = distinctLabels(found);
    for (const [index, { socketPath, revision }] of news.entries()) {
      const fault = faults[index];
      const label = labels.get(socketPath) ?? socketPath;
      const wasStale = known.get(socketPath)?.isStale === true;
      known.set(socketPath, { revision, isStale: fault !== undefined });
      if (fault === undefined) listeners.appeared(targetOf(socketPath, label, options));
      else if (!wasStale) options.onStale?.(fault, label);
    }
    options.onLooked?.([...known.values()].filter(({ isStale }) => !isStale).length);
  }

  /** Why nobody listens at a new socket. A daemon that was there before may be gone for a moment only: its connections find out. */
  async function staleFault({ socketPath }: FoundDaemon): Promise<Fault | undefined> {
    if (known.get(socketPath)?.isStale === false) return undefined;
    try {
      const connection = await connectIpc(socketPath);
      void connection.close();
    } catch (caught) {
      const fault = faultFrom(caught);
      if (fault.code === "not_found") return fault;
    }
    return undefined;
  }

  /** Whether the directory is this user's alone. It is looked at each time: it may be gone, and somebody else's by now. */
  function isUsable(directory: string): boolean {
    try {
      assurePrivateDirectory(directory, userId);
    } catch (caught) {
      if (!(caught instanceof Fault) || caught.code !== "permission_denied") return true;
      stopWatching(directory);
      if (!leftOut.has(directory)) options.onLeftOut?.(caught);
      leftOut.add(directory);
      return false;
    }
    leftOut.delete(directory);
    return true;
  }

  /** Watches the directory that is at this path now: a watch ends with its directory. */
  function keepWatched(directory: string): void {
    try {
      const { ino: inode } = lstatSync(directory);
      if (watchers.get(directory)?.inode === inode) return;
      stopWatching(directory);
      const watcher = watch(directory, () => lookIn(SETTLE_MS));
      watcher.on("error", () => {
        stopWatching(directory);
        lookIn(0);
      });
      watchers.set(directory, { inode, watcher });
    } catch {
      // There is no directory, or the system has no more watches to give.
    }
  }

  function stopWatching(directory: string): void {
    watchers.get(directory)?.watcher.close();
    watchers.delete(directory);
  }

  const [usual = ""] = directories;
  assurePrivateUsual(usual, userId);
  look();
  return () => {
    hasStopped = true;
    nextLook?.cancel();
    for (const directory of directories) stopWatching(directory);
  };
}

/** Throws if the usual directory is not private. A directory that cannot be made holds no daemon. */
function assurePrivateUsual(directory: string, userId: number | undefined): void {
  try {
    assurePrivateDirectory(directory, userId);
  } catch (caught) {
    if (caught instanceof Fault && caught.code === "permission_denied") throw caught;
  }
}

function targetOf(path: string, label: string, { framing }: DiscoverDaemonsOptions): Target {
  return { name: path, label, connect: () => connectIpc(path, framing === undefined ? {} : { framing }) };
}

/** The name of each daemon for people, by its path. Daemons that share one have the name of the socket; those that share that too, the path. */
function distinctLabels(daemons: readonly FoundDaemon[]): ReadonlyMap<string, string> {
  const labels = countsOf(daemons.map(({ label }) => label));
  const names = countsOf(daemons.map(({ label, name }) => `${label}\n${name}`));
  return new Map(
    daemons.map(({ label, name, socketPath }) => {
      if (labels.get(label) === 1) return [socketPath, label];
      return [socketPath, names.get(`${label}\n${name}`) === 1 ? name : socketPath];
    }),
  );
}

function countsOf(texts: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

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
    label: someText(manifest.agent_name) ?? someText(manifest.agent_id) ?? name,
    pid,
    // The manifest follows its socket, and a process may have the number of an earlier one.
    revision: `${file?.ino} ${file?.ctimeMs} ${pid}`,
  };
}

/** Reads the manifest, with `pid` beside its own members. A missing or incomplete file gives no members. */
async function readManifest(path: string): Promise<Members> {
  try {
    const value: unknown = JSON.parse(await readFile(path, "utf8"));
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
