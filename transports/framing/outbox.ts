// The write side of a stream of bytes. Frames handed over one by one leave together after the running call; a batch leaves at once, with those that
// were handed over before it. So a delivery is written before the acknowledgement of the publish that caused it.
import type { Writable } from "node:stream";
import { Fault } from "../../src/base/errors.js";
import { type Resolvers, withResolvers } from "../../src/base/with-resolvers.js";
import type { FrameBatch, PeerIdentity } from "../../src/contracts/transport.js";

export interface OutboxLimits {
  readonly highWaterMarkBytes: number;
  readonly maxBufferedBytes: number;
}

export interface OutboxOwner {
  /** The form of frames on the wire, one behind the other. */
  readonly joined: (frames: readonly Uint8Array[]) => Buffer;
  /** That of a batch, with its last frame. Made once for each form, and kept in the batch for all connections that send it. */
  readonly joinedBatch: (batch: FrameBatch<Uint8Array>) => Buffer;
  readonly overflowed: () => void;
}

/** Frames that the peer has not taken wait in the stream. */
export class Outbox {
  private readonly stream: Writable;
  private readonly limits: OutboxLimits;
  private readonly owner: OutboxOwner;
  /** Below the stream's own mark there would be no need to wait. */
  private readonly highWaterMarkBytes: number;
  // Handed over in this turn, not yet in their form on the wire.
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
    const joined = this.owner.joinedBatch(batch);
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
    this.held = [];
    this.heldBytes = 0;
    this.release();
  }

  /** Passes the held frames to the stream. */
  flush(): void {
    if (this.held.length > 0) this.stream.write(this.takeHeld(), this.wrote);
  }

  private takeHeld(): Buffer {
    const joined = this.owner.joined(this.held);
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

/** The bytes of a batch in the form of this key: those kept in it, or those that `make` makes of its frames. */
export function kept(
  { frames, last, joined }: FrameBatch<Uint8Array>,
  key: string,
  make: (frames: readonly Uint8Array[]) => Buffer,
): Buffer {
  // Only this function writes under the keys of forms.
  const known = joined.get(key) as Buffer | undefined;
  if (known !== undefined) return known;
  const made = make(last === undefined ? frames : [...frames, last]);
  joined.set(key, made);
  return made;
}

/** The fault of a peer for which more than `maxBufferedBytes` wait. */
export function doesNotRead({ label }: PeerIdentity, maxBufferedBytes: number): Fault {
  return new Fault(
    "peer_gone",
    `${label} does not read: more than ${maxBufferedBytes} bytes wait for it. Read faster, or connect again and resume.`,
  );
}
