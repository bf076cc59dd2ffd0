import type { FrameRun } from "../../src/contracts/transport.js";
import { bufferOf, messagesOfRun } from "./run-messages.js";

/** The write side of a call, counted in bytes: the library counts messages, of any size (G1). */
export interface CallOutbox {
  /** Answers whether more may be handed over. */
  readonly send: (frame: Uint8Array) => boolean;
  readonly sendRun: (run: FrameRun<Uint8Array>) => boolean;
  readonly writable: () => Promise<void>;
  /** No more is taken, and every waiter goes on (S9). What was handed over still leaves. */
  readonly settle: () => void;
}

/** What is written to of a call. */
export interface WritableCall {
  readonly write: (message: Buffer, done: () => void) => boolean;
  readonly writableNeedDrain: boolean;
  readonly on: (event: "drain", listener: () => void) => unknown;
}

export interface CallOutboxOptions {
  /** Whether frames put one behind the other are one message. */
  readonly joinsRuns: boolean;
  readonly highWaterMarkBytes: number;
  readonly maxBufferedBytes: number;
  readonly onOverflow: () => void;
}

export function createCallOutbox(call: WritableCall, options: CallOutboxOptions): CallOutbox {
  let waitingBytes = 0;
  let isSettled = false;
  let waiters: (() => void)[] = [];

  const isFull = (): boolean => waitingBytes > options.highWaterMarkBytes || call.writableNeedDrain;

  function release(): void {
    if (!isSettled && isFull()) return;
    const released = waiters;
    waiters = [];
    for (const go of released) go();
  }

  function write(message: Buffer): void {
    waitingBytes += message.length;
    call.write(message, () => {
      waitingBytes -= message.length;
      release();
    });
  }

  function written(): boolean {
    if (waitingBytes > options.maxBufferedBytes) options.onOverflow();
    return !isSettled && !isFull();
  }

  call.on("drain", release);

  return {
    send: (frame) => {
      if (isSettled) return false;
      write(bufferOf(frame));
      return written();
    },
    sendRun: (run) => {
      if (isSettled) return false;
      for (const message of messagesOfRun(run, options.joinsRuns)) write(message);
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
