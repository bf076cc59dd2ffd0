const decoder = new TextDecoder("utf-8", { fatal: true });
/** The most bytes of a message that the sentence about it quotes. */
const LONGEST_QUOTE = 64;

/** The text of a message. Bytes that are no UTF-8 become a sentence, which is no JSON object. */
export function textIn(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    return `${bytes.length} bytes that are no UTF-8: ${Buffer.from(bytes.subarray(0, LONGEST_QUOTE)).toString("hex")}`;
  }
}

/**
 * A value from outside as sentences and comparisons have it: a text as it is, and everything else as JSON. `String` would throw for an object
 * whose `toString` is no function, and so would `Number`.
 */
export function wordsOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "undefined");
}

/** JSON with nothing in its strings. */
export function outsideStrings(json: string): string {
  // Linear: what is no quote and no backslash, and a backslash with what follows it, begin differently, and JSON ends its strings.
  return json.replace(/"(?:[^"\\]|\\.)*"/g, '""');
}
