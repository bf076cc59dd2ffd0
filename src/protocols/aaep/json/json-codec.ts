// AAEP messages as JSON in UTF-8 (AAEP §3.8). A message that could be read in two ways is refused (R19): a text has a doubled member if it has more
// names than its value has members.
import { Fault } from "../../../base/errors.js";
import { parseJsonDocument } from "../../../base/json-document.js";
import type { Codec, Utf8 } from "../../../contracts/codec.js";

export function createJsonCodec(utf8: Utf8): Required<Codec<Uint8Array, unknown>> {
  return {
    decode: (frame) => parseJsonDocument(decoded(frame, utf8)),
    textOf: (frame) => {
      try {
        return utf8.decode(frame);
      } catch {
        return undefined;
      }
    },
    encode: (message) => utf8.encode(JSON.stringify(message)),
    checkpoint: (cursor) => utf8.encode(JSON.stringify({ type: "aaepd.checkpoint", cursor })),
    format: { encode: (event, source) => utf8.encode(source ?? JSON.stringify(event)) },
  };
}

function decoded(frame: Uint8Array, utf8: Utf8): string {
  try {
    return utf8.decode(frame);
  } catch (caught) {
    throw new Fault("invalid_json", "Send messages in UTF-8; this one is not.", {
      pointer: "",
      rule: "AAEP §3.8",
      cause: caught,
    });
  }
}
