// Takes back what a refused or abandoned plan changed. Records are copied once a plan, when they are first touched; collections
// remember single entries. So one chunk costs a few small copies, whatever its session has grown to.

/** A record whose scalar fields the log can restore. */
export interface Undoable {
  /** The plan that copied it last; the log's own. */
  generation: number;
}

export interface UndoLog {
  /** Must be called before the record's fields are assigned. */
  readonly touch: (record: Undoable) => void;
  readonly put: <K, V>(map: Map<K, V>, key: K, value: V) => void;
  readonly remove: <K, V>(map: Map<K, V>, key: K) => void;
  /** The records touched since the last `keep`. */
  readonly touched: () => readonly Undoable[];
  /** Everything since the last `keep` becomes as it was. Maps may iterate in another order afterwards. */
  readonly revert: () => void;
  /** Everything since the last `keep` stays. */
  readonly keep: () => void;
}

export function createUndoLog(): UndoLog {
  let generation = 1;
  const touched: Undoable[] = [];
  const copies: Undoable[] = [];
  const steps: (() => void)[] = [];

  const keep = (): void => {
    generation += 1;
    // Few entries: to set a length of 0 costs as much as the rest of a plan's undoing.
    while (touched.length > 0) {
      touched.pop();
      copies.pop();
    }
    while (steps.length > 0) steps.pop();
  };
  const rememberEntry = <K, V>(map: Map<K, V>, key: K): void => {
    const before = map.get(key);
    if (before === undefined && !map.has(key)) steps.push(() => map.delete(key));
    else steps.push(() => map.set(key, before as V));
  };
  return {
    touch: (record) => {
      if (record.generation === generation) return;
      touched.push(record);
      copies.push({ ...record });
      record.generation = generation;
    },
    put: (map, key, value) => {
      rememberEntry(map, key);
      map.set(key, value);
    },
    remove: (map, key) => {
      rememberEntry(map, key);
      map.delete(key);
    },
    touched: () => touched,
    revert: () => {
      for (let index = steps.length - 1; index >= 0; index -= 1) steps[index]?.();
      for (const [index, record] of touched.entries()) Object.assign(record, copies[index]);
      keep();
    },
    keep,
  };
}
