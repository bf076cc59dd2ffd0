// LMDB as the other files see it: three tables of bytes. Reads answer at once. Writes to all tables are one transaction.

/** Key of a record. Parts are compared one after another, numbers before texts. */
export type TableKey = readonly (number | string)[];

export interface TableRange {
  /** The lowest key. */
  readonly from?: TableKey | undefined;
  /** The end, which is not part of the range. */
  readonly to?: TableKey | undefined;
  /** Beginning of all keys of the range, in place of `from` and `to`. */
  readonly prefix?: TableKey | undefined;
  readonly isReverse?: boolean | undefined;
  readonly limit?: number | undefined;
}

interface TableEntry {
  readonly key: TableKey;
  readonly value: Buffer;
}

/** Contents of a table as of the last commit. Bytes that it answers belong to the caller. */
export interface Table {
  readonly get: (key: TableKey) => Buffer | undefined;
  readonly keys: (range: TableRange) => readonly TableKey[];
  readonly entries: (range: TableRange) => Iterable<TableEntry>;
}

/** The three tables: blocks of events by [first epoch, count], the engine's state, and facts about the whole file. */
export const TABLE_NAMES = ["blocks", "state", "meta"] as const;
export type TableName = (typeof TABLE_NAMES)[number];

export type Tables = Readonly<Record<TableName, Table>>;

/** Gathers the changes of one transaction. Bytes must not change until it ends. */
export interface Writes {
  readonly put: (table: TableName, key: TableKey, value: Buffer) => void;
  readonly remove: (table: TableName, key: TableKey) => void;
}
