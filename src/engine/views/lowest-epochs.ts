// The lowest epoch among many things that come and go, without looking at all of them each time it is asked for (R17).
import TinyQueue from "tinyqueue";
import type { Epoch } from "../event/event.js";

export interface LowestEpochs<T> {
  /** Counts a thing in; one that is counted already stays as it is. */
  readonly add: (item: T) => void;
  /** Counts a thing out, and keeps nothing of it. */
  readonly remove: (item: T) => void;
  /** The lowest epoch of what is counted in, or undefined. */
  readonly lowest: () => Epoch | undefined;
  /** The things that are counted in, in the order in which they came. */
  readonly items: () => Iterable<T>;
}

interface Entry<T> {
  /** Undefined where it has been counted out. */
  item: T | undefined;
  /** What `item` stood at when it was last looked at: it stands no lower now. */
  epoch: Epoch;
}

/** So many entries of what has been counted out may stay behind others, beside as many as are counted in. */
const SPARE_ENTRIES = 16;

/**
 * `epochOf` tells where a thing stands now; undefined where it has nothing, and it is then counted out. What it tells of one thing never falls
 * while the thing is counted in.
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

  /** Forgets what has been counted out but stands behind something that stays. */
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
