import { patiently } from "../patience.js";

/** What has come in and nobody has taken yet, with those who wait for more. */
export interface MessageQueue<Item> {
  readonly push: (item: Item) => void;
  /** The next one. Rejects where the queue ends before, or nothing comes for so long that the test must have failed. */
  readonly next: (what?: string) => Promise<Item>;
  readonly take: (count: number, what?: string) => Promise<Item[]>;
  /** Everything that waits, without waiting. */
  readonly rest: () => Item[];
  readonly end: () => void;
}

export function createMessageQueue<Item>(label: string): MessageQueue<Item> {
  let items: Item[] = [];
  let ended = false;
  let waiting: (() => void)[] = [];

  const tell = (): void => {
    const told = waiting;
    waiting = [];
    for (const wake of told) wake();
  };

  const next = async (what = "a message"): Promise<Item> => {
    for (;;) {
      const [item, ...others] = items;
      if (items.length > 0) {
        items = others;
        return item as Item;
      }
      if (ended) throw new Error(`${label} ended while waiting for ${what}`);
      await new Promise<void>((resolve, reject) => {
        const cancel = patiently(() => reject(new Error(`${label} waited in vain for ${what}`)));
        waiting.push(() => {
          cancel();
          resolve();
        });
      });
    }
  };

  return {
    push: (item) => {
      items.push(item);
      tell();
    },
    next,
    take: async (count, what) => {
      const taken: Item[] = [];
      while (taken.length < count) {
        // Many at once without copying the rest each time.
        const ready = items.splice(0, count - taken.length);
        if (ready.length > 0) taken.push(...ready);
        else taken.push(await next(what ?? `${count} messages, of which ${taken.length} came`));
      }
      return taken;
    },
    rest: () => items.splice(0),
    end: () => {
      ended = true;
      tell();
    },
  };
}
