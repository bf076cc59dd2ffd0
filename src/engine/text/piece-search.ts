// Search among consecutive pieces of a text.

/** Index of the last piece that starts at or before `offset`; -1 if there is none. Starts ascend; the search takes O(log n). */
export function lastStartingBy(pieces: readonly { readonly start: number }[], offset: number): number {
  const newest = pieces.length - 1;
  // Most searches are for the end.
  if ((pieces[newest]?.start ?? offset + 1) <= offset) return newest;
  let low = 0;
  let high = newest;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((pieces[middle]?.start ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
