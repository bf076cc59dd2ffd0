import type { Readable } from "node:stream";
import type { Fault } from "../../src/base/errors.js";
import type { FrameDecoder } from "./decoder.js";
import { beginReading, stopReading } from "./stream-listeners.js";

/** The read side of a byte connection. It reads on only while the consumer takes frames, and holds at most the frames of two reads. */
export interface Inbox {
  /** The frames of one read, at most `MOST_FRAMES_AT_ONCE` at a time, each part in a turn of the event loop of its own. */
  readonly frames: AsyncIterable<readonly Uint8Array[]>;
  /** As `PeekableConnection.peek`. */
  readonly peek: () => Promise<Batch>;
  /** Takes a chunk of the stream. Returns the decoder's fault, once, if the stream is lost. */
  readonly take: (chunk: Uint8Array) => Fault | undefined;
  /** Reports the end of the peer's stream. Returns the decoder's fault if that was inside a frame. Called once, and not after a fault. */
  readonly end: () => Fault | undefined;
  /** Whether the iteration goes on. */
  readonly isOpen: () => boolean;
  /** Ends the iteration without an error, and drops further input. */
  readonly stop: () => void;
  /** Ends the iteration with `fault`, after the frames already read. */
  readonly fail: (fault: Fault) => void;
}

type Batch = readonly Uint8Array[];

/** A read of this size is one of many. Node would start the next read in the same turn; pausing lets other peers come first. */
const LARGE_READ_BYTES = 32 * 1024;

/** One read of 64 KiB can bring 32,768 frames: handled in one turn, they would delay all other peers for seconds. */
export const MOST_FRAMES_AT_ONCE = 256;

type Ending =
  | { readonly kind: "open" }
  | { readonly kind: "done" }
  | { readonly kind: "failed"; readonly fault: Fault };

const OPEN: Ending = { kind: "open" };
const DONE: Ending = { kind: "done" };
const NOTHING_READ: readonly Batch[] = [];

export function createInbox(stream: Readable, decoder: FrameDecoder): Inbox {
  return new StreamInbox(stream, decoder);
}

/** A class, because each connection has one. It is its own iterator, because there is only one iteration. */
class StreamInbox implements Inbox, AsyncIterable<Batch>, AsyncIterator<Batch> {
  private readonly stream: Readable;
  private readonly decoder: FrameDecoder;
  private read = NOTHING_READ;
  // Read by `peek`, and returned again by the iteration.
  private peeked: Promise<IteratorResult<Batch>> | undefined;
  private ending = OPEN;
  // The unanswered request of the consumer.
  private resolve: ((result: IteratorResult<Batch>) => void) | undefined;
  private reject: ((fault: Fault) => void) | undefined;
  private listening = false;
  private paused = false;

  constructor(stream: Readable, decoder: FrameDecoder) {
    this.stream = stream;
    this.decoder = decoder;
  }

  get frames(): AsyncIterable<Batch> {
    return this;
  }

  [Symbol.asyncIterator](): AsyncIterator<Batch> {
    return this;
  }

  peek(): Promise<Batch> {
    const peeked = this.next();
    this.peeked = peeked;
    return peeked.then(batchIn);
  }

  next(): Promise<IteratorResult<Batch>> {
    const { peeked } = this;
    if (peeked !== undefined) {
      this.peeked = undefined;
      return peeked;
    }
    return new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
      if (this.read.length > 0) {
        // The rest of a read: other peers come first.
        setImmediate(answerLater, this);
        return;
      }
      this.answer();
      if (this.resolve === undefined) return;
      if (!this.listening) {
        this.listening = true;
        beginReading(this.stream);
        this.stream.resume();
      } else if (this.paused) setImmediate(resumeLater, this);
    });
  }

  return(): Promise<IteratorResult<Batch>> {
    this.stream.pause();
    return Promise.resolve({ done: true, value: undefined });
  }

  take(chunk: Uint8Array): Fault | undefined {
    if (this.ending.kind !== "open") return undefined;
    const isBusy = this.resolve === undefined;
    const { frames, fault } = this.decoder.push(chunk);
    if (frames.length > 0)
      this.read = this.read.length === 0 ? batchesOf(frames) : [...this.read, ...batchesOf(frames)];
    if (fault !== undefined) this.ending = { kind: "failed", fault };
    this.answer();
    // The consumer is busy, so the peer waits too. A consumer that was waiting is usually done before the next read, so the stream continues.
    if (this.resolve === undefined && (isBusy || this.read.length > 0 || chunk.length >= LARGE_READ_BYTES)) {
      this.paused = true;
      this.stream.pause();
    }
    return fault;
  }

  end(): Fault | undefined {
    const fault = this.decoder.end();
    this.ending = fault === undefined ? DONE : { kind: "failed", fault };
    this.answer();
    return fault;
  }

  isOpen(): boolean {
    return this.ending.kind === "open";
  }

  stop(): void {
    this.read = NOTHING_READ;
    this.peeked = undefined;
    this.ending = DONE;
    stopReading(this.stream);
    this.stream.resume();
    this.answer();
  }

  fail(fault: Fault): void {
    if (this.isOpen()) this.ending = { kind: "failed", fault };
    this.answer();
  }

  /** Continues reading. */
  resume(): void {
    if (!this.paused) return;
    this.paused = false;
    this.stream.resume();
  }

  /** Answers the waiting consumer, if there is anything to return. */
  answer(): void {
    const { resolve, reject, ending } = this;
    if (resolve === undefined || reject === undefined) return;
    const [batch] = this.read;
    if (batch === undefined && ending.kind === "open") return;
    this.resolve = undefined;
    this.reject = undefined;
    if (batch !== undefined) {
      this.read = this.read.length === 1 ? NOTHING_READ : this.read.slice(1);
      resolve({ done: false, value: batch });
    } else if (ending.kind === "failed") {
      this.ending = DONE;
      reject(ending.fault);
    } else resolve({ done: true, value: undefined });
  }
}

function resumeLater(inbox: StreamInbox): void {
  inbox.resume();
}

function answerLater(inbox: StreamInbox): void {
  inbox.answer();
}

function batchIn({ done, value }: IteratorResult<Batch>): Batch {
  return done === true ? [] : value;
}

function batchesOf(frames: Batch): readonly Batch[] {
  if (frames.length <= MOST_FRAMES_AT_ONCE) return [frames];
  const batches: Batch[] = [];
  for (let at = 0; at < frames.length; at += MOST_FRAMES_AT_ONCE)
    batches.push(frames.slice(at, at + MOST_FRAMES_AT_ONCE));
  return batches;
}
