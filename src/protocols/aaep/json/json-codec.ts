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

/**
 * Messages as Server-Sent Events: each a `data:` line, each place an `id:` without one (AAEP app. B.1.3, R35). `event`: the name that every event
 * has, or none: a page's `onmessage` gets only those without.
 */
export function createSseCodec(utf8: Utf8, event: string | undefined): Codec<Uint8Array, unknown> {
  const json = createJsonCodec(utf8);
  const head = event === undefined ? "data: " : `event: ${event}\ndata: `;
  // JSON has no line ends of its own, but an agent's text may have some between its members.
  const framed = (text: string): Uint8Array => utf8.encode(`${head}${onOneLine(text)}\n\n`);
  return {
    decode: json.decode,
    textOf: json.textOf,
    encode: (message) => utf8.encode(`data: ${JSON.stringify(message)}\n\n`),
    checkpoint: (cursor) => utf8.encode(`id: ${cursor}\n\n`),
    format: { encode: (document, source) => framed(source ?? JSON.stringify(document)) },
  };
}

/** Searching for each character alone costs a tenth of one search for both. */
function onOneLine(text: string): string {
  return text.includes("\n") || text.includes("\r") ? text.replaceAll(/[\r\n]/g, " ") : text;
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
