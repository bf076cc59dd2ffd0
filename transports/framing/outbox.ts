// The write side of a byte connection. Frames handed over one by one leave together after the running call; a batch leaves at once, with those that
// were handed over before it. So a delivery is written before the acknowledgement of the publish that caused it.
import type { Writable } from "node:stream";
import { type Resolvers, withResolvers } from "../../src/base/with-resolvers.js";
import type { FrameBatch } from "../../src/contracts/transport.js";
import { type Framing, join } from "./framings.js";

/** A local socket takes writes up to about this size whole; a longer frame is a piece of its own. */
export const PIECE_BYTES = 32 * 1024;
/** A pipe takes writes up to this size whole (POSIX: at least 512; Linux: 4,096). */
export const PIPE_PIECE_BYTES = 4096;

/** Room for one frame's framing, for the counts of waiting bytes. */
const FRAMING_BYTES = 4;

export interface OutboxLimits {
  /** The framing until the peer has shown its own. */
  readonly framing: Framing;
  readonly highWaterMarkBytes: number;
  readonly maxBufferedBytes: number;
  /** Largest write of more than one frame, bytes. */
  readonly pieceBytes: number;
}

export interface OutboxOwner {
  /** Shows the peer's framing from its first byte on (R23). */
  readonly decoder: { readonly framing: Framing | undefined };
  readonly overflowed: () => void;
}

/**
 * Writes in *pieces*: whole frames, few enough that the operating system takes all of the piece or nothing. A connection given up between two pieces
 * is therefore never cut inside a frame, whatever its peer has read. The next piece follows when the stream has passed the one before on.
 */
export class Outbox {
  private readonly stream: Writable;
  private readonly limits: OutboxLimits;
  private readonly owner: OutboxOwner;
  /** Below the stream's own mark there would be no need to wait. */
  private readonly highWaterMarkBytes: number;
  // Handed over in this turn, without their framing.
  private held: Uint8Array[] = [];
  private heldBytes = 0;
  // Behind the piece that is being written.
  private pieces: Buffer[] = [];
  private piecesBytes = 0;
  private isWriting = false;
  private isTaking = true;
  private onEnd: (() => void) | undefined;
  private waiting: Resolvers<void> | undefined;

  constructor(stream: Writable, limits: OutboxLimits, owner: OutboxOwner) {
    this.stream = stream;
    this.limits = limits;
    this.owner = owner;
    this.highWaterMarkBytes = Math.max(limits.highWaterMarkBytes, stream.writableHighWaterMark);
  }

  /** Returns whether more may be handed over. */
  send(bytes: Uint8Array): boolean {
    if (!this.isTaking) return false;
    if (this.held.length === 0) {
      this.held = [bytes];
      process.nextTick(flush, this);
    } else this.held.push(bytes);
    this.heldBytes += bytes.length + FRAMING_BYTES;
    return this.hasRoom();
  }

  sendBatch(batch: FrameBatch<Uint8Array>): boolean {
    if (!this.isTaking) return false;
    if (this.held.length > 0) this.frameHeld();
    this.enqueue(piecesOfBatch(batch, this.owner.decoder.framing ?? this.limits.framing, this.limits.pieceBytes));
    this.writeOn();
    return this.hasRoom();
  }

  writable(): Promise<void> {
    if (!this.isTaking || this.bufferedBytes() <= this.highWaterMarkBytes) return Promise.resolve();
    this.waiting ??= withResolvers();
    return this.waiting.promise;
  }

  /** Takes no more, and releases every waiter. Handed-over frames still leave; then the stream is ended, and `done` is called. */
  end(done: () => void): void {
    this.frameHeld();
    this.isTaking = false;
    this.release();
    this.onEnd = done;
    this.writeOn();
  }

  /** Nothing will leave any more: drops what waits and releases every waiter. */
  settle(): void {
    this.isTaking = false;
    this.held = [];
    this.pieces = [];
    this.onEnd = undefined;
    this.heldBytes = 0;
    this.piecesBytes = 0;
    this.release();
  }

  /** Passes the held frames to the stream, as the stream takes them. */
  flush(): void {
    this.frameHeld();
    this.writeOn();
  }

  private frameHeld(): void {
    const { held } = this;
    this.held = [];
    this.heldBytes = 0;
    this.enqueue(piecesOf(this.owner.decoder.framing ?? this.limits.framing, held, this.limits.pieceBytes));
  }

  private enqueue(pieces: readonly Buffer[]): void {
    for (const piece of pieces) this.piecesBytes += piece.length;
    if (this.pieces.length === 0) this.pieces = pieces.slice();
    else this.pieces.push(...pieces);
  }

  private writeOn(): void {
    if (this.isWriting) return;
    const piece = this.pieces.length > 1 ? this.takeJoined() : this.pieces.pop();
    if (piece !== undefined) {
      this.piecesBytes -= piece.length;
      this.isWriting = true;
      this.stream.write(piece, this.wrote);
    } else if (this.onEnd !== undefined) {
      this.stream.end(this.onEnd);
      this.onEnd = undefined;
    }
  }

  /** Joins small pieces into one by copying. */
  private takeJoined(): Buffer {
    let count = 0;
    let bytes = 0;
    for (const piece of this.pieces) {
      if (count > 0 && bytes + piece.length > this.limits.pieceBytes) break;
      count += 1;
      bytes += piece.length;
    }
    return Buffer.concat(this.pieces.splice(0, count), bytes);
  }

  private readonly wrote = (error: Error | null | undefined): void => {
    // The owner receives the error as well, and settles the outbox.
    if (error !== null && error !== undefined) return;
    this.isWriting = false;
    if (this.pieces.length > 0 || this.onEnd !== undefined) this.writeOn();
    if (this.waiting !== undefined && this.bufferedBytes() <= this.highWaterMarkBytes) this.release();
  };

  private release(): void {
    this.waiting?.resolve();
    this.waiting = undefined;
  }

  private hasRoom(): boolean {
    const buffered = this.bufferedBytes();
    if (buffered <= this.highWaterMarkBytes) return true;
    if (buffered > this.limits.maxBufferedBytes) this.owner.overflowed();
    return false;
  }

  private bufferedBytes(): number {
    return this.heldBytes + this.piecesBytes + this.stream.writableLength;
  }
}

function flush(outbox: Outbox): void {
  outbox.flush();
}

/** Frames with their framing, back to back, in pieces of up to `pieceBytes`. */
function piecesOf(framing: Framing, frames: readonly Uint8Array[], pieceBytes: number): Buffer[] {
  if (frames.length === 1) return [join(framing, frames)];
  const pieces: Buffer[] = [];
  let from = 0;
  let bytes = 0;
  for (const [index, frame] of frames.entries()) {
    const length = frame.length + FRAMING_BYTES;
    if (index > from && bytes + length > pieceBytes) {
      pieces.push(join(framing, frames.slice(from, index)));
      from = index;
      bytes = 0;
    }
    bytes += length;
  }
  if (from < frames.length) pieces.push(join(framing, from === 0 ? frames : frames.slice(from)));
  return pieces;
}

/** The pieces of a batch, made once for each framing and shared by every connection that sends the batch. */
function piecesOfBatch(batch: FrameBatch<Uint8Array>, framing: Framing, pieceBytes: number): readonly Buffer[] {
  const key = `${framing} ${pieceBytes}`;
  // Only this function writes under the key.
  const known = batch.joined.get(key) as readonly Buffer[] | undefined;
  if (known !== undefined) return known;
  const made = piecesOf(framing, batch.last === undefined ? batch.frames : [...batch.frames, batch.last], pieceBytes);
  batch.joined.set(key, made);
  return made;
}
