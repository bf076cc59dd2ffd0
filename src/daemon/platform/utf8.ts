import { Fault } from "../../base/errors.js";
import type { TextCodec, Utf8 } from "../../contracts/codec.js";

/** UTF-8 of the platform. Decoding throws on malformed bytes, so that no damaged character passes as another one. */
export function createUtf8(): Utf8 {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  return { encode: (text) => Buffer.from(text, "utf8"), decode: (bytes) => decoder.decode(bytes) };
}

/** Frames that are the UTF-8 of one message. */
export function createTextCodec({ decode, encode }: Utf8): TextCodec<Uint8Array> {
  return {
    frameOf: encode,
    textOf: (frame) => {
      try {
        return decode(frame);
      } catch (cause) {
        throw new Fault("invalid_json", "Send messages in UTF-8; this one is not.", { pointer: "", cause });
      }
    },
  };
}
