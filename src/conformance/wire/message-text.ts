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
