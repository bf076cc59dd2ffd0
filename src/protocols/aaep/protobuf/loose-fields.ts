// Reads fields of a message that cannot be decoded as a whole, or is not decoded yet, as far as its bytes are readable.
import { BinaryReader, getTextEncoding } from "@bufbuild/protobuf/wire";
import { DELIMITED } from "./byte-writer.js";

/** Returns the numbers of the fields in a message, repeated ones as often as they stand there. */
export function fieldNumbersIn(bytes: Uint8Array): readonly number[] {
  const numbers: number[] = [];
  eachField(bytes, (number) => numbers.push(number));
  return numbers;
}

/** Returns the bytes of every field of that number that is a text or a message. */
export function fieldsIn(bytes: Uint8Array, wanted: number): readonly Uint8Array[] {
  const found: Uint8Array[] = [];
  eachField(bytes, (number, content) => {
    if (number === wanted && content !== undefined) found.push(content);
  });
  return found;
}

/** Returns the number of items in the list `list` of the message in the field `outer`. */
export function lengthOfList(bytes: Uint8Array, outer: number, list: number): number {
  return fieldsIn(bytes, outer).reduce((count, one) => count + fieldsIn(one, list).length, 0);
}

/** Returns the one text that all fields contain; undefined if they differ, if there is none, or if one is not UTF-8. */
export function soleText(fields: readonly Uint8Array[]): string | undefined {
  const texts = new Set(fields.map(textOf));
  const [only] = texts;
  return texts.size === 1 ? only : undefined;
}

function eachField(bytes: Uint8Array, visit: (number: number, content: Uint8Array | undefined) => void): void {
  const reader = new BinaryReader(bytes);
  try {
    while (reader.pos < reader.len) {
      const [number, wireType] = reader.tag();
      const content = wireType === DELIMITED ? reader.bytes() : undefined;
      if (content === undefined) reader.skip(wireType, number);
      visit(number, content);
    }
  } catch {
    // The fields before the malformed place are still known.
  }
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return getTextEncoding().decodeUtf8(bytes, true);
  } catch {
    return undefined;
  }
}
