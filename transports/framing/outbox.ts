// The write side of a stream of bytes. Frames handed over one by one leave together after the running call; a batch leaves at once, with those that
// were handed over before it. So a delivery is written before the acknowledgement of the publish that caused it.
import type { Writable } from "node:stream";
import type { FrameBatch } from "../../src/contracts/transport.js";
import { BackPressure, type BackPressureOwner, HIGH_WATER_BYTES } from "./back-pressure.js";

export interface OutboxOwner extends BackPressureOwner {
  /** The form of frames on the wire, one behind the other. */
  readonly joined: (frames: readonly Uint8Array[]) => Buffer;
  /** That of a batch, with its last frame. Made once for each form, and kept in the batch for all connections that send it. */
  readonly joinedBatch: (batch: FrameBatch<Uint8Array>) => Buffer;
}

/** Frames that the peer has not taken wait in the stream. */
export class Outbox {
  private readonly stream: Writable;
  private readonly owner: OutboxOwner;
  private readonly pressure: BackPressure;
  // Handed over in this turn, not yet in their form on the wire.
  private held: Uint8Array[] = [];
  private heldBytes = 0;

  constructor(stream: Writable, owner: OutboxOwner) {
    this.stream = stream;
    this.owner = owner;
    // Below the stream's own mark there would be no need to wait.
    this.pressure = new BackPressure(owner, Math.max(HIGH_WATER_BYTES, stream.writableHighWaterMark));
  }

  /** Returns whether more may be handed over. */
  send(bytes: Uint8Array): boolean {
    if (!this.pressure.isTaking) return false;
    if (this.held.length === 0) {
      this.held = [bytes];
      process.nextTick(flush, this);
    } else this.held.push(bytes);
    this.heldBytes += bytes.length;
    return this.pressure.hasRoom(this.waitingBytes());
  }

  sendBatch(batch: FrameBatch<Uint8Array>): boolean {
    if (!this.pressure.isTaking) return false;
    const joined = this.owner.joinedBatch(batch);
    this.stream.write(this.held.length === 0 ? joined : Buffer.concat([this.takeHeld(), joined]), this.wrote);
    return this.pressure.hasRoom(this.waitingBytes());
  }

  writable(): Promise<void> {
    return this.pressure.writable(this.waitingBytes());
  }

  /** Takes no more, and releases every waiter. Handed-over frames still leave; then the stream is ended, and `done` is called. */
  end(done: () => void): void {
    this.flush();
    this.pressure.end();
    this.stream.end(done);
  }

  /** Nothing will leave any more: drops what waits and releases every waiter. */
  settle(): void {
    this.held = [];
    this.heldBytes = 0;
    this.pressure.end();
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
    if (error === null || error === undefined) this.pressure.left(this.waitingBytes());
  };

  private waitingBytes(): number {
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
