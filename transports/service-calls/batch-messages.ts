// Packs frames into messages on the wire. gRPC, gRPC-Web and Connect have the same form: a flag, the length, the message.
import type { FrameBatch } from "../../src/contracts/transport.js";

/** Most frames in one message: a reader should receive the first event before the last is sent. */
const MOST_JOINED_FRAMES = 64;
/** Most bytes in one message of several frames; well below the 4 MiB that clients accept by default. */
const MOST_JOINED_BYTES = 1024 * 1024;

const HEAD_BYTES = 5;

/**
 * Groups the frames of a batch into messages, in order and uncopied: one frame each, or, if concatenated frames are one message, as many as a message
 * may have. A frame above the limit of bytes is a message of its own, and so is the `last` frame of a batch.
 */
export function messagesOf(
  { frames, last: apart }: Pick<FrameBatch<Uint8Array>, "frames" | "last">,
  joinsBatches: boolean,
): readonly (readonly Uint8Array[])[] {
  const messages: Uint8Array[][] = [];
  let bytes = 0;
  for (const frame of frames) {
    const last = messages.at(-1);
    const isFull = last === undefined || last.length === MOST_JOINED_FRAMES || bytes + frame.length > MOST_JOINED_BYTES;
    if (joinsBatches && !isFull) {
      last.push(frame);
      bytes += frame.length;
    } else {
      messages.push([frame]);
      bytes = frame.length;
    }
  }
  if (apart !== undefined) messages.push([apart]);
  return messages;
}

/**
 * Joins messages, each given in pieces, into one buffer with a head before each: its flag (0 nothing special, 1 compressed) and its length. Separate
 * buffers for the heads, joined afterwards, cost several times as much.
 */
export function enveloped(messages: readonly (readonly Uint8Array[])[], flag: 0 | 1 = 0): Buffer {
  const lengths = messages.map(lengthOf);
  const bytes = Buffer.allocUnsafe(lengths.reduce((sum, length) => sum + HEAD_BYTES + length, 0));
  let at = 0;
  for (const [index, pieces] of messages.entries()) {
    bytes[at] = flag;
    bytes.writeUInt32BE(lengths[index] ?? 0, at + 1);
    at += HEAD_BYTES;
    for (const piece of pieces) {
      bytes.set(piece, at);
      at += piece.length;
    }
  }
  return bytes;
}

function lengthOf(pieces: readonly Uint8Array[]): number {
  let length = 0;
  for (const piece of pieces) length += piece.length;
  return length;
}

/** The bytes of a frame, uncopied. */
export function bufferOf(frame: Uint8Array): Buffer {
  return Buffer.isBuffer(frame) ? frame : Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength);
}
