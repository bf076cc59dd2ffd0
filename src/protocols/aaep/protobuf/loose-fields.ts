// Fields of a message that cannot be decoded as a whole, as far as its bytes can be read.
import { BinaryReader, getTextEncoding } from "@bufbuild/protobuf/wire";
import { DELIMITED } from "./byte-writer.js";

/** The numbers of the fields in a message, each as often as it stands there. */
export function fieldNumbersIn(bytes: Uint8Array): readonly number[] {
  const numbers: number[] = [];
  eachField(bytes, (number) => numbers.push(number));
  return numbers;
}

/** The bytes of every field of that number that is a text, or a message. */
export function fieldsIn(bytes: Uint8Array, wanted: number): readonly Uint8Array[] {
  const found: Uint8Array[] = [];
  eachField(bytes, (number, content) => {
    if (number === wanted && content !== undefined) found.push(content);
  });
  return found;
}

/** The one text that all of these are; undefined where they differ, where there is none, and where they are no UTF-8. */
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
    // What stood before the place where it breaks off is known all the same.
  }
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return getTextEncoding().decodeUtf8(bytes, true);
  } catch {
    return undefined;
  }
}
