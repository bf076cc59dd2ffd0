import type { FrameBatch } from "../../src/contracts/transport.js";
import type { CallWriter } from "./call-writer.js";

/** The write side of a call, counted in bytes, because the library counts messages of any size. */
export interface CallOutbox {
  /** Returns whether more may be handed over. */
  readonly send: (frame: Uint8Array) => boolean;
  readonly sendBatch: (batch: FrameBatch<Uint8Array>) => boolean;
  readonly writable: () => Promise<void>;
  /** Takes no more, and releases every waiter. Handed-over frames still leave. */
  readonly settle: () => void;
}

export interface CallOutboxOptions {
  readonly highWaterMarkBytes: number;
  readonly maxBufferedBytes: number;
  readonly onOverflow: () => void;
}

export function createCallOutbox(writer: CallWriter, options: CallOutboxOptions): CallOutbox {
  let waitingBytes = 0;
  let isSettled = false;
  let waiters: (() => void)[] = [];

  const isFull = (): boolean => waitingBytes > options.highWaterMarkBytes;

  function release(): void {
    if (!isSettled && isFull()) return;
    const released = waiters;
    waiters = [];
    for (const go of released) go();
  }

  function write(bytes: Buffer): void {
    waitingBytes += bytes.length;
    writer.write(bytes, () => {
      waitingBytes -= bytes.length;
      release();
    });
  }

  function written(): boolean {
    if (waitingBytes > options.maxBufferedBytes) options.onOverflow();
    return !isSettled && !isFull();
  }

  return {
    send: (frame) => {
      if (isSettled) return false;
      write(writer.ofFrame(frame));
      return written();
    },
    sendBatch: (batch) => {
      if (isSettled) return false;
      for (const bytes of writer.ofBatch(batch)) write(bytes);
      return written();
    },
    writable: () => {
      if (isSettled || !isFull()) return Promise.resolve();
      return new Promise((resolve) => {
        waiters.push(resolve);
      });
    },
    settle: () => {
      isSettled = true;
      release();
    },
  };
}
