// The text of one output, from the first place that a view still needs. It is stored in the pieces in which it arrived, and a slice joins only the
// pieces that it needs. Neither a token nor a sentence therefore costs more while a slow subscription holds a long text.

/** Fewer pieces than this are not forgotten, so that a token costs nothing. */
const FEWEST_FORGOTTEN = 32;

export class RetainedText {
  length = 0;
  /** The first offset that is not forgotten. */
  start = 0;
  private pieces: { readonly start: number; readonly text: string }[] = [];

  copy(): RetainedText {
    return Object.assign(new RetainedText(), this, { pieces: [...this.pieces] });
  }

  append(chunk: string): void {
    if (chunk === "") return;
    this.pieces.push({ start: this.length, text: chunk });
    this.length += chunk.length;
  }

  slice(from: number, to: number): string {
    const first = Math.max(from, this.start);
    if (to <= first) return "";
    let joined = "";
    for (let index = lastStartingBy(this.pieces, first); ; index += 1) {
      const piece = this.pieces[index];
      if (piece === undefined || piece.start >= to) return joined;
      joined += piece.text.slice(Math.max(0, first - piece.start), to - piece.start);
    }
  }

  forget(offset: number): void {
    this.start = Math.max(this.start, Math.min(offset, this.length));
    const count = lastStartingBy(this.pieces, this.start);
    if (count >= FEWEST_FORGOTTEN) this.pieces = this.pieces.slice(count);
  }
}

/** Index of the last of consecutive pieces that starts at or before `offset`; -1 if there is none. */
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
