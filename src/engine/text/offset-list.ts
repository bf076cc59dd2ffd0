// An ascending list of offsets that grows at its end and forgets its beginning, with the searches that each token needs.

export interface OffsetList {
  /** Adds an offset. A smaller offset than the last one is ignored, and an equal one too, unless the list allows equal offsets. */
  readonly push: (offset: number) => void;
  /** The first offset after `offset`. */
  readonly firstAfter: (offset: number) => number | undefined;
  /** The last offset that is at most `offset`. Of the forgotten offsets, the last one is still found. */
  readonly lastUpTo: (offset: number) => number | undefined;
  readonly has: (offset: number) => boolean;
  /** Number of offsets up to `offset`, forgotten ones included; `at` takes this number for the next one. */
  readonly countUpTo: (offset: number) => number;
  /** The offset with this number. Undefined if there is none yet, or if it is forgotten and not the last of the forgotten ones. */
  readonly at: (number: number) => number | undefined;
  /** Forgets the offsets before `offset`, except the last of them. */
  readonly forget: (offset: number) => void;
}

export function createOffsetList(allowsEqual = false): OffsetList {
  let offsets: number[] = [];
  let forgottenCount = 0;

  /** Index of the first offset after `offset`. */
  const search = (offset: number): number => {
    let low = 0;
    let high = offsets.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((offsets[middle] ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    return low;
  };

  return {
    push: (offset) => {
      const last = offsets.at(-1);
      if (last === undefined || offset > last || (allowsEqual && offset === last)) offsets.push(offset);
    },
    firstAfter: (offset) => {
      const last = offsets[offsets.length - 1];
      if (last === undefined || last <= offset) return undefined;
      return offsets[search(offset)];
    },
    lastUpTo: (offset) => offsets[search(offset) - 1],
    has: (offset) => offsets[search(offset) - 1] === offset,
    countUpTo: (offset) => forgottenCount + search(offset),
    at: (number) => offsets[number - forgottenCount],
    forget: (offset) => {
      // One offset stays as the result of `lastUpTo`.
      const count = search(offset) - 1;
      if (count < 16) return;
      offsets = offsets.slice(count);
      forgottenCount += count;
    },
  };
}
