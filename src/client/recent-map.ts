// A memory of bounded size, at the same small cost for every entry. To delete the oldest entry of a Map one by one is dear: the Map walks over the
// places of all that it has lost.

export interface RecentMap<Value> {
  /** The value of the key, which counts as used; undefined if it is not known, or forgotten. */
  readonly get: (key: string) => Value | undefined;
  readonly set: (key: string, value: Value) => void;
  readonly deleteAll: (matches: (value: Value) => boolean) => void;
}

/** Remembers the `count` keys used last, and some of those before: at most twice as many in all. */
export function createRecentMap<Value>(count: number): RecentMap<Value> {
  let recent = new Map<string, Value>();
  let older: ReadonlyMap<string, Value> = new Map();

  function set(key: string, value: Value): void {
    recent.set(key, value);
    if (recent.size < count) return;
    older = recent;
    recent = new Map();
  }

  return {
    get: (key) => {
      const found = recent.get(key) ?? older.get(key);
      if (found !== undefined) set(key, found);
      return found;
    },
    set,
    deleteAll: (matches) => {
      const kept = (map: ReadonlyMap<string, Value>) => new Map([...map].filter(([, value]) => !matches(value)));
      recent = kept(recent);
      older = kept(older);
    },
  };
}
