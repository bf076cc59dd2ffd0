import type { FrameRun } from "../../src/contracts/transport.js";

/** Frames in one message, at most. */
export const MOST_JOINED_FRAMES = 64;
/** Bytes in one message of several frames, at most; well below the 4 MiB that clients take by default (G6). */
export const MOST_JOINED_BYTES = 1024 * 1024;

/**
 * The messages in which a run leaves: its frames, or, where frames put one behind the other are one message, few with many. Made once, kept in the
 * run, and shared by all calls that send it. A frame alone is not copied.
 */
export function messagesOfRun(run: FrameRun<Uint8Array>, joinsRuns: boolean): readonly Buffer[] {
  const key = joinsRuns ? "grpc joined" : "grpc";
  const known = run.joined.get(key);
  if (known !== undefined) return known as readonly Buffer[];
  const frames = run.frames.map(bufferOf);
  const messages = joinsRuns ? joined(frames) : frames;
  run.joined.set(key, messages);
  return messages;
}

function joined(frames: readonly Buffer[]): readonly Buffer[] {
  const messages: Buffer[] = [];
  let held: Buffer[] = [];
  let bytes = 0;
  const flush = (): void => {
    const [first] = held;
    if (first !== undefined) messages.push(held.length === 1 ? first : Buffer.concat(held, bytes));
    held = [];
    bytes = 0;
  };
  for (const frame of frames) {
    if (held.length === MOST_JOINED_FRAMES || bytes + frame.length > MOST_JOINED_BYTES) flush();
    held.push(frame);
    bytes += frame.length;
  }
  flush();
  return messages;
}

/** The bytes of a frame, uncopied. */
export function bufferOf(frame: Uint8Array): Buffer {
  return Buffer.isBuffer(frame) ? frame : Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength);
}
