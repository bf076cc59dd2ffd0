// Memory of the process.
import { readFileSync } from "node:fs";

export interface StatusMemory {
  readonly rss_bytes: number;
  readonly heap_used_bytes: number;
  readonly heap_total_bytes: number;
  /** Outside of the heap: buffers, mapped files of libraries. */
  readonly external_bytes: number;
  /** Resident memory without mapped files, such as the file of a journal. Undefined if the system does not report it. */
  readonly anonymous_bytes?: number;
}

export function processMemory(): StatusMemory {
  const { rss, heapUsed, heapTotal, external } = process.memoryUsage();
  const anonymous = anonymousBytes();
  return {
    rss_bytes: rss,
    heap_used_bytes: heapUsed,
    heap_total_bytes: heapTotal,
    external_bytes: external,
    ...(anonymous === undefined ? {} : { anonymous_bytes: anonymous }),
  };
}

/** As Linux reports it. */
function anonymousBytes(): number | undefined {
  try {
    const kibibytes = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1];
    return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
  } catch {
    return undefined;
  }
}
