// Reverts the changes of a refused or abandoned plan. A record is copied once a plan, when it is first touched; of a collection, only changed entries
// are remembered. One chunk therefore costs a few small copies, however large its session is.

/** A record whose scalar fields the log can restore. */
export interface Undoable {
  /** Number of the plan that copied the record last; used only by the log. */
  generation: number;
}

export interface UndoLog {
  /** Copies the record. Call it before any of its fields is assigned. */
  readonly touch: (record: Undoable) => void;
  readonly put: <K, V>(map: Map<K, V>, key: K, value: V) => void;
  readonly remove: <K, V>(map: Map<K, V>, key: K) => void;
  /** The records touched since the last `keep` or `revert`. */
  readonly touched: () => readonly Undoable[];
  /** Undoes every change since the last `keep`. Maps may iterate in another order afterwards. */
  readonly revert: () => void;
  /** Accepts every change since the last `keep`. */
  readonly keep: () => void;
}

export function createUndoLog(): UndoLog {
  let generation = 1;
  const touched: Undoable[] = [];
  const copies: Undoable[] = [];
  const steps: (() => void)[] = [];

  const keep = (): void => {
    generation += 1;
    // Few entries. Setting a length to 0 costs as much as the rest of the undo log.
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
