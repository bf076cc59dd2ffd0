// Counts the items of a list before any of them is read.
import { DELIMITED } from "./byte-writer.js";
import { endOfPart, type Reading, readingOf } from "./reading.js";

/**
 * Returns the number of items in the list `list` of the message in the field `outer`. Malformed bytes give the items counted so far: the decoder
 * decides about them.
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
    // The items before the malformed place still count.
  }
  return count;
}

/** Calls `found` with the end of each delimited part of that field; `found` must read up to there. */
function eachPart(reading: Reading, end: number, number: number, found: (end: number) => void): void {
  const { reader } = reading;
  while (reader.pos < end) {
    const [at, wireType] = reader.tag();
    if (at === number && wireType === DELIMITED) found(endOfPart(reading, end));
    else reader.skip(wireType, at);
  }
}
