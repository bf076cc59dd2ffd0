import type { ServerResponse } from "node:http";
import { type Resolvers, withResolvers } from "../../src/base/with-resolvers.js";
import type { FrameBatch } from "../../src/contracts/transport.js";

/** Writes the messages of one stream. */
export interface Envelopes {
  /** One message. */
  readonly one: (bytes: Uint8Array) => Buffer;
  /** All messages of a batch, back to back. Made once and cached in the batch. */
  readonly batch: (batch: FrameBatch<Uint8Array>) => Buffer;
}

/** The write side of a stream: frames handed over in one turn of the event loop leave in one write. */
export interface Outbox {
  /** Returns whether more may be handed over. */
  readonly send: (bytes: Uint8Array) => boolean;
  readonly sendBatch: (batch: FrameBatch<Uint8Array>) => boolean;
  readonly writable: () => Promise<void>;
  /** Writes everything to the response now. */
  readonly flush: () => void;
  /** Nothing will leave any more: drops held frames and releases every waiter. */
  readonly settle: () => void;
}

export interface OutboxOptions {
  readonly envelopes: Envelopes;
  readonly highWaterMarkBytes: number;
  readonly maxBufferedBytes: number;
  readonly onOverflow: () => void;
}

/** Pieces up to this size in all are copied into one buffer, which costs less than a vector of them. */
const COPY_BYTES = 32 * 1024;

export function createOutbox(response: ServerResponse, options: OutboxOptions): Outbox {
  const { envelopes, maxBufferedBytes } = options;
  // Below the response's own mark there would be no "drain" to wait for.
  const highWaterMarkBytes = Math.max(options.highWaterMarkBytes, response.writableHighWaterMark);
  let pieces: Buffer[] = [];
  let heldBytes = 0;
  let leavesNow = false;
  let settled = false;
  let waiting: Resolvers<void> | undefined;

  const bufferedBytes = () => heldBytes + response.writableLength;

  function hold(piece: Buffer): boolean {
    pieces.push(piece);
    heldBytes += piece.length;
    const buffered = bufferedBytes();
    if (buffered <= highWaterMarkBytes) return true;
    if (buffered > maxBufferedBytes) options.onOverflow();
    return false;
  }

  function flush(): void {
    leavesNow = false;
    if (pieces.length === 0 || settled) return;
    const leaving = pieces;
    const bytes = heldBytes;
    pieces = [];
    heldBytes = 0;
    const [first] = leaving;
    if (leaving.length === 1) response.write(first);
    else if (bytes <= COPY_BYTES) response.write(Buffer.concat(leaving, bytes));
    else {
      response.cork();
      for (const piece of leaving) response.write(piece);
      response.uncork();
    }
    if (response.writableLength <= highWaterMarkBytes) release();
  }

  function release(): void {
    waiting?.resolve();
    waiting = undefined;
  }

  response.on("drain", release);

  return {
    send: (bytes) => {
      if (settled) return false;
      if (pieces.length === 0) setImmediate(flush);
      return hold(envelopes.one(bytes));
    },
    sendBatch: (batch) => {
      if (settled || (batch.frames.length === 0 && batch.last === undefined)) return !settled;
      // A batch contains everything of a turn, so it need not wait for the end of another.
      if (!leavesNow) {
        leavesNow = true;
        process.nextTick(flush);
      }
      return hold(envelopes.batch(batch));
    },
    writable: () => {
      if (settled || bufferedBytes() <= highWaterMarkBytes) return Promise.resolve();
      waiting ??= withResolvers();
      return waiting.promise;
    },
    flush,
    settle: () => {
      settled = true;
      pieces = [];
      heldBytes = 0;
      release();
    },
  };
}
