// The lowest epoch of many items that come and go, without looking at all of them for each query (R17).
import TinyQueue from "tinyqueue";
import type { Epoch } from "../event/event.js";

export interface LowestEpochs<T> {
  /** Adds an item; does nothing for one that is already there. */
  readonly add: (item: T) => void;
  /** Removes an item. */
  readonly remove: (item: T) => void;
  /** The lowest epoch of all items; undefined if there is none. */
  readonly lowest: () => Epoch | undefined;
  /** The items in the order in which they were added. */
  readonly items: () => Iterable<T>;
}

interface Entry<T> {
  /** Undefined after the item was removed. */
  item: T | undefined;
  /** The epoch of the item when it was last checked: a lower bound of its present epoch. */
  epoch: Epoch;
}

/** Entries of removed items that may stay in the queue, beside as many as there are items. */
const SPARE_ENTRIES = 16;

/**
 * `epochOf` returns the present epoch of an item, or undefined if it has none; the item is then removed. The epoch of an item never falls while the
 * item is there.
 */
export function createLowestEpochs<T>(epochOf: (item: T) => Epoch | undefined): LowestEpochs<T> {
  const queue = new TinyQueue<Entry<T>>([], (a, b) => a.epoch - b.epoch);
  const counted = new Map<T, Entry<T>>();

  const remove = (item: T): void => {
    const entry = counted.get(item);
    if (entry === undefined) return;
    entry.item = undefined;
    counted.delete(item);
    if (queue.length > 2 * counted.size + SPARE_ENTRIES) sweep();
  };

  /** Drops the entries of removed items that are behind others in the queue. */
  const sweep = (): void => {
    queue.data = [];
    queue.length = 0;
    for (const entry of counted.values()) queue.push(entry);
  };

  return {
    add: (item) => {
      if (counted.has(item)) return;
      const epoch = epochOf(item);
      if (epoch === undefined) return;
      const entry = { item, epoch };
      counted.set(item, entry);
      queue.push(entry);
    },
    remove,
    items: function* () {
      for (const item of counted.keys()) {
        if (epochOf(item) === undefined) remove(item);
        else yield item;
      }
    },
    lowest: () => {
      for (let head = queue.peek(); head !== undefined; head = queue.peek()) {
        const { item } = head;
        const epoch = item === undefined ? undefined : epochOf(item);
        if (epoch !== undefined && epoch === head.epoch) return epoch;
        queue.pop();
        if (epoch !== undefined) {
          head.epoch = epoch;
          queue.push(head);
        } else if (item !== undefined) counted.delete(item);
      }
      return undefined;
    },
  };
}
