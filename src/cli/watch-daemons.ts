// Which sockets there are in the runtime directory, now and from now on. The kernel tells of changes; where it cannot, looking every other second does.
import { type FSWatcher, watch } from "node:fs";
import { assurePrivateDirectory } from "../../transports/ipc/directory.js";
import { type FoundDaemon, findDaemons } from "../client/daemons.js";
import type { Clock } from "../contracts/clock.js";

export interface WatchOptions {
  readonly directory: string;
  readonly userId: number | undefined;
  readonly clock: Pick<Clock, "now" | "wakeAt">;
  /** Called with all daemons, at first and whenever they may have changed. */
  readonly onDaemons: (daemons: readonly FoundDaemon[]) => void;
  readonly onFailure: (caught: unknown) => void;
}

/** Several files change when a daemon starts: one look afterwards is enough. */
const SETTLE_MS = 50;
const POLL_MS = 2000;

/** Makes the directory where it is missing, privately, so that it can be watched (U3). Answers how to stop. */
export function watchDaemons(options: WatchOptions): () => void {
  const { directory, clock } = options;
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
    findDaemons(directory)
      .then((daemons) => {
        if (!hasStopped) options.onDaemons(daemons);
      }, options.onFailure)
      .finally(() => {
        isLooking = false;
        if (watcher === undefined) lookIn(POLL_MS);
      });
  }

  function startWatching(): FSWatcher | undefined {
    try {
      assurePrivateDirectory(directory, options.userId);
      const started = watch(directory, () => lookIn(SETTLE_MS));
      started.on("error", () => {
        watcher?.close();
        watcher = undefined;
        lookIn(0);
      });
      return started;
    } catch (caught) {
      // The system may have no more watches to give.
      if (caught instanceof Error && "code" in caught && caught.code !== "permission_denied") return undefined;
      throw caught;
    }
  }

  let watcher = startWatching();
  look();
  return () => {
    hasStopped = true;
    cancelLook();
    watcher?.close();
  };
}
