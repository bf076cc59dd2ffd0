// Ascending offsets, appended at the end and forgotten at the beginning, with the questions that are asked for every token.

export interface OffsetList {
  /** Adds an offset; one that is smaller than the last is ignored, one that equals it too (unless the list allows equal ones). */
  readonly push: (offset: number) => void;
  /** The first one after `offset`. */
  readonly firstAfter: (offset: number) => number | undefined;
  /** The last one that is at most `offset`, even a forgotten one if it is the last of those. */
  readonly lastUpTo: (offset: number) => number | undefined;
  readonly has: (offset: number) => boolean;
  /** How many there are up to `offset`, forgotten ones included: the number `at` takes for the one after them. */
  readonly countUpTo: (offset: number) => number;
  /** The one with this number. Undefined: there is none yet, or it is forgotten and not the last of those. */
  readonly at: (number: number) => number | undefined;
  /** Nobody will ask for one before `offset`, except for the last of them. */
  readonly forget: (offset: number) => void;
}

export function createOffsetList(allowsEqual = false): OffsetList {
  let offsets: number[] = [];
  let forgottenCount = 0;

  /** Index of the first one after `offset`. */
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
      // One is kept as the answer to "the last one up to here".
      const count = search(offset) - 1;
      if (count < 16) return;
      offsets = offsets.slice(count);
      forgottenCount += count;
    },
  };
}
