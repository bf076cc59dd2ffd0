// Whether a journal's file can be given to LMDB, which maps it: a page that the file has not got would end the process by a signal (P12).
import { closeSync, existsSync, fstatSync, ftruncateSync, openSync, readSync } from "node:fs";
import { type MetaPage, type ReadBytes, readMeta, walkPages } from "./page-walk.js";

/** The file in a journal's folder that holds everything. */
export const DATA_FILE = "journal.mdb";

export type FileVerdict =
  | { readonly kind: "none" }
  | { readonly kind: "sound" }
  /** Sound as far as it is used, and shorter than LMDB takes it to be: `bytes` is the length it has to have. */
  | { readonly kind: "short"; readonly bytes: number }
  | { readonly kind: "damaged"; readonly reason: string };

/**
 * Looks at the file. The pages that lead to records are looked through where `isThorough` says so, which takes about as long as reading a tenth of
 * the file, or where the file is shorter than it says. It has to be a file (`plain-files.ts`). Throws what Node throws.
 */
export function inspectDataFile(path: string, isThorough: boolean): FileVerdict {
  if (!existsSync(path)) return { kind: "none" };
  const file = openSync(path, "r");
  try {
    const { size } = fstatSync(file);
    // Made, and nothing written yet.
    if (size === 0) return { kind: "none" };
    const read: ReadBytes = (target, position) => readSync(file, target, 0, target.length, position) === target.length;
    const meta = newestMeta(read);
    if (typeof meta === "string") return { kind: "damaged", reason: meta };
    const bytes = (meta.lastPage + 1) * meta.pageBytes;
    if (size >= bytes && !isThorough) return { kind: "sound" };
    // More pages than bytes would be no file, and not one to make room for.
    if (bytes > 2 * size + MOST_MISSING_BYTES) return { kind: "damaged", reason: "most of it is missing" };
    const reason = walkPages(read, size, meta);
    if (reason !== undefined) return { kind: "damaged", reason };
    return size >= bytes ? { kind: "sound" } : { kind: "short", bytes };
  } finally {
    closeSync(file);
  }
}

/** Pages at the end that were given out and never written may be missing. */
const MOST_MISSING_BYTES = 64 * 1024 * 1024;

/** Gives a short file the length that LMDB takes it to have. */
export function lengthen(path: string, bytes: number): void {
  const file = openSync(path, "r+");
  try {
    ftruncateSync(file, bytes);
  } finally {
    closeSync(file);
  }
}

/** What is wrong, where no meta page can be believed. */
function newestMeta(read: ReadBytes): MetaPage | string {
  const first = readMeta(read, 0);
  if (first === undefined) return "its first page is damaged";
  const second = readMeta(read, first.pageBytes);
  if (second === undefined || second.pageBytes !== first.pageBytes) return "its second page is damaged";
  return first.transaction >= second.transaction ? first : second;
}
