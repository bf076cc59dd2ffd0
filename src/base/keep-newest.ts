// Bounds collections to a number of entries: the newest stay.

/** Removes the oldest keys of a set or a map beyond `most`. The oldest key is the one added first. */
export function keepNewest<Key>(kept: Set<Key> | Map<Key, unknown>, most: number): void {
  for (const oldest of kept.keys()) {
    if (kept.size <= most) return;
    kept.delete(oldest);
  }
}
