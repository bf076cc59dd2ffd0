// A memory of bounded size, at the same small cost for every entry. To delete the oldest entry of a Map one by one is dear: the Map walks over the
// places of all that it has lost.

/** Remembers the keys used last, a given count of them, and some of those before: at most twice as many in all. */
export class RecentMap<Value> {
  readonly #count: number;
  #recent = new Map<string, Value>();
  #older: ReadonlyMap<string, Value> = new Map();

  constructor(count: number) {
    this.#count = count;
  }

  /** The value of the key, which counts as used; undefined if it is not known, or forgotten. */
  get(key: string): Value | undefined {
    const found = this.#recent.get(key) ?? this.#older.get(key);
    if (found !== undefined) this.set(key, found);
    return found;
  }

  set(key: string, value: Value): void {
    this.#recent.set(key, value);
    if (this.#recent.size < this.#count) return;
    this.#older = this.#recent;
    this.#recent = new Map();
  }

  deleteAll(matches: (value: Value) => boolean): void {
    const kept = (map: ReadonlyMap<string, Value>) => new Map([...map].filter(([, value]) => !matches(value)));
    this.#recent = kept(this.#recent);
    this.#older = kept(this.#older);
  }
}
