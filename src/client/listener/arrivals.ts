// The one queue between the sources and the loop. Each source has at most one event behind those that may be read ahead.
import { withResolvers } from "../../base/with-resolvers.js";

/** Most items that wait while reading far ahead is allowed: as many as a daemon lets a subscription fall behind by default (R18). */
const MOST_AHEAD = 16_384;
export const OVER = { done: true, value: undefined } as const;

/** An item, or without one a mark. */
interface Entry<Item> {
  readonly next?: { readonly done: false; readonly value: Item };
  /** Releases the source of the item, or tells that the mark is reached. */
  readonly done: () => void;
}

export class Arrivals<Item> {
  readonly #aheadCount: number;
  readonly #readers = new Set<() => void>();
  #entries: Entry<Item>[] = [];
  #current: (() => void) | undefined;
  #end: { readonly failure: { readonly caught: unknown } | undefined } | undefined;
  #wake = (): void => {};
  // One step at a time, also if the caller asks again before it has its item.
  #former: Promise<unknown> = Promise.resolve();

  /** `aheadCount`: so many items are read ahead of the loop at all times. 0: an item occupies its source until the loop has finished it. */
  constructor(aheadCount = 0) {
    this.#aheadCount = aheadCount;
  }

  /** Puts an item behind the others. The promise is open while nothing further may be read; undefined: it may at once. */
  put(item: Item): Promise<void> | undefined {
    if (this.#end !== undefined) return undefined;
    const { promise: isReleased, resolve: done } = withResolvers();
    this.#entries.push({ next: { done: false, value: item }, done });
    this.#wake();
    if (this.#entries.length <= this.#aheadCount) return undefined;
    if (this.#readers.size === 0) return isReleased;
    if (this.#entries.length < MOST_AHEAD) return undefined;
    for (const full of this.#readers) full();
    return isReleased;
  }

  /** Runs `reached` when the loop has finished everything before it: at once if nothing is open. An error thrown by it ends the iteration. */
  mark(reached: () => void): void {
    if (this.#end !== undefined) return;
    if (this.#current === undefined && this.#entries.length === 0) {
      reached();
      return;
    }
    this.#entries.push({ done: reached });
    this.#wake();
  }

  /**
   * Allows reading far ahead until the returned function is called. `full` is called if so much waits that nobody may read further ahead: the caller
   * then waits in vain.
   */
  readAhead(full: () => void): () => void {
    // An own function for each caller, because two may give the same one.
    const reader = (): void => full();
    this.#readers.add(reader);
    // The loop finishes these in their turn; only their sources no longer wait for that.
    this.#releaseAll();
    return () => void this.#readers.delete(reader);
  }

  /** Ends the iteration behind the items that wait, with an error if one is given. The first end counts. */
  end(failure?: { readonly caught: unknown }): void {
    this.#end ??= { failure };
    this.#wake();
  }

  /** Ends the iteration at once, unless it has ended: what waits is dropped, and no mark is reached. */
  drop(): void {
    this.#releaseAll();
    this.#entries = [];
    this.end();
  }

  /** Finishes the former item and resolves with the next one. */
  next(): Promise<IteratorResult<Item, undefined>> {
    const result = this.#former.then(() => this.#step());
    this.#former = result.catch(() => {});
    return result;
  }

  async #step(): Promise<IteratorResult<Item, undefined>> {
    this.#current?.();
    this.#current = undefined;
    for (;;) {
      const entry = this.#shift();
      if (entry?.next !== undefined) {
        this.#current = entry.done;
        return entry.next;
      }
      if (entry !== undefined) entry.done();
      else if (this.#end === undefined) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      } else {
        const { failure } = this.#end;
        // Told once; later the iteration is over.
        this.#end = { failure: undefined };
        if (failure !== undefined) throw failure.caught;
        return OVER;
      }
    }
  }

  #shift(): Entry<Item> | undefined {
    const entry = this.#entries.shift();
    const near = this.#entries[this.#aheadCount - 1];
    if (near?.next !== undefined) near.done();
    return entry;
  }

  #releaseAll(): void {
    this.#current?.();
    for (const { next, done } of this.#entries) if (next !== undefined) done();
  }
}
