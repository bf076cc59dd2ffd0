// How the time of an orderly stop is divided, so that the process has ended in order when it is over (R8a, S9).
import type { Millis } from "../../contracts/clock.js";
import type { Configuration } from "./config.js";

/** Under stdio the process is gone within two seconds, whatever was configured (R8a). */
const STDIO_STOP_MS: Millis = 2000;
/** For what follows when everything was handed over: peers end their side, the journal and the audit log are written out. */
const CLOSING_MS: Millis = 700;
/** For the last lines of the log. */
const LAST_LINES_MS: Millis = 200;

/** Lengths of time from the beginning of a stop, ms. */
export interface StopTimes {
  /** Until then sessions are ended: a quarter of the time to hand over is left for the subscriptions. */
  readonly sessionsMs: Millis;
  /** Until then subscriptions are handed over what they are owed. */
  readonly handOverMs: Millis;
  /** Whatever hangs then is dropped. */
  readonly totalMs: Millis;
}

export function stopTimes(
  { stopTimeoutSeconds }: Pick<Configuration, "stopTimeoutSeconds">,
  isStdio: boolean,
): StopTimes {
  const wholeMs = Math.min(stopTimeoutSeconds * 1000, isStdio ? STDIO_STOP_MS : Number.POSITIVE_INFINITY);
  const totalMs = wholeMs - LAST_LINES_MS;
  const handOverMs = Math.max(LAST_LINES_MS, totalMs - CLOSING_MS);
  return { sessionsMs: (handOverMs * 3) / 4, handOverMs, totalMs };
}
