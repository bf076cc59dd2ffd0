import { type BigIntStats, lstatSync } from "node:fs";

/**
 * The status of a socket's file; undefined if there is none. In big integers, because Node 20 remembers the kind of the last file whose status it
 * read in plain numbers: after a socket, the next module behind a symbolic link would be loaded under a second name, and so twice.
 */
export function socketStatus(path: string): BigIntStats | undefined {
  return lstatSync(path, { bigint: true, throwIfNoEntry: false });
}
