import type { Utf8 } from "../../contracts/codec.js";

/** UTF-8 of the platform. Decoding throws on malformed bytes, so that no damaged character passes as another one. */
export function createUtf8(): Utf8 {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  return { encode: (text) => Buffer.from(text, "utf8"), decode: (bytes) => decoder.decode(bytes) };
}
