// How long a list is, before any of it is read.
import { DELIMITED } from "./byte-writer.js";
import { endOfPart, type Reading, readingOf } from "./reading.js";

/**
 * How many items the list `list` has in the message that stands in the field `outer`. Bytes that are no such message pass with what could be counted:
 * whoever decodes them has the last word.
 */
export function listLengthWithin(bytes: Uint8Array, outer: number, list: number): number {
  const reading = readingOf(bytes);
  let count = 0;
  try {
    eachPart(reading, bytes.length, outer, (end) => {
      eachPart(reading, end, list, (itemEnd) => {
        count += 1;
        reading.reader.pos = itemEnd;
      });
    });
  } catch {
    // What stood before the place where it breaks off is counted all the same.
  }
  return count;
}

/** Calls `found` with the end of each delimited part of that field; it reads up to there. */
function eachPart(reading: Reading, end: number, number: number, found: (end: number) => void): void {
  const { reader } = reading;
  while (reader.pos < end) {
    const [at, wireType] = reader.tag();
    if (at === number && wireType === DELIMITED) found(endOfPart(reading, end));
    else reader.skip(wireType, at);
  }
}
