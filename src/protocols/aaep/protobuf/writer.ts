// Writes bytes of protobuf once, into one buffer. The library's writer makes a piece for every string and joins the pieces level by level, which for
// an event costs several times as much.
import { getTextEncoding } from "@bufbuild/protobuf/wire";
import { DELIMITED } from "./plan.js";

/** Shorter texts are copied unit by unit, which costs less than a call of the platform's encoder. */
const SHORT_TEXT = 100;

const NOTHING = new Uint8Array(0);

const FIRST_CAPACITY = 1024;
/** A larger buffer is not kept for the next message. */
const MOST_KEPT = 64 * 1024;
/** Small messages are cut from blocks of this size, like the platform's small buffers: separate memory costs more than their contents. */
const BLOCK = 16 * 1024;
const MOST_SHARED = 2 * 1024;

/** Memory of all writers: the buffer of the last message, and the block from which small messages are cut. */
const memory = { spare: new Uint8Array(FIRST_CAPACITY) as Uint8Array | undefined, block: NOTHING, used: 0 };

/** Returns a permanent copy of the first `length` bytes. */
function copyOf(bytes: Uint8Array, length: number): Uint8Array {
  if (length > MOST_SHARED) return bytes.slice(0, length);
  if (memory.used + length > memory.block.length) {
    memory.block = new Uint8Array(BLOCK);
    memory.used = 0;
  }
  const copy = memory.block.subarray(memory.used, memory.used + length);
  copy.set(bytes.subarray(0, length));
  memory.used += length;
  return copy;
}

/** Writes one message; `finish` ends it. A writer has a buffer to itself, and keeps it if it never finishes. */
export class ByteWriter {
  /** Position of the next byte. A smaller value removes the bytes written since. */
  length = 0;
  private bytes = memory.spare ?? new Uint8Array(FIRST_CAPACITY);
  private view: DataView | undefined;

  constructor() {
    memory.spare = undefined;
  }

  /** Returns a copy of the written bytes. The writer cannot be used afterwards. */
  finish(): Uint8Array {
    const bytes = this.bytes;
    const written = copyOf(bytes, this.length);
    if (bytes.length <= MOST_KEPT) memory.spare = bytes;
    this.bytes = NOTHING;
    this.view = undefined;
    this.length = 0;
    return written;
  }

  tag(fieldNumber: number, wireType: number): void {
    this.varint(fieldNumber * 8 + wireType);
  }

  /** Writes a whole number of 0 to 2^53 - 1. */
  varint(value: number): void {
    this.reserve(8);
    let rest = value;
    while (rest > 0x7f) {
      this.bytes[this.length++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.bytes[this.length++] = rest;
  }

  double(value: number): void {
    this.reserve(8);
    this.view ??= new DataView(this.bytes.buffer);
    this.view.setFloat64(this.length, value, true);
    this.length += 8;
  }

  /** Writes the length of a text and the text, with U+FFFD for lone surrogates. */
  text(value: string): void {
    if (value.length <= SHORT_TEXT && this.ascii(value)) return;
    const bytes = getTextEncoding().encodeUtf8(value);
    this.varint(bytes.length);
    this.raw(bytes);
  }

  raw(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  /** Begins the delimited field of that number, with its length in front. Pass the result to `end`. */
  begin(fieldNumber: number): number {
    this.tag(fieldNumber, DELIMITED);
    this.reserve(1);
    this.length += 1;
    return this.length;
  }

  end(start: number): void {
    const size = this.length - start;
    if (size < 0x80) {
      this.bytes[start - 1] = size;
      return;
    }
    // One byte was left for the length, because most parts are short.
    let extra = 0;
    for (let rest = Math.floor(size / 0x80); rest > 0; rest = Math.floor(rest / 0x80)) extra++;
    this.reserve(extra);
    this.bytes.copyWithin(start + extra, start, this.length);
    this.length = start - 1;
    this.varint(size);
    this.length += size;
  }

  private ascii(value: string): boolean {
    const size = value.length;
    this.reserve(size + 1);
    const bytes = this.bytes;
    const start = this.length;
    bytes[start] = size;
    for (let index = 0; index < size; index++) {
      const unit = value.charCodeAt(index);
      if (unit > 0x7f) return false;
      bytes[start + 1 + index] = unit;
    }
    this.length = start + 1 + size;
    return true;
  }

  private reserve(count: number): void {
    const needed = this.length + count;
    if (needed <= this.bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, this.bytes.length * 2));
    grown.set(this.bytes.subarray(0, this.length));
    this.bytes = grown;
    this.view = undefined;
  }
}
