// Things by the parts of their keys, so that all whose key begins with the same parts are found, and let go of, in one step: sessions end by the
// thousand, and each has its own.
import type { TableKey } from "../lmdb/tables.js";

export interface KeyTree<Value> {
  /** In place of what stands under the same key. */
  readonly set: (key: TableKey, value: Value) => void;
  readonly get: (key: TableKey) => Value | undefined;
  /** Removes all whose key begins with `prefix`. */
  readonly removeUnder: (prefix: TableKey) => void;
  /** Whether the key of any begins with `prefix`. */
  readonly hasUnder: (prefix: TableKey) => boolean;
  /** Whether `key` begins with the key of any. */
  readonly hasAbove: (key: TableKey) => boolean;
  readonly isEmpty: () => boolean;
  /** In no particular order. */
  readonly entries: () => Iterable<readonly [key: TableKey, value: Value]>;
}

interface Place<Value> {
  readonly key: TableKey;
  readonly value: Value;
}

interface Node<Value> {
  place: Place<Value> | undefined;
  /** A node without a place has some. */
  children: Map<string | number, Node<Value>> | undefined;
}

export function createKeyTree<Value>(): KeyTree<Value> {
  const root: Node<Value> = { place: undefined, children: undefined };

  const nodeAt = (key: TableKey): Node<Value> | undefined => {
    let node: Node<Value> | undefined = root;
    for (const part of key) node = node?.children?.get(part);
    return node;
  };

  function* placesUnder({ place, children }: Node<Value>): Iterable<readonly [TableKey, Value]> {
    if (place !== undefined) yield [place.key, place.value];
    if (children !== undefined) for (const child of children.values()) yield* placesUnder(child);
  }

  return {
    set: (key, value) => {
      let node = root;
      for (const part of key) {
        node.children ??= new Map();
        let child = node.children.get(part);
        if (child === undefined) {
          child = { place: undefined, children: undefined };
          node.children.set(part, child);
        }
        node = child;
      }
      node.place = { key, value };
    },
    get: (key) => nodeAt(key)?.place?.value,
    removeUnder: (prefix) => {
      const path: Node<Value>[] = [root];
      for (const part of prefix) {
        const child = path.at(-1)?.children?.get(part);
        if (child === undefined) return;
        path.push(child);
      }
      // Whoever is left with nothing goes as well.
      for (let depth = prefix.length; depth > 0; depth -= 1) {
        const parent = path[depth - 1];
        const part = prefix[depth - 1];
        if (parent === undefined || part === undefined) return;
        parent.children?.delete(part);
        if (parent.children?.size === 0) parent.children = undefined;
        if (parent.children !== undefined || parent.place !== undefined) return;
      }
      root.place = undefined;
      root.children = undefined;
    },
    hasUnder: (prefix) => nodeAt(prefix) !== undefined,
    hasAbove: (key) => {
      let node: Node<Value> | undefined = root;
      for (const part of key) {
        if (node?.place !== undefined) return true;
        node = node?.children?.get(part);
      }
      return node?.place !== undefined;
    },
    isEmpty: () => root.place === undefined && root.children === undefined,
    entries: () => placesUnder(root),
  };
}
