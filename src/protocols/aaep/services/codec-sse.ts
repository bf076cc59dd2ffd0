// AAEP messages as Server-Sent Events: each a `data:` line, each place an `id:` without one (AAEP app. B.1.3, R35).
import type { Codec, Utf8 } from "../../../contracts/codec.js";
import { createJsonCodec } from "../json/json-codec.js";

/** `event`: the name that every event has, or none: a page's `onmessage` gets only those without. */
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
