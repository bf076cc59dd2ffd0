// A piece is one write: whole frames, few enough that the operating system takes all of the piece or nothing. A connection given up between two
// pieces is therefore never cut inside a frame, whatever its peer has read.
import type { FrameBatch } from "../../src/contracts/transport.js";
import { type Framing, join } from "./framings.js";

/** A local socket takes writes up to about this size whole; a longer frame is a piece of its own. */
export const PIECE_BYTES = 32 * 1024;
/** A pipe takes writes up to this size whole (POSIX: at least 512; Linux: 4,096). */
export const PIPE_PIECE_BYTES = 4096;

/** Room for one frame's framing, for the count. */
const FRAMING_BYTES = 4;

export interface Pieces {
  readonly buffers: readonly Buffer[];
  readonly bytes: number;
}

/** Frames with their framing, back to back, in pieces of up to `pieceBytes`. */
export function piecesOf(framing: Framing, frames: readonly Uint8Array[], pieceBytes: number): Pieces {
  const buffers: Buffer[] = [];
  let bytes = 0;
  let from = 0;
  let size = 0;
  const end = (to: number): void => {
    if (to === from) return;
    const buffer = join(framing, from === 0 && to === frames.length ? frames : frames.slice(from, to));
    buffers.push(buffer);
    bytes += buffer.length;
    from = to;
    size = 0;
  };
  for (const [index, frame] of frames.entries()) {
    const length = frame.length + FRAMING_BYTES;
    if (size + length > pieceBytes) end(index);
    size += length;
  }
  end(frames.length);
  return { buffers, bytes };
}

/** The pieces of a batch, made once for each framing and shared by every connection that sends the batch. */
export function piecesOfBatch(batch: FrameBatch<Uint8Array>, framing: Framing, pieceBytes: number): Pieces {
  const key = `${framing} ${pieceBytes}`;
  // Only this function writes under the key.
  const known = batch.joined.get(key);
  if (known !== undefined) return known as Pieces;
  const made = piecesOf(framing, batch.last === undefined ? batch.frames : [...batch.frames, batch.last], pieceBytes);
  batch.joined.set(key, made);
  return made;
}
