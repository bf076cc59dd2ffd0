// Which sockets there are in the runtime directories, now and from now on. The kernel tells of changes; where it cannot, looking every other second
// does.
import { type FSWatcher, watch } from "node:fs";
import { assurePrivateDirectory } from "../../../transports/ipc/directory.js";
import { Fault } from "../../base/errors.js";
import { type FoundDaemon, findAllDaemons } from "../../client/daemons.js";
import type { Clock } from "../../contracts/clock.js";

export interface WatchOptions {
  /** The usual one first. */
  readonly directories: readonly string[];
  readonly userId: number | undefined;
  readonly clock: Pick<Clock, "now" | "wakeAt">;
  /** Called with all daemons, at first and whenever they may have changed. */
  readonly onDaemons: (daemons: readonly FoundDaemon[]) => void;
  /** A further directory is not this user's alone: nothing in it is believed (U3), and the others are watched on. */
  readonly onLeftOut: (fault: Fault) => void;
  readonly onFailure: (caught: unknown) => void;
}

/** Several files change when a daemon starts: one look afterwards is enough. */
const SETTLE_MS = 50;
const POLL_MS = 2000;

/**
 * Makes directories where they are missing, privately, so that they can be watched (U3). Answers how to stop. Throws where the first is not
 * private.
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
