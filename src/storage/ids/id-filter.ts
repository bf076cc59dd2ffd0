// A Bloom filter of two words an id. It says by two reads of memory whether a run may have an id.
import type { IdHash } from "./id-hash.js";

/** A full filter takes about one foreign id in a thousand for one of its own. */
const BITS_PER_ID = 16;

/** A filter for `count` ids, rounded up to a power of two. */
export function createIdFilter(count: number): Uint32Array {
  return new Uint32Array(2 ** Math.ceil(Math.log2(Math.max(64, (count * BITS_PER_ID) / 32))));
}

/** Three bits of a word. */
function mask(bits: number): number {
  return (1 << (bits & 31)) | (1 << ((bits >>> 5) & 31)) | (1 << ((bits >>> 10) & 31));
}

export function addToFilter(filter: Uint32Array, { high, low }: IdHash): void {
  const last = filter.length - 1;
  const one = (high >>> 15) & last;
  const other = (low >>> 15) & last;
  filter[one] = (filter[one] ?? 0) | mask(high);
  filter[other] = (filter[other] ?? 0) | mask(low);
}

export function mayHold(filter: Uint32Array, { high, low }: IdHash): boolean {
  const last = filter.length - 1;
  const one = mask(high);
  if (((filter[(high >>> 15) & last] ?? 0) & one) !== one) return false;
  const other = mask(low);
  return ((filter[(low >>> 15) & last] ?? 0) & other) === other;
}
