import type { Writable } from "node:stream";
import { type Resolvers, withResolvers } from "../../src/base/with-resolvers.js";
import type { FrameBatch } from "../../src/contracts/transport.js";
import { type Framing, frame } from "./framings.js";
import { type Pieces, piecesOf, piecesOfBatch } from "./pieces.js";

export interface OutboxLimits {
  readonly highWaterMarkBytes: number;
  readonly maxBufferedBytes: number;
  /** Largest write of more than one frame, bytes. */
  readonly pieceBytes: number;
}

export interface OutboxOwner {
  /** Read at each write, because it may change with the peer's first byte. */
  readonly framing: () => Framing;
  readonly overflowed: () => void;
}

/** Room for one frame's framing, for the count of waiting bytes. */
const FRAMING_BYTES = 4;

/**
 * The write side of a byte connection. Frames handed over one by one leave together after the running call; a batch leaves at once, with those that
 * were handed over before it. So a delivery is written before the acknowledgement of the publish that caused it.
 */
export class Outbox {
  private readonly stream: Writable;
  private readonly limits: OutboxLimits;
  private readonly owner: OutboxOwner;
  // Handed over in this turn; undefined while nothing is held.
  private frames: Uint8Array[] | undefined;
  private frameBytes = 0;
  // Waiting behind the piece that is being written.
  private pieces: Buffer[] | undefined;
  private waitingBytes = 0;
  private isWriting = false;
  private isTaking = true;
  private onEnd: (() => void) | undefined;
  private waiting: Resolvers<void> | undefined;

  constructor(stream: Writable, limits: OutboxLimits, owner: OutboxOwner) {
    this.stream = stream;
    this.limits = limits;
    this.owner = owner;
  }

  /** Returns whether more may be handed over. */
  send(bytes: Uint8Array): boolean {
    if (!this.isTaking) return false;
    if (this.frames === undefined) {
      this.frames = [bytes];
      process.nextTick(flushLater, this);
    } else this.frames.push(bytes);
    this.frameBytes += bytes.length + FRAMING_BYTES;
    return this.isRoomLeft();
  }

  sendBatch(batch: FrameBatch<Uint8Array>): boolean {
    // The framing is settled: a peer that is sent deliveries has spoken.
    const pieces = piecesOfBatch(batch, this.owner.framing(), this.limits.pieceBytes);
    if (!this.isTaking) return false;
    this.enqueueFrames();
    this.enqueue(pieces);
    this.writeOn();
    return this.isRoomLeft();
  }

  writable(): Promise<void> {
    if (!this.isTaking || this.bufferedBytes() <= this.highWaterMarkBytes()) return Promise.resolve();
    this.waiting ??= withResolvers();
    return this.waiting.promise;
  }

  /** Takes no more, and releases every waiter. Handed-over frames still leave; then the stream is ended, and `done` is called. */
  end(done: () => void): void {
    this.flush();
    this.isTaking = false;
    this.release();
    this.onEnd = done;
    this.writeOn();
  }

  /** Nothing will leave any more: drops held frames and releases every waiter. */
  settle(): void {
    this.isTaking = false;
    this.frames = undefined;
    this.pieces = undefined;
    this.onEnd = undefined;
    this.frameBytes = 0;
    this.waitingBytes = 0;
    this.release();
  }

  /** Passes the held frames to the stream, as the stream takes them. */
  flush(): void {
    this.enqueueFrames();
    this.writeOn();
  }

  private enqueueFrames(): void {
    const { frames } = this;
    if (frames === undefined) return;
    this.frames = undefined;
    this.frameBytes = 0;
    const framing = this.owner.framing();
    const [only] = frames;
    if (frames.length === 1 && only !== undefined) this.enqueueOne(frame(framing, only));
    else this.enqueue(piecesOf(framing, frames, this.limits.pieceBytes));
  }

  private release(): void {
    this.waiting?.resolve();
    this.waiting = undefined;
  }

  private enqueue({ buffers, bytes }: Pieces): void {
    this.pieces ??= [];
    this.pieces.push(...buffers);
    this.waitingBytes += bytes;
  }

  private enqueueOne(piece: Buffer): void {
    if (this.pieces === undefined) this.pieces = [piece];
    else this.pieces.push(piece);
    this.waitingBytes += piece.length;
  }

  /** Writes one piece, and the next after the stream has passed it on, so that the stream never holds a piece that it could pass on in part. */
  private writeOn(): void {
    if (this.isWriting) return;
    const piece = this.nextPiece();
    if (piece !== undefined) {
      this.isWriting = true;
      this.stream.write(piece, (error) => this.wrote(error));
      return;
    }
    const { onEnd } = this;
    this.onEnd = undefined;
    if (onEnd !== undefined) this.stream.end(onEnd);
  }

  private wrote(error: Error | null | undefined): void {
    // The owner receives the error as well, and settles the outbox.
    if (error !== null && error !== undefined) return;
    this.isWriting = false;
    if (this.pieces !== undefined || this.onEnd !== undefined) this.writeOn();
    if (this.waiting !== undefined && this.bufferedBytes() <= this.highWaterMarkBytes()) this.release();
  }

  /** Joins small pieces into one by copying. */
  private nextPiece(): Buffer | undefined {
    const { pieces } = this;
    if (pieces === undefined) return undefined;
    const [first] = pieces;
    if (pieces.length === 1 && first !== undefined) {
      this.pieces = undefined;
      this.waitingBytes -= first.length;
      return first;
    }
    let count = 0;
    let size = 0;
    for (const piece of pieces) {
      if (count > 0 && size + piece.length > this.limits.pieceBytes) break;
      count += 1;
      size += piece.length;
    }
    const next = count === 1 ? first : Buffer.concat(pieces.slice(0, count), size);
    this.pieces = count === pieces.length ? undefined : pieces.slice(count);
    this.waitingBytes -= size;
    return next;
  }

  /** Below the stream's own mark there would be no need to wait. */
  private highWaterMarkBytes(): number {
    return Math.max(this.limits.highWaterMarkBytes, this.stream.writableHighWaterMark);
  }

  private bufferedBytes(): number {
    return this.frameBytes + this.waitingBytes + this.stream.writableLength;
  }

  private isRoomLeft(): boolean {
    const buffered = this.bufferedBytes();
    // Below the stream's own mark there is no need to wait either.
    if (buffered <= this.limits.highWaterMarkBytes || buffered <= this.highWaterMarkBytes()) return true;
    if (buffered > this.limits.maxBufferedBytes) this.owner.overflowed();
    return false;
  }
}

function flushLater(outbox: Outbox): void {
  outbox.flush();
}
