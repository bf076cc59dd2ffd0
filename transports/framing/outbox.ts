// The write side of a byte connection. Frames handed over one by one leave together after the running call; a batch leaves at once, with those that
// were handed over before it. So a delivery is written before the acknowledgement of the publish that caused it.
import type { Writable } from "node:stream";
import { type Resolvers, withResolvers } from "../../src/base/with-resolvers.js";
import type { FrameBatch } from "../../src/contracts/transport.js";
import { type Framing, join } from "./framings.js";

export interface OutboxLimits {
  /** The framing until the peer has shown its own. */
  readonly framing: Framing;
  readonly highWaterMarkBytes: number;
  readonly maxBufferedBytes: number;
}

export interface OutboxOwner {
  /** Shows the peer's framing from its first byte on (R23). */
  readonly decoder: { readonly framing: Framing | undefined };
  readonly overflowed: () => void;
}

/** Frames that the peer has not taken wait in the stream. */
export class Outbox {
  private readonly stream: Writable;
  private readonly limits: OutboxLimits;
  private readonly owner: OutboxOwner;
  /** Below the stream's own mark there would be no need to wait. */
  private readonly highWaterMarkBytes: number;
  // Handed over in this turn, without their framing.
  private held: Uint8Array[] = [];
  private heldBytes = 0;
  private isTaking = true;
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
    this.heldBytes += bytes.length;
    return this.hasRoom();
  }

  sendBatch(batch: FrameBatch<Uint8Array>): boolean {
    if (!this.isTaking) return false;
    const joined = joinedBatch(batch, this.owner.decoder.framing ?? this.limits.framing);
    this.stream.write(this.held.length === 0 ? joined : Buffer.concat([this.takeHeld(), joined]), this.wrote);
    return this.hasRoom();
  }

  writable(): Promise<void> {
    if (!this.isTaking || this.bufferedBytes() <= this.highWaterMarkBytes) return Promise.resolve();
    this.waiting ??= withResolvers();
    return this.waiting.promise;
  }

  /** Takes no more, and releases every waiter. Handed-over frames still leave; then the stream is ended, and `done` is called. */
  end(done: () => void): void {
    this.flush();
    this.isTaking = false;
    this.release();
    this.stream.end(done);
  }

  /** Nothing will leave any more: drops what waits and releases every waiter. */
  settle(): void {
    this.isTaking = false;
    this.takeHeld();
    this.release();
  }

  /** Passes the held frames to the stream. */
  flush(): void {
    if (this.held.length > 0) this.stream.write(this.takeHeld(), this.wrote);
  }

  private takeHeld(): Buffer {
    const joined = join(this.owner.decoder.framing ?? this.limits.framing, this.held);
    this.held = [];
    this.heldBytes = 0;
    return joined;
  }

  private readonly wrote = (error: Error | null | undefined): void => {
    // The owner receives the error as well, and settles the outbox.
    if (error !== null && error !== undefined) return;
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
    return this.heldBytes + this.stream.writableLength;
  }
}

function flush(outbox: Outbox): void {
  outbox.flush();
}

/** A batch with its framing, made once for each framing and shared by every connection that sends the batch. */
function joinedBatch(batch: FrameBatch<Uint8Array>, framing: Framing): Buffer {
  // Only this function writes under a framing.
  const known = batch.joined.get(framing) as Buffer | undefined;
  if (known !== undefined) return known;
  const made = join(framing, batch.last === undefined ? batch.frames : [...batch.frames, batch.last]);
  batch.joined.set(framing, made);
  return made;
}
