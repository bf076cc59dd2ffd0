/** Frames in one message, at most. */
export const MOST_JOINED_FRAMES = 64;
/** Bytes in one message of several frames, at most; well below the 4 MiB that clients take by default (G6). */
export const MOST_JOINED_BYTES = 1024 * 1024;

/** The frames that each message of a run is made of: one, or, where frames put one behind the other are one message, as many as it may have. */
export function messagesOf(frames: readonly Uint8Array[], joinsRuns: boolean): readonly (readonly Buffer[])[] {
  const messages: Buffer[][] = [];
  let bytes = 0;
  for (const frame of frames) {
    const last = messages.at(-1);
    const isFull = last === undefined || last.length === MOST_JOINED_FRAMES || bytes + frame.length > MOST_JOINED_BYTES;
    if (joinsRuns && !isFull) {
      last.push(bufferOf(frame));
      bytes += frame.length;
    } else {
      messages.push([bufferOf(frame)]);
      bytes = frame.length;
    }
  }
  return messages;
}

/** The bytes of a frame, uncopied. */
export function bufferOf(frame: Uint8Array): Buffer {
  return Buffer.isBuffer(frame) ? frame : Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength);
}
