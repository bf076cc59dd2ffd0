import { setFlagsFromString } from "node:v8";

/**
 * The heap may grow to twice what was alive when the collector last looked at everything, not to four times that: what a journal holds lives long
 * and then waits for that look (R18). Only for commands of which the process is the daemon's own.
 */
export function keepHeapClose(): void {
  setFlagsFromString("--heap-growing-percent=100");
}
