// LMDB as the parts of the journal see it: four tables of bytes, read at once, and written together.

/** Parts are compared one after another, numbers before texts. */
export type TableKey = readonly (number | string)[];

export interface TableRange {
  /** Included. */
  readonly from?: TableKey | undefined;
  /** Not included. */
  readonly to?: TableKey | undefined;
  /** All whose key begins with it. In place of the other two. */
  readonly prefix?: TableKey | undefined;
  readonly isReverse?: boolean | undefined;
  readonly limit?: number | undefined;
}

export interface TableEntry {
  readonly key: TableKey;
  readonly value: Buffer;
}

/** As of the last commit. What is read is the reader's own. */
export interface Table {
  readonly get: (key: TableKey) => Buffer | undefined;
  readonly keys: (range: TableRange) => readonly TableKey[];
  readonly entries: (range: TableRange) => Iterable<TableEntry>;
}

/** Blocks of events by [first epoch, count]; ids of older events in runs; what the engine keeps beside events; and what is known of all of it. */
export const TABLE_NAMES = ["blocks", "ids", "state", "meta"] as const;
export type TableName = (typeof TABLE_NAMES)[number];

export type Tables = Readonly<Record<TableName, Table>>;

/** What is written in one piece. Bytes must stay as they are until that is over. */
export interface Writes {
  readonly put: (table: TableName, key: TableKey, value: Buffer) => void;
  readonly remove: (table: TableName, key: TableKey) => void;
}
