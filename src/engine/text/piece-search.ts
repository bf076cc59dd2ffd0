// Which of many pieces of a text, one behind the other, holds a place.

/** Index of the last piece that starts at or before `offset`; -1 where there is none. Starts ascend; looks at no more than log n of them. */
export function lastStartingBy(pieces: readonly { readonly start: number }[], offset: number): number {
  const newest = pieces.length - 1;
  // Asked most often for the end.
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
