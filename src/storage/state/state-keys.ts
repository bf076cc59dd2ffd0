// Keys of the engine's state. Their parts come from agents and subscribers, and may have any length and any characters. LMDB takes 1,978 bytes and no
// NUL.
import { createHash } from "node:crypto";
import type { StateKey } from "../../contracts/journal.js";
import type { StateRecordKey } from "../blocks/block-store.js";

/** UTF-16 units of the longest part that is stored unchanged. */
const LONGEST_PART = 120;
/** Beginning of a hash in place of a part. A part with the same beginning is hashed as well, so that no part looks like a hash. */
const HASH_MARK = "#sha256:";
/** Control characters, which the order of keys uses, and halves of surrogate pairs, which UTF-8 cannot hold. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression looks for control characters.
const UNFIT = /[\u0000-\u001f]|\p{Surrogate}/u;

function partFrom(part: string | number): string | number {
  if (typeof part === "number") return part;
  if (part.length <= LONGEST_PART && !UNFIT.test(part) && !part.startsWith(HASH_MARK)) return part;
  return `${HASH_MARK}${createHash("sha256").update(Buffer.from(part, "utf16le")).digest("base64url")}`;
}

/** The key of the record: equal for equal keys, and different for different ones. */
export function recordKeyOf(key: StateKey): StateRecordKey {
  return key.map(partFrom);
}
