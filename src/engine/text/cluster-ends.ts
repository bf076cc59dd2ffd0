// The ends of grapheme clusters, inside of which a text is cut only where there is no other way (R26).
import type { Segmenter } from "../../contracts/segmenter.js";

/** Units of a cluster that is certainly kept whole. A row of flags is counted from its first only as far back. */
export const CLUSTER_LOOK_BACK = 512;
/** Units read after an offset to decide whether a cluster ends there. */
export const CLUSTER_LOOK_AHEAD = 64;

/** The last end of a grapheme cluster in `text` that is at most `index`; 0 if the first cluster is longer than that. */
export function clusterEndBefore(segmenter: Segmenter, text: string, index: number): number {
  if (index >= text.length || isPlainBreak(text, index)) return index;
  // Clusters are counted from a place that is certainly between two of them.
  let start = Math.max(0, index - 1);
  const oldest = Math.max(0, index - CLUSTER_LOOK_BACK);
  while (start > oldest && !isPlainBreak(text, start)) start -= 1;
  if (start === oldest && start > 0 && (text.charCodeAt(start) & 0xfc00) === 0xdc00) start -= 1;
  let last = start;
  for (const end of segmenter.clusterEnds(text.slice(start, index + CLUSTER_LOOK_AHEAD))) {
    if (start + end > index) break;
    last = start + end;
  }
  return last;
}

/** Whether `index` is between two ASCII characters, or beside the end of a line, which is always a cluster's end, except inside CR LF. */
function isPlainBreak(text: string, index: number): boolean {
  const [before, after] = [text.charCodeAt(index - 1), text.charCodeAt(index)];
  if (before === 0x0d && after === 0x0a) return false;
  return (before < 0x80 && after < 0x80) || isLineEnd(before) || isLineEnd(after);
}

function isLineEnd(code: number): boolean {
  return code === 0x0a || code === 0x0d || code === 0x20_28 || code === 0x20_29;
}
