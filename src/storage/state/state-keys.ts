// Keys of what is kept beside events. Parts come from agents and subscribers, who may make them as long as they like and of any characters; LMDB
// takes 1,978 bytes and no NUL.
import { createHash } from "node:crypto";
import type { StateKey } from "../../contracts/journal.js";
import type { TableKey } from "../lmdb/tables.js";

/** UTF-16 units of a part that stands as it is. */
const LONGEST_PART = 120;
/** Of a hash that stands for a part; parts that begin like one are hashed too, so that none can be mistaken. */
const HASH_MARK = "#sha256:";
/** Control characters, which the order of keys has uses for, and halves of surrogate pairs, which UTF-8 cannot hold. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const UNFIT = /[\u0000-\u001f]|\p{Surrogate}/u;

function partFrom(part: string | number): string | number {
  if (typeof part === "number") return part;
  if (part.length <= LONGEST_PART && !UNFIT.test(part) && !part.startsWith(HASH_MARK)) return part;
  return `${HASH_MARK}${createHash("sha256").update(Buffer.from(part, "utf16le")).digest("base64url")}`;
}

/** Equal for equal keys and different for different ones. */
export function tableKeyOf(key: StateKey): TableKey {
  return key.map(partFrom);
}
