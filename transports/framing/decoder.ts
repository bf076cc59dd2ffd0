// Cuts a byte stream into frames, whatever the chunks it arrives in. The first byte selects the framing (R23). The decoder works on bytes only:
// a character split over two chunks is whole again in its frame. It costs a constant number of copies a byte, checks an announced length before
// it keeps any byte, and holds nothing between frames.
import type { Fault } from "../../src/base/errors.js";
import { type Framing, LARGEST_MAX_FRAME_BYTES } from "./framings.js";
import { frameTooLarge, framingLost } from "./refusal.js";

/** Receives each frame when it is complete. A frame may share memory with its chunk. */
export interface FrameSink {
  readonly push: (frame: Uint8Array) => unknown;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const PREFIX_BYTES = 4;
/** Longest header block; a longer one is no header. */
const MAX_HEADER_BYTES = 4096;
/** First room for an unfinished frame. */
const SMALLEST_BYTES = 512;
const NO_BYTES = Buffer.alloc(0);

/** The part expected next. */
type Expecting =
  | { readonly kind: "first_byte" }
  | { readonly kind: "line" }
  | { readonly kind: "prefix" }
  | { readonly kind: "header"; readonly seenBytes: number; readonly bodyBytes: number | undefined }
  | { readonly kind: "body"; readonly bytes: number; readonly next: "prefix" | "header" };

// These have no state, so all connections share them.
const FIRST_BYTE: Expecting = { kind: "first_byte" };
const LINE: Expecting = { kind: "line" };
const PREFIX: Expecting = { kind: "prefix" };
const FRESH_HEADER: Expecting = { kind: "header", seenBytes: 0, bodyBytes: undefined };

/** Bytes of one unfinished frame. Grows by doubling, so that any number of small appends costs a constant number of copies a byte. */
class Accumulator {
  length = 0;
  private room: Buffer = NO_BYTES;

  /** Copies `bytes`. `expected` is the final length, if known: no room is made beyond it. */
  append(bytes: Uint8Array, expected = Number.POSITIVE_INFINITY): void {
    const needed = this.length + bytes.length;
    if (needed > this.room.length) {
      const larger = Buffer.allocUnsafeSlow(
        Math.max(needed, Math.min(expected, Math.max(SMALLEST_BYTES, this.room.length * 2))),
      );
      larger.set(this.view());
      this.room = larger;
    }
    this.room.set(bytes, this.length);
    this.length = needed;
  }

  /** The bytes appended so far. Valid until the next append. */
  view(): Uint8Array {
    return this.room.subarray(0, this.length);
  }

  /** Hands the bytes over and forgets them: no buffer outlives its frame. */
  take(): Uint8Array {
    const taken = this.view();
    this.room = NO_BYTES;
    this.length = 0;
    return taken;
  }
}

/**
 * `maxFrameBytes` counts one frame without its framing; a frame of exactly that size passes. White space before the first frame, empty lines between
 * lines or headers, and a carriage return before a line feed are skipped; nothing else is. With `isLinesOnly` every line is a frame.
 */
export class FrameDecoder {
  private readonly limit: number;
  /** The frame that has not ended. */
  private readonly held = new Accumulator();
  private expecting: Expecting = FIRST_BYTE;
  /** Undefined until the first byte other than white space. */
  framing: Framing | undefined;
  private lost: Fault | undefined;

  constructor(maxFrameBytes: number, isLinesOnly = false) {
    this.limit = Math.min(maxFrameBytes, LARGEST_MAX_FRAME_BYTES);
    if (!isLinesOnly) return;
    this.framing = "newline";
    this.expecting = LINE;
  }

  /** Cuts the frames that `chunk` completes. Returns the fault of a stream that is lost behind them; every further chunk gives the same fault. */
  push(chunk: Uint8Array, frames: FrameSink): Fault | undefined {
    let at = 0;
    while (this.lost === undefined) {
      const { expecting } = this;
      // An empty body is complete without a further byte.
      if (at === chunk.length && !(expecting.kind === "body" && expecting.bytes === 0)) break;
      switch (expecting.kind) {
        case "first_byte":
          at = this.sniff(chunk, at);
          break;
        case "line":
          at = this.readLine(chunk, at, frames);
          break;
        case "prefix":
          at = this.readPrefix(chunk, at);
          break;
        case "header":
          at = this.readHeaderLine(chunk, at, expecting);
          break;
        case "body":
          at = this.readBody(chunk, at, expecting, frames);
          break;
      }
    }
    return this.lost;
  }

  private sniff(chunk: Uint8Array, at: number): number {
    const byte = chunk[at] ?? 0;
    if (byte === 0x20 || byte === 0x09 || byte === LINE_FEED || byte === CARRIAGE_RETURN) return at + 1;
    if (byte === 0x00) {
      this.framing = "length-prefixed";
      this.expecting = PREFIX;
    } else if (byte === 0x7b) {
      this.framing = "newline";
      this.expecting = LINE;
    } else if (byte === 0x43) {
      this.framing = "content-length";
      this.expecting = FRESH_HEADER;
    } else {
      // A peer that writes text reads the answer as a line.
      if (isOfText(byte)) this.framing = "newline";
      this.lost = framingLost(beginning(byte));
    }
    return at;
  }

  private readLine(chunk: Uint8Array, at: number, frames: FrameSink): number {
    const end = chunk.indexOf(LINE_FEED, at);
    const line = this.readUpTo(chunk, at, end);
    if (line === undefined) {
      // One byte more may be held: the carriage return that is no part of the frame.
      if (this.held.length > this.limit + 1) this.lost = frameTooLarge(undefined, this.limit, this.held.take());
      return chunk.length;
    }
    if (line.length > this.limit) this.lost = frameTooLarge(line.length, this.limit, line);
    else if (line.length > 0) frames.push(line);
    return end + 1;
  }

  /** Returns the line that ends at `end`, without its line end; undefined if it continues in the next chunk. */
  private readUpTo(chunk: Uint8Array, at: number, end: number): Uint8Array | undefined {
    if (end === -1) {
      this.held.append(chunk.subarray(at));
      return undefined;
    }
    let line = chunk.subarray(at, end);
    if (this.held.length > 0) {
      this.held.append(line);
      line = this.held.take();
    }
    return line[line.length - 1] === CARRIAGE_RETURN ? line.subarray(0, -1) : line;
  }

  private readPrefix(chunk: Uint8Array, at: number): number {
    if (this.held.length === 0 && at + PREFIX_BYTES <= chunk.length) {
      this.announce(bigEndian(chunk, at), "prefix", chunk, at + PREFIX_BYTES);
      return at + PREFIX_BYTES;
    }
    const end = Math.min(chunk.length, at + PREFIX_BYTES - this.held.length);
    this.held.append(chunk.subarray(at, end), PREFIX_BYTES);
    if (this.held.length === PREFIX_BYTES) this.announce(bigEndian(this.held.take(), 0), "prefix", chunk, end);
    return end;
  }

  private announce(bytes: number, next: "prefix" | "header", chunk: Uint8Array, at: number): void {
    if (bytes > this.limit) this.lost = frameTooLarge(bytes, this.limit, chunk.subarray(at));
    else this.expecting = { kind: "body", bytes, next };
  }

  private readHeaderLine(chunk: Uint8Array, at: number, header: Expecting & { kind: "header" }): number {
    const end = chunk.indexOf(LINE_FEED, at);
    const line = this.readUpTo(chunk, at, end);
    const seenBytes = header.seenBytes + (line?.length ?? this.held.length);
    if (seenBytes > MAX_HEADER_BYTES) {
      this.lost = framingLost(`The headers of a message are longer than ${MAX_HEADER_BYTES} bytes.`);
    }
    if (line === undefined) return chunk.length;
    if (line.length > 0) {
      const parsed = contentLength(Buffer.from(line).toString("latin1"), header.bodyBytes);
      if (parsed.kind === "lost") this.lost = framingLost(parsed.why);
      else this.expecting = { kind: "header", seenBytes, bodyBytes: parsed.bodyBytes };
    } else if (header.bodyBytes !== undefined) {
      this.announce(header.bodyBytes, "header", chunk, end + 1);
    } else if (header.seenBytes > 0) {
      this.lost = framingLost("The headers of a message end without a Content-Length.");
    }
    return end + 1;
  }

  private readBody(chunk: Uint8Array, at: number, body: Expecting & { kind: "body" }, frames: FrameSink): number {
    const missing = body.bytes - this.held.length;
    const end = Math.min(chunk.length, at + missing);
    const whole = end - at === missing;
    if (whole && this.held.length === 0) {
      frames.push(chunk.subarray(at, end));
    } else {
      this.held.append(chunk.subarray(at, end), body.bytes);
      if (whole) frames.push(this.held.take());
    }
    if (whole) this.expecting = body.next === "prefix" ? PREFIX : FRESH_HEADER;
    return end;
  }

  /** Reports the end of the stream. Returns a fault if the stream ended inside a frame. */
  end(): Fault | undefined {
    const { expecting } = this;
    if (this.lost !== undefined) return this.lost;
    const between =
      this.held.length === 0 && expecting.kind !== "body" && (expecting.kind !== "header" || expecting.seenBytes === 0);
    if (between) return undefined;
    const hint = this.framing === "newline" ? " End each message with a line feed." : "";
    return framingLost(`The stream ended in the middle of a message.${hint}`);
  }
}

/** The first byte of a byte order mark in UTF-8. */
const BYTE_ORDER_MARK = 0xef;

function isOfText(byte: number): boolean {
  return byte === BYTE_ORDER_MARK || (byte > 0x20 && byte < 0x7f);
}

function beginning(byte: number): string {
  const name = `byte 0x${byte.toString(16).padStart(2, "0")}`;
  return byte === BYTE_ORDER_MARK
    ? `The stream begins with ${name}, as a byte order mark (BOM) in UTF-8 does. Write none.`
    : `The stream begins with ${name}, which no framing begins with.`;
}

function bigEndian(bytes: Uint8Array, at: number): number {
  const [first = 0, second = 0, third = 0, fourth = 0] = [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]];
  return first * 0x1_00_00_00 + ((second << 16) | (third << 8) | fourth);
}

type HeaderLine =
  | { readonly kind: "lost"; readonly why: string }
  | { readonly kind: "header"; readonly bodyBytes: number | undefined };

const NAME = /^[A-Za-z-]+$/;
const WHOLE_NUMBER = /^[ \t]*([0-9]{1,15})[ \t]*$/;

function contentLength(line: string, known: number | undefined): HeaderLine {
  const colon = line.indexOf(":");
  const name = line.slice(0, Math.max(0, colon));
  if (!NAME.test(name) || line.includes("\r"))
    return { kind: "lost", why: "A header line is not of the form `Name: value`." };
  if (name.toLowerCase() !== "content-length") return { kind: "header", bodyBytes: known };
  const digits = WHOLE_NUMBER.exec(line.slice(colon + 1))?.[1];
  if (digits === undefined) return { kind: "lost", why: "A Content-Length is not a whole number of bytes." };
  const bodyBytes = Number(digits);
  if (known !== undefined && known !== bodyBytes)
    return { kind: "lost", why: "A message has two different Content-Lengths." };
  return { kind: "header", bodyBytes };
}
