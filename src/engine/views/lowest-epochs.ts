// The lowest epoch of many items that come and go, without looking at all of them for each query (R17).
import TinyQueue from "tinyqueue";
import type { Epoch } from "../event/event.js";

interface Entry<T> {
  /** Undefined after the item was removed. */
  item: T | undefined;
  /** The epoch of the item when it was last checked: a lower bound of its present epoch. */
  epoch: Epoch;
}

/** Entries of removed items that may stay in the queue, beside as many as there are items. */
const SPARE_ENTRIES = 16;

/** `epochOf` returns the present epoch of an item, which never falls while the item is there; undefined if it has none. */
export class LowestEpochs<T> {
  private readonly epochOf: (item: T) => Epoch | undefined;
  private readonly queue = new TinyQueue<Entry<T>>([], (a, b) => a.epoch - b.epoch);
  private readonly counted = new Map<T, Entry<T>>();

  constructor(epochOf: (item: T) => Epoch | undefined) {
    this.epochOf = epochOf;
  }

  /** Adds an item; does nothing for one that is already there, or has no epoch. */
  add(item: T): void {
    if (this.counted.has(item)) return;
    const epoch = this.epochOf(item);
    if (epoch === undefined) return;
    const entry = { item, epoch };
    this.counted.set(item, entry);
    this.queue.push(entry);
  }

  remove(item: T): void {
    const { queue, counted } = this;
    const entry = counted.get(item);
    if (entry === undefined) return;
    entry.item = undefined;
    counted.delete(item);
    if (queue.length <= 2 * counted.size + SPARE_ENTRIES) return;
    queue.data = [];
    queue.length = 0;
    for (const one of counted.values()) queue.push(one);
  }

  /** The lowest epoch of all items; undefined if there is none. An item without an epoch is removed. */
  lowest(): Epoch | undefined {
    const { queue, counted } = this;
    for (let head = queue.peek(); head !== undefined; head = queue.peek()) {
      const { item } = head;
      const epoch = item === undefined ? undefined : this.epochOf(item);
      if (epoch !== undefined && epoch === head.epoch) return epoch;
      queue.pop();
      if (epoch !== undefined) {
        head.epoch = epoch;
        queue.push(head);
      } else if (item !== undefined) counted.delete(item);
    }
    return undefined;
  }
}
