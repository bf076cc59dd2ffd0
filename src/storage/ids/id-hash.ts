/** A hash of 64 bits, as two unsigned halves. */
export interface IdHash {
  high: number;
  low: number;
}

/**
 * Hashes an id into `into`, and answers `into`: every event needs a hash. The hash is not for secrets. Ids that collide make lookups slower and
 * nothing else, because each event found is compared.
 */
export function hashId(id: string, into: IdHash = { high: 0, low: 0 }): IdHash {
  let first = 0xdeadbeef ^ id.length;
  let second = 0x41c6ce57;
  for (let index = 0; index < id.length; index += 1) {
    const unit = id.charCodeAt(index);
    first = Math.imul(first ^ unit, 2654435761);
    second = Math.imul(second ^ unit, 1597334677);
  }
  first = Math.imul(first ^ (first >>> 16), 2246822507) ^ Math.imul(second ^ (second >>> 13), 3266489909);
  second = Math.imul(second ^ (second >>> 16), 2246822507) ^ Math.imul(first ^ (first >>> 13), 3266489909);
  into.high = second >>> 0;
  into.low = first >>> 0;
  return into;
}
