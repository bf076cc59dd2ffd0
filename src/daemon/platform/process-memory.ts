// Memory of the process.
import { readFileSync } from "node:fs";
import { getHeapStatistics } from "node:v8";

export function processMemory() {
  // `process.memoryUsage` opens a file.
  const { used_heap_size: used, total_heap_size: total, external_memory: external } = getHeapStatistics();
  return {
    rss_bytes: ifTold(() => process.memoryUsage.rss()),
    heap_used_bytes: used,
    heap_total_bytes: total,
    /** Outside of the heap: buffers, mapped files of libraries. */
    external_bytes: external,
    /** Resident memory without mapped files, such as the file of a journal, as Linux reports it. */
    anonymous_bytes: ifTold(() => {
      const kibibytes = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1];
      return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
    }),
  };
}

/** Undefined if the system does not report it, as at the limit of open files. */
function ifTold(read: () => number | undefined): number | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
