// The three framings of a byte stream (R23), write side. decoder.ts is the read side.

/**
 * - `length-prefixed`: 4 bytes, big-endian, then that many bytes.
 * - `newline`: one JSON text a line. Line ends inside a frame can only be white space of JSON, so they are written as spaces.
 * - `content-length`: `Content-Length: n`, an empty line, then n bytes.
 */
export type Framing = "length-prefixed" | "newline" | "content-length";

export const FRAMINGS: readonly Framing[] = ["length-prefixed", "newline", "content-length"];

/** 1 MiB, which AAEP §8.3 requires, and the size of an envelope. */
export const DEFAULT_MAX_FRAME_BYTES = 1024 * 1024 + 16 * 1024;

/** The largest length that a prefix beginning with 0x00 can announce, and so the largest limit under R23. */
export const LARGEST_MAX_FRAME_BYTES = 0xff_ff_ff;

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;

/** Frames with their framing, back to back in one buffer of exactly that size. */
export function join(framing: Framing, frames: readonly Uint8Array[]): Buffer {
  let bytes = 0;
  for (const frame of frames) bytes += frame.length;
  switch (framing) {
    case "length-prefixed":
      return joinLengthPrefixed(frames, Buffer.allocUnsafe(bytes + 4 * frames.length));
    case "newline":
      return joinLines(frames, Buffer.allocUnsafe(bytes + frames.length));
    case "content-length":
      return joinContentLength(frames, bytes);
  }
}

function joinLengthPrefixed(frames: readonly Uint8Array[], joined: Buffer): Buffer {
  let at = 0;
  for (const bytes of frames) {
    joined.writeUInt32BE(bytes.length, at);
    joined.set(bytes, at + 4);
    at += 4 + bytes.length;
  }
  return joined;
}

function joinLines(frames: readonly Uint8Array[], joined: Buffer): Buffer {
  let at = 0;
  for (const bytes of frames) {
    joined.set(bytes, at);
    const end = at + bytes.length;
    if (bytes.includes(LINE_FEED)) blankOut(joined, LINE_FEED, at, end);
    if (bytes.includes(CARRIAGE_RETURN)) blankOut(joined, CARRIAGE_RETURN, at, end);
    joined[end] = LINE_FEED;
    at = end + 1;
  }
  return joined;
}

function blankOut(bytes: Buffer, unwanted: number, from: number, end: number): void {
  for (let at = bytes.subarray(from, end).indexOf(unwanted); at !== -1; ) {
    bytes[from + at] = SPACE;
    at = bytes.subarray(from, end).indexOf(unwanted, at + 1);
  }
}

function joinContentLength(frames: readonly Uint8Array[], bytes: number): Buffer {
  const headers = frames.map((frame) => `Content-Length: ${frame.length}\r\n\r\n`);
  const joined = Buffer.allocUnsafe(headers.join("").length + bytes);
  let at = 0;
  for (const [index, frame] of frames.entries()) {
    at += joined.write(headers[index] ?? "", at, "latin1");
    joined.set(frame, at);
    at += frame.length;
  }
  return joined;
}
