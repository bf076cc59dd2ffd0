// The native code of `lmdb`, which is a package for each platform.
import { createRequire } from "node:module";

/** Whether it is installed. Python's package of aaepd has none, and npm's can be installed without. */
export function hasNativeCode(): boolean {
  try {
    createRequire(import.meta.url).resolve(`@lmdb/lmdb-${process.platform}-${process.arch}`);
    return true;
  } catch {
    return false;
  }
}
