// Waits for the end of a burst, so that a person hears of it once.
import type { Clock, Millis } from "../../contracts/clock.js";

/** Quiet time that ends a burst. */
const QUIET_MS: Millis = 500;
/** Longest wait for the end of a burst: nobody may put a question off for ever. */
const LONGEST_MS: Millis = 3000;

/** `settled` is called half a second after the last disturbance, and at the latest three seconds after the first. */
export function createSettling(clock: Pick<Clock, "now" | "wakeAt">, settled: () => void) {
  let cancelTimer: (() => void) | undefined;
  let latest = 0;

  function cancel(): void {
    cancelTimer?.();
    cancelTimer = undefined;
  }

  return {
    /** Reports a disturbance, which others of its kind may follow. */
    disturb: (): void => {
      const now = clock.now();
      if (cancelTimer === undefined) latest = now + LONGEST_MS;
      cancel();
      cancelTimer = clock.wakeAt(Math.min(now + QUIET_MS, latest), () => {
        cancelTimer = undefined;
        settled();
      });
    },
    /** Whether a burst is under way. */
    isOn: () => cancelTimer !== undefined,
    cancel,
  };
}
