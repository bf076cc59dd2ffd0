// The waits between the end of a process and its next start.
import type { Millis } from "../../contracts/clock.js";

const FIRST_MS: Millis = 500;
const LONGEST_MS: Millis = 60_000;

/**
 * Returns the function that names the next wait, given how long the process ran: 500 ms at first, then twice the one before, at most a minute. A
 * process that ran longer than a minute begins with the first wait again.
 */
export function createRestartWaits(): (ranMs: Millis) => Millis {
  let next = FIRST_MS;
  return (ranMs) => {
    const wait = ranMs > LONGEST_MS ? FIRST_MS : next;
    next = Math.min(LONGEST_MS, wait * 2);
    return wait;
  };
}
