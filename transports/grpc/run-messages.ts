import type { ServiceFrame } from "../../src/contracts/service.js";
import type { FrameRun } from "../../src/contracts/transport.js";

/** Frames in one message, at most. */
export const MOST_JOINED_FRAMES = 64;
/** Bytes in one message of several frames, at most; well below the 4 MiB that clients take by default (G6). */
export const MOST_JOINED_BYTES = 1024 * 1024;

const KEY = "grpc";

/**
 * The messages in which a run leaves where frames put one behind the other are one message. Made once, kept in the run, and shared by all calls that
 * send it. A frame alone is not copied.
 */
export function messagesOfRun(run: FrameRun<ServiceFrame>): readonly Buffer[] {
  const known = run.joined.get(KEY);
  if (known !== undefined) return known as readonly Buffer[];
  const messages: Buffer[] = [];
  let frames: Buffer[] = [];
  let bytes = 0;
  const flush = (): void => {
    const [first] = frames;
    if (first !== undefined) messages.push(frames.length === 1 ? first : Buffer.concat(frames, bytes));
    frames = [];
    bytes = 0;
  };
  for (const frame of run.frames) {
    const buffer = bufferOf(frame);
    if (frames.length === MOST_JOINED_FRAMES || bytes + buffer.length > MOST_JOINED_BYTES) flush();
    frames.push(buffer);
    bytes += buffer.length;
  }
  flush();
  run.joined.set(KEY, messages);
  return messages;
}

/** The bytes of a frame that goes out, uncopied. Throws a TypeError for one that was not encoded. */
export function bufferOf(frame: ServiceFrame): Buffer {
  if (frame instanceof Uint8Array) {
    return Buffer.isBuffer(frame) ? frame : Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength);
  }
  throw new TypeError(`A ${frame.$typeName} was handed over; what goes out must be encoded.`);
}
