// Looks once a minute whether others can still find the daemon. A cleaner of temporary files removes sockets and folders that seem unused, and
// nothing tells the process that listens there.
import { type Fault, faultFrom } from "../../base/errors.js";
import type { Clock } from "../../contracts/clock.js";
import type { Log } from "../../contracts/log.js";

/** Time between two looks, ms. */
const LOOK_EVERY_MS = 60_000;

export type WatchedPlaces = ReturnType<typeof watchPlaces>;

/**
 * Calls `renewals` one after another at each look, whether or not one before has rejected. Each resolves whether it had to make something again. The
 * log tells what was made again, and at each look the first new reason why something cannot be.
 */
export function watchPlaces(
  renewals: readonly (() => boolean | Promise<boolean>)[],
  { clock, log }: { readonly clock: Pick<Clock, "now" | "wakeAt">; readonly log: Log },
) {
  let faults: readonly Fault[] = [];
  let isStopped = false;
  let cancel: () => void = () => {};

  async function look(): Promise<void> {
    const before = faults.map(({ sentence }) => sentence);
    const now: Fault[] = [];
    let wasGone = false;
    for (const renew of renewals) {
      try {
        if (!isStopped && (await renew())) wasGone = true;
      } catch (caught) {
        now.push(faultFrom(caught));
      }
    }
    if (isStopped) return;
    faults = now;
    if (wasGone)
      log.warn(
        { remedy: "Except the folder of the socket from what removes old temporary files (docs/troubleshooting.md)." },
        "the socket or a file beside it was gone, and was made again",
      );
    // One cause may keep several places away.
    const news = faults.find(({ sentence }) => !before.includes(sentence));
    if (news !== undefined)
      log.error({ code: news.code, reason: news.sentence }, "the daemon cannot be found by new agents and listeners");
    wait();
  }

  function wait(): void {
    cancel = clock.wakeAt(clock.now() + LOOK_EVERY_MS, () => void look());
  }

  wait();
  return {
    /** Why the first of the places that could not be had back at the last whole look could not; undefined if all are as they should be. */
    lost: () => faults[0],
    stop: (): void => {
      isStopped = true;
      cancel();
    },
  };
}
