// Memory of the process.
import { readFileSync } from "node:fs";
import { getHeapStatistics } from "node:v8";

export interface StatusMemory {
  /** Undefined if the system does not report it, as at the limit of open files. */
  readonly rss_bytes?: number;
  readonly heap_used_bytes: number;
  readonly heap_total_bytes: number;
  /** Outside of the heap: buffers, mapped files of libraries. */
  readonly external_bytes: number;
  /** Resident memory without mapped files, such as the file of a journal. Undefined if the system does not report it. */
  readonly anonymous_bytes?: number;
}

export function processMemory(): StatusMemory {
  // `process.memoryUsage` opens a file.
  const { used_heap_size: used, total_heap_size: total, external_memory: external } = getHeapStatistics();
  const resident = residentBytes();
  const anonymous = anonymousBytes();
  return {
    ...(resident === undefined ? {} : { rss_bytes: resident }),
    heap_used_bytes: used,
    heap_total_bytes: total,
    external_bytes: external,
    ...(anonymous === undefined ? {} : { anonymous_bytes: anonymous }),
  };
}

function residentBytes(): number | undefined {
  try {
    return process.memoryUsage.rss();
  } catch {
    return undefined;
  }
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
