// An ascending list of offsets that grows at its end and forgets its beginning, with the searches that each token needs.

export class OffsetList {
  private readonly allowsEqual: boolean;
  private offsets: number[] = [];
  private forgottenCount = 0;

  constructor(allowsEqual = false) {
    this.allowsEqual = allowsEqual;
  }

  copy(): OffsetList {
    return Object.assign(new OffsetList(this.allowsEqual), this, { offsets: [...this.offsets] });
  }

  /** Adds an offset. A smaller offset than the last one is ignored, and an equal one too, unless the list allows equal offsets. */
  push(offset: number): void {
    const last = this.offsets.at(-1);
    if (last === undefined || offset > last || (this.allowsEqual && offset === last)) this.offsets.push(offset);
  }

  firstAfter(offset: number): number | undefined {
    const last = this.offsets.at(-1);
    return last === undefined || last <= offset ? undefined : this.offsets[this.search(offset)];
  }

  /** The last offset that is at most `offset`. Of the forgotten offsets, the last one is still found. */
  lastUpTo(offset: number): number | undefined {
    return this.offsets[this.search(offset) - 1];
  }

  has(offset: number): boolean {
    return this.lastUpTo(offset) === offset;
  }

  /** Number of offsets up to `offset`, forgotten ones included; `at` takes this number for the next one. */
  countUpTo(offset: number): number {
    return this.forgottenCount + this.search(offset);
  }

  /** The offset with this number. Undefined if there is none yet, or if it is forgotten and not the last of the forgotten ones. */
  at(number: number): number | undefined {
    return this.offsets[number - this.forgottenCount];
  }

  /** Forgets the offsets before `offset`, except the last of them. */
  forget(offset: number): void {
    const count = this.search(offset) - 1;
    if (count < 16) return;
    this.offsets = this.offsets.slice(count);
    this.forgottenCount += count;
  }

  /** Index of the first offset after `offset`. */
  private search(offset: number): number {
    const { offsets } = this;
    let low = 0;
    let high = offsets.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((offsets[middle] ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
