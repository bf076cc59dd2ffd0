// What is remembered up to a number, the newest of it.

/** Lets go of a set's oldest values beyond `most`; values stand in the order in which they were added. */
export function keepNewest<Value>(values: Set<Value>, most: number): void {
  for (const oldest of values) {
    if (values.size <= most) return;
    values.delete(oldest);
  }
}
