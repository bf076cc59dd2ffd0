import { withResolvers } from "../../base/with-resolvers.js";

// The one queue between the sources and the loop. Each source has at most one event behind those that may be read ahead.

export interface Arrivals<Item> {
  /** Puts an item behind the others. The promise is open while nothing further may be read; undefined: it may at once. */
  readonly put: (item: Item) => Promise<void> | undefined;
  /** Runs `reached` when the loop has finished everything before it: at once if nothing is open. An error thrown by it ends the iteration. */
  readonly mark: (reached: () => void) => void;
  /**
   * Allows reading far ahead until the returned function is called. `full` is called if so much waits that nobody may read further ahead: the caller
   * then waits in vain.
   */
  readonly readAhead: (full: () => void) => () => void;
  /** Ends the iteration behind the items that wait, with an error if one is given. The first end counts. */
  readonly end: (failure?: { readonly caught: unknown }) => void;
  /** Ends the iteration at once, unless it has ended: what waits is dropped, and no mark is reached. */
  readonly drop: () => void;
  /** Finishes the former item and resolves with the next one; undefined at the end. */
  readonly next: () => Promise<{ readonly item: Item } | undefined>;
}

/** Most items that wait while reading far ahead is allowed: as many as a daemon lets a subscription fall behind by default (R18). */
const MOST_AHEAD = 16_384;
/** So many taken entries at the front of the array are cut off together. */
const CUT_COUNT = 256;

type Entry<Item> =
  | { readonly kind: "item"; readonly item: Item; readonly release: () => void }
  | { readonly kind: "mark"; readonly reached: () => void };

/** `aheadCount`: so many items are read ahead of the loop at all times. 0: an item occupies its source until the loop has finished it. */
export function createArrivals<Item>(aheadCount = 0): Arrivals<Item> {
  let entries: Entry<Item>[] = [];
  let taken = 0;
  let current: (() => void) | undefined;
  let end: { readonly failure: { readonly caught: unknown } | undefined } | undefined;
  let wake: () => void = () => {};
  const readers = new Set<() => void>();

  function shift(): Entry<Item> | undefined {
    const entry = entries[taken];
    if (entry === undefined) return undefined;
    taken += 1;
    const near = entries[taken + aheadCount - 1];
    if (aheadCount > 0 && near?.kind === "item") near.release();
    if (taken === entries.length || taken === CUT_COUNT) {
      entries = entries.slice(taken);
      taken = 0;
    }
    return entry;
  }

  function releaseAll(): void {
    current?.();
    for (const entry of entries) if (entry.kind === "item") entry.release();
  }

  async function step(): Promise<{ readonly item: Item } | undefined> {
    current?.();
    current = undefined;
    for (;;) {
      const entry = shift();
      if (entry?.kind === "item") {
        current = entry.release;
        return { item: entry.item };
      }
      if (entry?.kind === "mark") {
        entry.reached();
      } else if (end === undefined) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      } else {
        const { failure } = end;
        // Told once; later the iteration is over.
        end = { failure: undefined };
        if (failure !== undefined) throw failure.caught;
        return undefined;
      }
    }
  }

  // One step at a time, also if the caller asks again before it has its item.
  let former: Promise<unknown> = Promise.resolve();

  return {
    put: (item) => {
      if (end !== undefined) return undefined;
      const { promise: isReleased, resolve: release } = withResolvers();
      entries.push({ kind: "item", item, release });
      wake();
      const waitingCount = entries.length - taken;
      if (waitingCount <= aheadCount) return undefined;
      if (readers.size === 0) return isReleased;
      if (waitingCount < MOST_AHEAD) return undefined;
      for (const full of readers) full();
      return isReleased;
    },
    mark: (reached) => {
      if (end !== undefined) return;
      if (current === undefined && entries.length === 0) return reached();
      entries.push({ kind: "mark", reached });
      wake();
    },
    readAhead: (full) => {
      // An own function for each caller, because two may give the same one.
      const reader = (): void => full();
      readers.add(reader);
      // The loop finishes these in their turn; only their sources no longer wait for that.
      releaseAll();
      return () => void readers.delete(reader);
    },
    end: (failure) => {
      end ??= { failure };
      wake();
    },
    drop: () => {
      releaseAll();
      entries = [];
      taken = 0;
      end ??= { failure: undefined };
      wake();
    },
    next: () => {
      const result = former.then(step);
      former = result.catch(() => {});
      return result;
    },
  };
}
