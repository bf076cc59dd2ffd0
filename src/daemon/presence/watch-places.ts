// Looks once a minute whether others can still find the daemon. A cleaner of temporary files removes sockets and folders that seem unused, and
// nothing tells the process that listens there.
import { type Fault, faultFrom } from "../../base/errors.js";
import type { Clock } from "../../contracts/clock.js";
import type { Log } from "../../contracts/log.js";

/** Time between two looks, ms. */
const LOOK_EVERY_MS = 60_000;

export interface WatchedPlaces {
  /** Why a place could not be had back at the last look; undefined if all are as they should be. */
  readonly lost: () => Fault | undefined;
  readonly stop: () => void;
}

/**
 * Calls `renewals` one after another at each look, up to the first that rejects. Each resolves whether it had to make something again. The log tells
 * what was made again, and each new reason why something cannot be.
 */
export function watchPlaces(
  renewals: readonly (() => boolean | Promise<boolean>)[],
  { clock, log }: { readonly clock: Pick<Clock, "now" | "wakeAt">; readonly log: Log },
): WatchedPlaces {
  let lost: Fault | undefined;
  let isStopped = false;
  let cancel: () => void = () => {};

  async function look(): Promise<void> {
    const before = lost;
    lost = undefined;
    let wasGone = false;
    try {
      for (const renew of renewals) if (!isStopped && (await renew())) wasGone = true;
    } catch (caught) {
      lost = faultFrom(caught);
    }
    if (isStopped) return;
    if (wasGone)
      log.warn(
        { remedy: "Keep cleaners of temporary files away from the folder of the socket." },
        "the socket or a file beside it was gone, and was made again",
      );
    if (lost !== undefined && lost.sentence !== before?.sentence)
      log.error({ code: lost.code, reason: lost.sentence }, "the daemon cannot be found by new agents and listeners");
    wait();
  }

  function wait(): void {
    cancel = clock.wakeAt(clock.now() + LOOK_EVERY_MS, () => void look());
  }

  wait();
  return {
    lost: () => lost,
    stop: () => {
      isStopped = true;
      cancel();
    },
  };
}
