// Values by the parts of their keys. All values whose keys begin with the same parts are found, and removed, in one step: sessions end by the
// thousand, and each has values of its own.
import type { StateRecordKey } from "../blocks/block-store.js";

export interface KeyTree<Value> {
  /** Replaces the value of the key. */
  readonly set: (key: StateRecordKey, value: Value) => void;
  readonly get: (key: StateRecordKey) => Value | undefined;
  /** Removes all values whose key begins with `prefix`. */
  readonly removeUnder: (prefix: StateRecordKey) => void;
  /** Whether any key begins with `prefix`. */
  readonly hasUnder: (prefix: StateRecordKey) => boolean;
  /** Whether `key` begins with any key of the tree. */
  readonly hasAbove: (key: StateRecordKey) => boolean;
  readonly isEmpty: () => boolean;
  /** All values with their keys, in no particular order. */
  readonly entries: () => Iterable<readonly [key: StateRecordKey, value: Value]>;
}

interface Place<Value> {
  readonly key: StateRecordKey;
  readonly value: Value;
}

interface Node<Value> {
  place: Place<Value> | undefined;
  /** A node without a value has at least one. */
  children: Map<string | number, Node<Value>> | undefined;
}

export function createKeyTree<Value>(): KeyTree<Value> {
  const root: Node<Value> = { place: undefined, children: undefined };

  const nodeAt = (key: StateRecordKey): Node<Value> | undefined => {
    let node: Node<Value> | undefined = root;
    for (const part of key) node = node?.children?.get(part);
    return node;
  };

  function* placesUnder({ place, children }: Node<Value>): Iterable<readonly [StateRecordKey, Value]> {
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
      // A node without a value and without branches goes as well.
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
