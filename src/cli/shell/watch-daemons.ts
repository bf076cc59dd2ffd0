// Watches the sockets in the runtime directories. The kernel reports changes; if it cannot, the directories are read every other second.
import { type FSWatcher, watch } from "node:fs";
import { assurePrivateDirectory } from "../../../transports/ipc/directory.js";
import { Fault } from "../../base/errors.js";
import { type FoundDaemon, findAllDaemons } from "../../client/daemons.js";
import type { Clock } from "../../contracts/clock.js";

export interface WatchOptions {
  /** The usual directory first. */
  readonly directories: readonly string[];
  readonly userId: number | undefined;
  readonly clock: Pick<Clock, "now" | "wakeAt">;
  /** Called with all daemons, at first and whenever they may have changed. */
  readonly onDaemons: (daemons: readonly FoundDaemon[]) => void;
  /** Reports that a further directory is not this user's alone: it is ignored (U3), and the others are watched on. */
  readonly onLeftOut: (fault: Fault) => void;
  readonly onFailure: (caught: unknown) => void;
}

/** Several files change when a daemon starts; the directories are read once afterwards. */
const SETTLE_MS = 50;
const POLL_MS = 2000;

/**
 * Makes missing directories, privately, so that they can be watched (U3). Returns a function that stops the watch. Throws if the first directory is
 * not private.
 */
export function watchDaemons(options: WatchOptions): () => void {
  const { clock, userId } = options;
  const directories = options.directories.filter((directory, index) => {
    try {
      assurePrivateDirectory(directory, userId);
    } catch (caught) {
      if (!(caught instanceof Fault) || caught.code !== "permission_denied") return true;
      if (index === 0) throw caught;
      options.onLeftOut(caught);
      return false;
    }
    return true;
  });
  const watchers = new Set<FSWatcher>();
  let cancelLook: () => void = () => {};
  let isLooking = false;
  let hasStopped = false;

  function lookIn(milliseconds: number): void {
    cancelLook();
    if (!hasStopped) cancelLook = clock.wakeAt(clock.now() + milliseconds, look);
  }

  function look(): void {
    if (isLooking) {
      lookIn(SETTLE_MS);
      return;
    }
    isLooking = true;
    findAllDaemons(directories)
      .then((daemons) => {
        if (!hasStopped) options.onDaemons(daemons);
      }, options.onFailure)
      .finally(() => {
        isLooking = false;
        if (watchers.size < directories.length) lookIn(POLL_MS);
      });
  }

  function startWatching(directory: string): void {
    try {
      const started = watch(directory, () => lookIn(SETTLE_MS));
      watchers.add(started);
      started.on("error", () => {
        started.close();
        watchers.delete(started);
        lookIn(0);
      });
    } catch {
      // The system may have no more watches to give.
    }
  }

  for (const directory of directories) startWatching(directory);
  look();
  return () => {
    hasStopped = true;
    cancelLook();
    for (const watcher of watchers) watcher.close();
  };
}
