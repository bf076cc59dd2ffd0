// Chance with a seed, so that a run can be played again.

export interface Chance {
  /** From [0, 1). */
  readonly next: () => number;
  /** A whole number from `least` to `most`, both included. */
  readonly between: (least: number, most: number) => number;
  readonly isLikely: (probability: number) => boolean;
  readonly pick: <Item>(items: readonly Item[]) => Item;
  /** Chance of its own for a part, which others cannot disturb. */
  readonly fork: (name: string) => Chance;
}

/** The same seed gives the same chances. */
export function createChance(seed: number): Chance {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
  const between = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1));
  return {
    next,
    between,
    isLikely: (probability) => next() < probability,
    pick: (items) => {
      if (items.length === 0) throw new Error("Nothing to pick from.");
      // The index is one of the list.
      return items[between(0, items.length - 1)] as (typeof items)[number];
    },
    fork: (name) => {
      let mixed = seed;
      for (const character of name) mixed = Math.imul(mixed, 31) + (character.codePointAt(0) ?? 0);
      return createChance(mixed);
    },
  };
}
