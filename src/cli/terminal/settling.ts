// What comes in bursts is awaited to its end, so that a person hears of it once.
import type { Clock, Millis } from "../../contracts/clock.js";

/** Nothing more has to happen for so long. */
const QUIET_MS: Millis = 500;
/** And no burst is awaited for longer: nobody may put a question off for ever. */
const LONGEST_MS: Millis = 3000;

export interface Settling {
  /** Something happened that more of its kind may follow. */
  readonly disturb: () => void;
  /** Whether it is waited. */
  readonly isOn: () => boolean;
  readonly cancel: () => void;
}

/** `settled` is called half a second after the last disturbance, and three seconds after the first at the latest. */
export function createSettling(clock: Pick<Clock, "now" | "wakeAt">, settled: () => void): Settling {
  let cancelTimer: (() => void) | undefined;
  let latest = 0;

  function cancel(): void {
    cancelTimer?.();
    cancelTimer = undefined;
  }

  return {
    disturb: () => {
      const now = clock.now();
      if (cancelTimer === undefined) latest = now + LONGEST_MS;
      cancel();
      cancelTimer = clock.wakeAt(Math.min(now + QUIET_MS, latest), () => {
        cancelTimer = undefined;
        settled();
      });
    },
    isOn: () => cancelTimer !== undefined,
    cancel,
  };
}
