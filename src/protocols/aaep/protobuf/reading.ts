// The state of a decoder, and its refusals. Bytes of protobuf are read directly, because the library's messages lose facts that JSON can express: a
// member named `__proto__`, the mark U+FEFF at the beginning of a text, and the kind of a wrong value.
import { BinaryReader, getTextEncoding } from "@bufbuild/protobuf/wire";
import { Fault, type FaultCode } from "../../../base/errors.js";
import { pointerStep } from "../../../base/json-pointer.js";
import { MAX_VALUE_COUNT } from "../validation/limits.js";
import { DELIMITED } from "./byte-writer.js";

export interface Reading {
  readonly reader: BinaryReader;
  readonly bytes: Uint8Array;
  /** The members and list indices that lead to the current value. */
  readonly path: (string | number)[];
  /** Whether the current value is inside an event, of which nothing may be lost. */
  isEvent: boolean;
  /** Whether an enclosing message has `additional`. */
  hasRoom: boolean;
  /** Entries of lists and members of open objects so far. */
  valueCount: number;
}

export function readingOf(bytes: Uint8Array): Reading {
  return { reader: new BinaryReader(bytes), bytes, path: [], isEvent: false, hasRoom: false, valueCount: 0 };
}

/** A fault at the current value. */
export function refusal({ path, isEvent }: Reading, sentence: string, code?: FaultCode): Fault {
  const pointer = path.map((step) => `/${pointerStep(String(step))}`).join("");
  return new Fault(code ?? (isEvent ? "invalid_event" : "invalid_message"), sentence, { pointer });
}

/**
 * Counts an entry of a list or a member of an open object before it is read. Each costs many times its bytes, and no other peer is served while a
 * message is decoded.
 */
export function countValue(reading: Reading): void {
  reading.valueCount += 1;
  if (reading.valueCount <= MAX_VALUE_COUNT) return;
  const sentence = `A message may have at most ${MAX_VALUE_COUNT} entries of lists and members of objects; this one has more. Send less at a time.`;
  throw new Fault("message_too_large", sentence, { pointer: "", rule: "AAEP §3.7" });
}

/** Reads a whole number of 0 to 2^32 - 1. The library's reader would drop higher bits. */
export function readUint32(reading: Reading): number {
  const start = reading.reader.pos;
  const number = reading.reader.uint32();
  assertNarrow(reading, start);
  return number;
}

/** Reads the 64 bits of a whole number. */
export function readWhole(reading: Reading, isSigned: boolean): bigint | string {
  const { reader, bytes } = reading;
  const start = reader.pos;
  const number = isSigned ? reader.int64() : reader.uint64();
  if (reader.pos - start === MOST_VARINT_BYTES && (bytes[reader.pos - 1] ?? 0) > 1)
    throw refusal(reading, "This whole number is beyond 64 bits; send a smaller one.");
  return number;
}

const MOST_VARINT_BYTES = 10;

/** Refuses a number beyond 32 bits, which began at `start`: its fifth byte may have four bits, further bytes none. */
function assertNarrow(reading: Reading, start: number): void {
  const { reader, bytes } = reading;
  for (let index = start + 4; index < reader.pos; index++) {
    const allowed = index === start + 4 ? 0x0f : 0;
    if (((bytes[index] ?? 0) & 0x7f) > allowed)
      throw refusal(reading, "This whole number is beyond 32 bits; send one of 0 to 4294967295.");
  }
}

/** Returns the end of a delimited part, which must be within the enclosing part. */
export function endOfPart(reading: Reading, end: number): number {
  const size = readUint32(reading);
  const partEnd = reading.reader.pos + size;
  if (partEnd > end)
    throw refusal(reading, "A part of this message is cut short, or its length is wrong. Send it whole.");
  return partEnd;
}

/** Refuses a part that was read beyond its end. */
export function assertEnd(reading: Reading, end: number): void {
  if (reading.reader.pos === end) return;
  throw refusal(reading, "A part of this message has the wrong length. Send it as a protobuf library writes it.");
}

export function assertWire(reading: Reading, wireType: number, expected: number): void {
  if (wireType === expected) return;
  const sentence = `This field has wire type ${wireType}, not ${expected}: make the bytes with the messages of aaep.v1.`;
  throw refusal(reading, sentence);
}

/** Skips a field unknown to this version. In an event the field is refused, because skipping it would lose data of the agent. */
export function skipUnknown(reading: Reading, fieldNumber: number, wireType: number, end: number): void {
  if (reading.isEvent) {
    throw refusal(
      reading,
      `This event has a field ${fieldNumber} that this version does not know. Put members of later versions into \`additional\`.`,
    );
  }
  if (wireType === DELIMITED) reading.reader.pos = endOfPart(reading, end);
  else reading.reader.skip(wireType, fieldNumber);
}

/** Shorter texts are joined unit by unit, which costs less than a call of the platform's decoder. */
const SHORT_TEXT = 12;
const ASCII = Array.from({ length: 0x80 }, (_, unit) => String.fromCharCode(unit));

/** Reads a text with its length in front. */
export function readText(reading: Reading, end: number): string {
  const { reader, bytes } = reading;
  const textEnd = endOfPart(reading, end);
  const start = reader.pos;
  reader.pos = textEnd;
  return (
    (textEnd - start <= SHORT_TEXT ? asciiOf(bytes, start, textEnd) : undefined) ?? utf8Of(reading, start, textEnd)
  );
}

function asciiOf(bytes: Uint8Array, start: number, end: number): string | undefined {
  let text = "";
  for (let index = start; index < end; index++) {
    const unit = ASCII[bytes[index] ?? 0x80];
    if (unit === undefined) return undefined;
    text += unit;
  }
  return text;
}

function utf8Of(reading: Reading, start: number, end: number): string {
  const { bytes } = reading;
  // The platform's decoder would drop a leading U+FEFF as a byte order mark.
  let from = start;
  while (end - from > 2 && bytes[from] === 0xef && bytes[from + 1] === 0xbb && bytes[from + 2] === 0xbf) from += 3;
  try {
    const text = getTextEncoding().decodeUtf8(bytes.subarray(from, end), true);
    return from === start ? text : "\uFEFF".repeat((from - start) / 3) + text;
  } catch {
    throw refusal(reading, "This text is not UTF-8; send texts in UTF-8.");
  }
}

export function readDouble(reading: Reading): number {
  const number = reading.reader.double();
  if (!Number.isFinite(number))
    throw refusal(reading, `${number} is no number in JSON; leave it out, or send a finite one.`);
  return number;
}
