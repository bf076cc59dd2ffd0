// Checks of a journal's file before LMDB gets it. LMDB maps the file, and a page that the file lacks would end the process by a signal.
import { closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs";
import { type MetaPage, type ReadBytes, readMeta, walkPages } from "./page-walk.js";

/** Name of the file in a journal's folder that holds everything. */
export const DATA_FILE = "journal.mdb";

export type FileVerdict =
  | { readonly kind: "none" }
  | { readonly kind: "sound" }
  /** All pages in use are sound, and the file is shorter than LMDB takes it to be. `bytes` is the length that LMDB needs. */
  | { readonly kind: "short"; readonly bytes: number }
  | { readonly kind: "damaged"; readonly reason: string };

/**
 * Judges the file. With `isThorough`, or if the file is shorter than its own records of its length, this reads all pages that lead to records, in
 * about the time of reading a tenth of the file. `path` must not name anything but a file (`plain-files.ts`). Throws errors of Node.
 */
export function inspectDataFile(path: string, isThorough: boolean): FileVerdict {
  if (!existsSync(path)) return { kind: "none" };
  const file = openSync(path, "r");
  try {
    const { size } = fstatSync(file);
    // The file was made, and nothing was written to it.
    if (size === 0) return { kind: "none" };
    const read: ReadBytes = (target, position) => readSync(file, target, 0, target.length, position) === target.length;
    const meta = newestMeta(read);
    if (typeof meta === "string") return { kind: "damaged", reason: meta };
    const bytes = (meta.lastPage + 1) * meta.pageBytes;
    if (size >= bytes && !isThorough) return { kind: "sound" };
    // A number of pages beyond the number of bytes cannot be true, and the file must not be lengthened by it.
    if (bytes > 2 * size + MOST_MISSING_BYTES) return { kind: "damaged", reason: "most of it is missing" };
    const reason = walkPages(read, size, meta);
    if (reason !== undefined) return { kind: "damaged", reason };
    return size >= bytes ? { kind: "sound" } : { kind: "short", bytes };
  } finally {
    closeSync(file);
  }
}

/** Pages at the end may be missing if LMDB gave them out and never wrote them. */
const MOST_MISSING_BYTES = 64 * 1024 * 1024;

/** The reason to reject a file whose meta pages are all damaged. */
function newestMeta(read: ReadBytes): MetaPage | string {
  const first = readMeta(read, 0);
  if (first === undefined) return "its first page is damaged";
  const second = readMeta(read, first.pageBytes);
  if (second === undefined || second.pageBytes !== first.pageBytes) return "its second page is damaged";
  return first.transaction >= second.transaction ? first : second;
}
