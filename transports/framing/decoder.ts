// Cuts a byte stream into frames, whatever the chunks it arrives in. The first byte selects the framing (R23). The decoder works on bytes only:
// a character split over two chunks is whole again in its frame. It costs a constant number of copies a byte, checks an announced length before
// it keeps any byte, and holds nothing between frames.
import type { Fault } from "../../src/base/errors.js";
import { Accumulator } from "./accumulator.js";
import { type Framing, LARGEST_MAX_FRAME_BYTES } from "./framings.js";
import { frameTooLarge, framingLost } from "./refusal.js";

interface Decoded {
  /** The frames completed by this chunk. They may share memory with the chunk. */
  readonly frames: readonly Uint8Array[];
  /** The stream is lost after these frames; every further chunk gives the same fault. */
  readonly fault?: Fault;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const PREFIX_BYTES = 4;
/** Longest header block; a longer one is no header. */
const MAX_HEADER_BYTES = 4096;

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

/**
 * `maxFrameBytes` counts one frame without its framing; a frame of exactly that size passes. White space before the first frame, empty lines between
 * lines or headers, and a carriage return before a line feed are skipped; nothing else is. With `isLinesOnly` every line is a frame.
 */
export class FrameDecoder {
  private readonly limit: number;
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

  /** Reads one piece of `chunk` at `at` and returns where to read on. Adds completed frames to `frames`; sets `lost` if the stream is irreparable. */
  private step(chunk: Uint8Array, at: number, frames: Uint8Array[]): number {
    const { expecting } = this;
    switch (expecting.kind) {
      case "first_byte":
        return this.sniff(chunk, at);
      case "line":
        return this.readLine(chunk, at, frames);
      case "prefix":
        return this.readPrefix(chunk, at);
      case "header":
        return this.readHeaderLine(chunk, at, expecting);
      case "body":
        return this.readBody(chunk, at, expecting, frames);
    }
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

  private readLine(chunk: Uint8Array, at: number, frames: Uint8Array[]): number {
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

  private readBody(chunk: Uint8Array, at: number, body: Expecting & { kind: "body" }, frames: Uint8Array[]): number {
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

  push(chunk: Uint8Array): Decoded {
    const frames: Uint8Array[] = [];
    let at = 0;
    // An empty body is complete without a further byte.
    while (this.lost === undefined && (at < chunk.length || isEmptyBody(this.expecting))) {
      at = this.step(chunk, at, frames);
    }
    return this.lost === undefined ? { frames } : { frames, fault: this.lost };
  }

  /** Bytes held of the frame that has not ended. */
  get heldBytes(): number {
    return this.held.length;
  }

  /** Drops them. The stream is lost. */
  giveUp(fault: Fault): void {
    this.held.take();
    this.lost = fault;
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

function isEmptyBody(expecting: Expecting): boolean {
  return expecting.kind === "body" && expecting.bytes === 0;
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
