// What is remembered up to a number, the newest of it.

/** Lets go of the oldest keys of a set or a map beyond `most`; they stand in the order in which they were added. */
export function keepNewest<Key>(kept: Set<Key> | Map<Key, unknown>, most: number): void {
  for (const oldest of kept.keys()) {
    if (kept.size <= most) return;
    kept.delete(oldest);
  }
}
