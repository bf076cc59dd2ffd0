import { Fault } from "../../base/errors.js";
import type { TextCodec, Utf8 } from "../../contracts/codec.js";

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
