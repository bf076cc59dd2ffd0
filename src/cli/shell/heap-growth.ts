import { setFlagsFromString } from "node:v8";

/**
 * Lets the heap grow to twice the live memory at the last full garbage collection, not to four times: entries of a journal live long and then wait
 * for that collection (R18). Only for commands whose process belongs to the daemon alone.
 */
export function keepHeapClose(): void {
  setFlagsFromString("--heap-growing-percent=100");
}
