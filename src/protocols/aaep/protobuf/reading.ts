// One pass over the bytes of a message: the parts, numbers and texts in them, and the place in the document for its faults.

import type { DescMessage } from "@bufbuild/protobuf";
import { BinaryReader, getTextEncoding } from "@bufbuild/protobuf/wire";
import { Fault } from "../../../base/errors.js";
import { MAX_MESSAGE_VALUES } from "../../../base/json-document.js";
import { pointerStep } from "../../../base/json-pointer.js";
import { DELIMITED, FIXED64, VARINT } from "./plan.js";

/** Shorter texts are joined unit by unit, which costs less than a call of the platform's decoder. */
const SHORT_TEXT = 12;
const ASCII = Array.from({ length: 0x80 }, (_, unit) => String.fromCharCode(unit));

export class Reading {
  readonly reader: BinaryReader;
  /** The members and list indices that lead to the current value. */
  readonly path: (string | number)[] = [];
  /** Whether the current value is inside an event, of which nothing may be lost. */
  isEvent = false;
  /** Whether an enclosing message has `additional`. */
  hasRoom = false;
  /** The wire type of the current value. */
  wireType = DELIMITED;
  private readonly bytes: Uint8Array;
  /** Entries of lists and members of open objects so far. */
  private valueCount = 0;

  constructor(bytes: Uint8Array) {
    this.reader = new BinaryReader(bytes);
    this.bytes = bytes;
  }

  /** A fault at the current value. */
  refusal(sentence: string): Fault {
    const pointer = this.path.map((step) => `/${pointerStep(String(step))}`).join("");
    return new Fault(this.isEvent ? "invalid_event" : "invalid_message", sentence, { pointer });
  }

  /**
   * Counts an entry of a list or a member of an open object before it is read. Each costs many times its bytes, and no other peer is served while a
   * message is decoded.
   */
  countValue(): void {
    this.valueCount += 1;
    if (this.valueCount <= MAX_MESSAGE_VALUES) return;
    const sentence = `A message may have at most ${MAX_MESSAGE_VALUES} entries of lists and members of objects; this one has more. Send less at a time.`;
    throw new Fault("message_too_large", sentence, { pointer: "", rule: "AAEP §3.7" });
  }

  /** Goes on to the next field of a part, and returns its number; 0 at the part's end. Refuses a part that was read beyond its end. */
  next(end: number): number {
    const { reader } = this;
    if (reader.pos < end) {
      const [number, wireType] = reader.tag();
      this.wireType = wireType;
      return number;
    }
    if (reader.pos === end) return 0;
    throw this.refusal("A part of this message has the wrong length. Send it as a protobuf library writes it.");
  }

  /** Skips a field unknown to this version. In an event the field is refused, because skipping it would lose data of the agent. */
  skipUnknown(fieldNumber: number, end: number): void {
    if (this.isEvent) {
      throw this.refusal(
        `This event has a field ${fieldNumber} that this version does not know. Put members of later versions into \`additional\`.`,
      );
    }
    if (this.wireType === DELIMITED) this.reader.pos = this.part(end);
    else this.reader.skip(this.wireType, fieldNumber);
  }

  /** Begins a delimited part, and returns its end, which must be within the enclosing part. */
  part(end: number): number {
    this.assertWire(DELIMITED);
    const size = this.narrow();
    const partEnd = this.reader.pos + size;
    if (partEnd <= end) return partEnd;
    throw this.refusal("A part of this message is cut short, or its length is wrong. Send it whole.");
  }

  /** Reads a whole number of 0 to 2^32 - 1. */
  uint32(): number {
    this.assertWire(VARINT);
    return this.narrow();
  }

  /** Reads a whole number of 64 bits that JSON carries (R41). */
  whole(isSigned: boolean): number {
    this.assertWire(VARINT);
    const number = Number(isSigned ? this.reader.int64() : this.reader.uint64());
    if (Number.isSafeInteger(number)) return number;
    throw this.refusal(
      "This whole number is beyond 2^53 - 1, which JSON does not carry; send a smaller one, or a text.",
    );
  }

  double(): number {
    this.assertWire(FIXED64);
    const number = this.reader.double();
    if (Number.isFinite(number)) return number;
    throw this.refusal(`${number} is no number in JSON; leave it out, or send a finite one.`);
  }

  /** Reads a text with its length in front. */
  text(end: number): string {
    const textEnd = this.part(end);
    const { reader } = this;
    const start = reader.pos;
    reader.pos = textEnd;
    return (textEnd - start <= SHORT_TEXT ? this.ascii(start, textEnd) : undefined) ?? this.utf8(start, textEnd);
  }

  private ascii(start: number, end: number): string | undefined {
    let text = "";
    for (let index = start; index < end; index++) {
      const unit = ASCII[this.bytes[index] ?? 0x80];
      if (unit === undefined) return undefined;
      text += unit;
    }
    return text;
  }

  private utf8(start: number, end: number): string {
    const { bytes } = this;
    // The platform's decoder would drop a leading U+FEFF as a byte order mark.
    let from = start;
    while (end - from > 2 && bytes[from] === 0xef && bytes[from + 1] === 0xbb && bytes[from + 2] === 0xbf) from += 3;
    try {
      const text = getTextEncoding().decodeUtf8(bytes.subarray(from, end), true);
      return from === start ? text : "\uFEFF".repeat((from - start) / 3) + text;
    } catch {
      throw this.refusal("This text is not UTF-8; send texts in UTF-8.");
    }
  }

  private assertWire(expected: number): void {
    if (this.wireType === expected) return;
    throw this.refusal(
      `This field has wire type ${this.wireType}, not ${expected}: make the bytes with the messages of aaep.v1.`,
    );
  }

  /** The library's reader would drop bits beyond 32: of a fifth byte four bits count, further bytes have none. */
  private narrow(): number {
    const { reader, bytes } = this;
    const start = reader.pos;
    const number = reader.uint32();
    for (let index = start + 4; index < reader.pos; index++) {
      if (((bytes[index] ?? 0) & 0x7f) > (index === start + 4 ? 0x0f : 0))
        throw this.refusal("This whole number is beyond 32 bits; send one of 0 to 4294967295.");
    }
    return number;
  }
}

/** Levels of messages within messages. A level of a Struct is three. The library refuses deeper ones before it builds anything of them. */
const DEEPEST = 100;

/** Returns the level within the field of that number; undefined if it has no messages. */
type Level = (number: number) => Level | undefined;

/**
 * Counts every field of a message, at all levels together, before a library builds it: no other peer is served meanwhile, and each value costs many
 * times its bytes (R34). Bytes that are no message are counted as far as they can be read: the library refuses them.
 * @throws Fault "message_too_large" for more than 32,768
 */
export function assertFewFields(descriptor: DescMessage, bytes: Uint8Array): void {
  const reading = new Reading(bytes);
  let count = 0;
  const walk = (level: Level, end: number, depth: number): void => {
    for (let number = reading.next(end); number !== 0; number = reading.next(end)) {
      count += 1;
      if (count > MAX_MESSAGE_VALUES) throw tooMany();
      const within = reading.wireType === DELIMITED && depth <= DEEPEST ? level(number) : undefined;
      if (within === undefined) reading.skipUnknown(number, end);
      else walk(within, reading.part(end), depth + 1);
    }
  };
  try {
    walk(levelOf(descriptor), bytes.length, 1);
  } catch (caught) {
    if (caught instanceof Fault && caught.code === "message_too_large") throw caught;
  }
}

function levelOf(descriptor: DescMessage): Level {
  return (number) => {
    const field = descriptor.fields.find((one) => one.number === number);
    if (field?.message === undefined) return undefined;
    const within = levelOf(field.message);
    // An entry of a map is a message of its own, which the descriptor does not have.
    return field.fieldKind === "map" ? (member) => (member === 2 ? within : undefined) : within;
  };
}

function tooMany(): Fault {
  const sentence = `A message of this form may have at most ${MAX_MESSAGE_VALUES} fields, at all levels together; this one has more. Send less at a time, or as JSON.`;
  return new Fault("message_too_large", sentence, { pointer: "", rule: "AAEP §3.7" });
}
