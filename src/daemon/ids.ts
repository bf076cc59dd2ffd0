import { createHash, randomBytes } from "node:crypto";
import type { IdSource } from "../base/ids.js";

/** Ids out of the platform's cryptographic chance (R24). */
export function createIdSource(): IdSource {
  return { hex: (bytes) => randomBytes(bytes).toString("hex") };
}

/** SHA-256 of the UTF-8 form of `text`, 64 lower-case hex digits (R12). */
export function sha256Hex(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
