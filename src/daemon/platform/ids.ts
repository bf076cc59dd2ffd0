import { hash, randomBytes } from "node:crypto";
import type { IdSource } from "../../base/ids.js";

/** Random bytes fetched at a time: a call into the platform costs fifty times as much as cutting 16 bytes off. */
const POOL_BYTES = 4096;

/** Ids from the platform's cryptographic random numbers (R24). No byte is used twice. */
export function createIdSource(): IdSource {
  let pool = "";
  let used = 0;
  return {
    hex: (bytes) => {
      const digits = bytes * 2;
      if (digits > POOL_BYTES) return randomBytes(bytes).toString("hex");
      if (used + digits > pool.length) {
        pool = randomBytes(POOL_BYTES).toString("hex");
        used = 0;
      }
      used += digits;
      return pool.slice(used - digits, used);
    },
  };
}

/** Returns the SHA-256 of the UTF-8 form of `text`, 64 lower-case hex digits (R12). */
export function sha256Hex(text: string): string {
  return hash("sha256", text);
}
