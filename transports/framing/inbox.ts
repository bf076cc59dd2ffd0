import type { Readable } from "node:stream";
import type { Fault } from "../../src/base/errors.js";
import type { FrameDecoder } from "./decoder.js";
import { beginReading, stopReading } from "./stream-listeners.js";

/** The read side of a byte connection. Reads on only while somebody takes frames; holds at most what two reads brought. */
export interface Inbox {
  /** What one read brought, at most `MOST_FRAMES_AT_ONCE` at a time, each in a turn of the event loop of its own. */
  readonly frames: AsyncIterable<readonly Uint8Array[]>;
  /** As of `PeekableConnection`. */
  readonly peek: () => Promise<Batch>;
  /** Takes what the stream brought. Answers the decoder's fault, once, where the stream is lost. */
  readonly take: (chunk: Uint8Array) => Fault | undefined;
  /** The peer's stream has ended. Answers the decoder's fault where that was in mid-frame. To be called once, and not after a fault. */
  readonly end: () => Fault | undefined;
  /** Whether it goes on. */
  readonly isOpen: () => boolean;
  /** Ends the iteration without an error and throws away what comes in from now on. */
  readonly stop: () => void;
  /** Ends the iteration with `fault`, after the frames already read. */
  readonly fail: (fault: Fault) => void;
}

type Batch = readonly Uint8Array[];

/** A read that brings so much is one of many: others come before the next, which Node would take up in the same turn. */
const LARGE_READ_BYTES = 32 * 1024;

/** One read of 64 KiB can bring 32,768 frames: handled in one turn, they would keep everybody else waiting for seconds. */
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

/** A class, because there is one for each connection. It is its own iterator: there is one iteration only. */
class StreamInbox implements Inbox, AsyncIterable<Batch>, AsyncIterator<Batch> {
  private readonly stream: Readable;
  private readonly decoder: FrameDecoder;
  private read = NOTHING_READ;
  // Read to be looked at, and given back to the iteration.
  private peeked: Promise<IteratorResult<Batch>> | undefined;
  private ending = OPEN;
  // Whoever asked and was not answered yet.
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
        // The rest of a read: others first.
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
    // The consumer is busy: the peer waits with it (G2). One that was waiting is as a rule done before the next read, and need not be waited for.
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

  /** Reads on. */
  resume(): void {
    if (!this.paused) return;
    this.paused = false;
    this.stream.resume();
  }

  /** Gives the waiting consumer what there is to give. */
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
