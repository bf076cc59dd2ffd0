// AAEP messages as JSON in UTF-8 (AAEP §3.6).
import { Fault, faultFrom } from "../../base/errors.js";
import type { Codec } from "../../contracts/codec.js";
import { assertDepth, MAX_MESSAGE_DEPTH } from "./limits.js";

/** What the platform supplies: UTF-8, and decoding that refuses what is not. */
export interface Utf8 {
  readonly encode: (text: string) => Uint8Array;
  /** Throws on malformed bytes. */
  readonly decode: (bytes: Uint8Array) => string;
}

/** Shorter texts cannot be nested deeply enough to hurt whoever walks them. */
const HARMLESS_LENGTH = 2048;

export function createJsonCodec(utf8: Utf8): Codec<Uint8Array, unknown> {
  return {
    decode: (frame) => parseJson(textOf(frame, utf8)),
    encode: (message) => utf8.encode(JSON.stringify(message)),
    format: { name: "json", encode: (event, source) => utf8.encode(source ?? JSON.stringify(event)) },
  };
}

function textOf(frame: Uint8Array, utf8: Utf8): string {
  try {
    return utf8.decode(frame);
  } catch (caught) {
    throw new Fault("invalid_json", "Send messages in UTF-8; this one is not.", {
      pointer: "",
      rule: "AAEP §3.6",
      cause: caught,
    });
  }
}

/** Throws "invalid_json", and for nesting that no message needs "invalid_message". */
export function parseJson(text: string): unknown {
  assertShallow(text);
  try {
    return JSON.parse(text);
  } catch (caught) {
    const { sentence } = faultFrom(caught);
    throw new Fault(
      "invalid_json",
      `A message is not JSON: ${sentence}. Each message is one line of JSON, or one frame with its length before it.`,
      {
        pointer: "",
        cause: caught,
      },
    );
  }
}

/** Throws where a text is nested deeper than 64 levels. */
export function assertShallow(text: string): void {
  if (text.length > HARMLESS_LENGTH) assertDepth(text, MAX_MESSAGE_DEPTH);
}
