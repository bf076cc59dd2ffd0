// Back-pressure of every write side: its senders wait while more than enough bytes wait for the peer, and a peer that never reads is given up.
import { Fault } from "../../src/base/errors.js";
import { type Resolvers, withResolvers } from "../../src/base/with-resolvers.js";
import type { PeerIdentity } from "../../src/contracts/transport.js";

/** Bytes that may wait for a peer before its senders are held back. */
export const HIGH_WATER_BYTES = 64 * 1024;
/** Most bytes that may wait in all, for senders that continue after a false. */
const MOST_BYTES = 16 * 1024 * 1024;

export interface BackPressureOwner {
  /** More bytes wait than may. The owner breaks off from its peer. */
  readonly overflowed: () => void;
}

/** The owner counts the bytes that wait, because its stream may know the number, and hands the number over. */
export class BackPressure {
  private readonly owner: BackPressureOwner;
  private readonly highWaterBytes: number;
  private isOver = false;
  private waiting: Resolvers<void> | undefined;

  constructor(owner: BackPressureOwner, highWaterBytes: number = HIGH_WATER_BYTES) {
    this.owner = owner;
    this.highWaterBytes = highWaterBytes;
  }

  /** Whether frames are taken at all. */
  get isTaking(): boolean {
    return !this.isOver;
  }

  /** Returns whether more may be handed over. */
  hasRoom(bytes: number): boolean {
    if (bytes > MOST_BYTES) this.owner.overflowed();
    return !this.isOver && bytes <= this.highWaterBytes;
  }

  writable(bytes: number): Promise<void> {
    if (this.isOver || bytes <= this.highWaterBytes) return Promise.resolve();
    this.waiting ??= withResolvers();
    return this.waiting.promise;
  }

  /** Tells that bytes have left: these wait still. */
  left(bytes: number): void {
    if (bytes <= this.highWaterBytes) this.release();
  }

  /** From now on nothing is taken. Releases every waiter. */
  end(): void {
    this.isOver = true;
    this.release();
  }

  private release(): void {
    this.waiting?.resolve();
    this.waiting = undefined;
  }
}

/** The fault of a peer for which more bytes wait than may. */
export function doesNotRead({ label }: PeerIdentity): Fault {
  return new Fault(
    "peer_gone",
    `${label} does not read: more than ${MOST_BYTES} bytes wait for it. Read faster, or connect again and resume.`,
  );
}
