// A Connection over a pair of Node streams: a socket, or the two ends of stdio. decoder.ts cuts frames, frame-queue.ts hands them to the reader,
// outbox.ts writes; this file manages the life of the connection.
import type { Readable, Writable } from "node:stream";
import { Fault } from "../../src/base/errors.js";
import type { Millis } from "../../src/contracts/clock.js";
import type {
  CloseInfo,
  FrameBatch,
  FrameReader,
  PeekableConnection,
  PeerIdentity,
} from "../../src/contracts/transport.js";
import { faultFromNodeError } from "../node-errors.js";
import { doesNotRead } from "./back-pressure.js";
import { FrameDecoder } from "./decoder.js";
import { FrameQueue } from "./frame-queue.js";
import { type Framing, join } from "./framings.js";
import {
  type ByteConnectionOptions,
  type ResolvedByteConnectionOptions,
  resolveByteConnectionOptions,
} from "./options.js";
import { kept, Outbox, type OutboxOwner } from "./outbox.js";

/** The two directions; a duplex stream is passed as both. A socket must have been made with `allowHalfOpen`. */
export interface ByteStreams {
  readonly readable: Readable;
  readonly writable: Writable;
}

/** How long `close` waits for the peer's own end, so that the peer sees an orderly one. */
const LINGER_MS: Millis = 250;

/**
 * Creates a connection to one peer. It reads only while its reader takes frames, answers in the peer's framing (R23), and sends everything that is
 * handed over in one turn of the event loop in one write.
 *
 * When the peer ends its side, the frames end and sending goes on until `close` is called. The same happens after a fault of framing, so that the
 * peer can be told (R33). A connection that breaks closes by itself.
 */
export function createByteConnection(
  streams: ByteStreams,
  peer: PeerIdentity,
  options: ByteConnectionOptions = {},
): PeekableConnection<Uint8Array> {
  return new ByteConnection(streams, peer, resolveByteConnectionOptions(options));
}

class ByteConnection implements PeekableConnection<Uint8Array>, OutboxOwner {
  readonly peer: PeerIdentity;
  readonly closed: Promise<CloseInfo>;
  private readonly readable: Readable;
  private readonly output: Writable;
  private readonly options: ResolvedByteConnectionOptions;
  private readonly decoder: FrameDecoder;
  private readonly inbox = new FrameQueue<Uint8Array>(() => this.wanted());
  private flow: "new" | "flowing" | "paused" = "new";
  private readonly outbox: Outbox;
  private tellClosed: (info: CloseInfo) => void = () => {};
  private state: "open" | "closing" | "closed" = "open";
  private peerEnded = false;
  private lost: Fault | undefined;
  /** The result of the close, once `close` was called. */
  private closing = CLOSED_HERE;
  private cancelDeadline: (() => void) | undefined;

  constructor({ readable, writable }: ByteStreams, peer: PeerIdentity, options: ResolvedByteConnectionOptions) {
    this.peer = peer;
    this.readable = readable;
    this.output = writable;
    this.options = options;
    this.closed = new Promise((resolve) => {
      this.tellClosed = resolve;
    });
    this.decoder = new FrameDecoder(options.maxFrameBytes, options.isLinesOnly);
    this.outbox = new Outbox(writable, this);
    listenTo(readable, writable, this);
  }

  get frames(): AsyncIterable<readonly Uint8Array[]> {
    return this.inbox.frames;
  }

  read(reader: FrameReader<Uint8Array>): void {
    this.inbox.read(reader);
  }

  readOn(): void {
    this.inbox.readOn();
  }

  peek(): Promise<readonly Uint8Array[]> {
    return this.inbox.peek();
  }

  send(frame: Uint8Array): boolean {
    return this.outbox.send(frame);
  }

  sendBatch(batch: FrameBatch<Uint8Array>): boolean {
    return this.outbox.sendBatch(batch);
  }

  writable(): Promise<void> {
    return this.outbox.writable();
  }

  async close(fault?: Fault, withinMs: Millis = this.options.closeTimeoutMs): Promise<void> {
    this.beginClosing(fault, withinMs);
    await this.closed;
  }

  unref(): void {
    for (const stream of [this.readable, this.output]) (stream as { readonly unref?: () => void }).unref?.();
  }

  joined(frames: readonly Uint8Array[]): Buffer {
    return join(this.framing, frames);
  }

  joinedBatch(batch: FrameBatch<Uint8Array>): Buffer {
    const { framing } = this;
    return kept(batch, framing, (frames) => join(framing, frames));
  }

  /** The peer's own, once its first byte has shown it (R23). */
  private get framing(): Framing {
    return this.decoder.framing ?? this.options.framing;
  }

  overflowed(): void {
    this.breakOff(doesNotRead(this.peer));
  }

  took(chunk: Uint8Array): void {
    const fault = this.decoder.push(chunk, this.inbox);
    if (fault !== undefined) {
      this.lost = fault;
      this.inbox.end(fault);
    } else if (this.inbox.isFull && this.state === "open") {
      this.flow = "paused";
      this.readable.pause();
    }
  }

  private wanted(): void {
    if (this.state !== "open" || this.flow === "flowing") return;
    if (this.flow === "new") this.readable.on("data", onData);
    this.flow = "flowing";
    this.readable.resume();
  }

  inputEnded(): void {
    const fault = this.decoder.end();
    if (fault === undefined) this.peerEnded = true;
    else this.lost = fault;
    this.inbox.end(fault);
  }

  failed(error: Error): void {
    this.breakOff(faultFromNodeError(error, this.peer.label));
  }

  inputClosed(): void {
    // A separate standard input closes after its end, while answers still go out (R8a).
    if (!Object.is(this.readable, this.output) && this.readable.readableEnded) return;
    this.gone();
  }

  outputClosed(): void {
    // After everything has left, the peer's own end is awaited.
    if (!this.output.writableFinished) this.gone();
  }

  private gone(): void {
    this.breakOff(new Fault("peer_gone", `The connection to ${this.peer.label} has ended. Connect again to go on.`));
  }

  private finish(info: CloseInfo): void {
    if (this.state === "closed") return;
    this.state = "closed";
    this.cancelDeadline?.();
    this.outbox.settle();
    this.readable.destroy();
    this.output.destroy();
    // A turn later the descriptors are closed as well.
    setImmediate(this.tellClosed, info);
  }

  /** Something broke. After the peer's orderly end, or after our own close, that is no error. */
  private breakOff(fault: Fault): void {
    if (this.state === "closed") return;
    if (this.state === "closing") {
      this.finish(this.closing);
    } else {
      this.inbox.end(fault);
      this.finish(this.peerEnded && fault.code === "peer_gone" ? { kind: "remote" } : { kind: "abrupt", fault });
    }
  }

  private beginClosing(fault: Fault | undefined, withinMs: Millis): void {
    if (this.state !== "open") return;
    this.state = "closing";
    this.closing = closeInfo(this.peerEnded, this.lost, fault);
    const { options } = this;
    this.inbox.stop();
    this.readable.off("data", onData);
    this.readable.resume();
    const finish = (): void => this.finish(this.closing);
    this.cancelDeadline = options.after(withinMs, () => this.finish({ ...this.closing, isCutShort: true }));
    // From here on `send` answers false, and waiting senders are released.
    this.outbox.end(() => {
      if (this.state === "closed") return;
      if (this.peerEnded || this.readable.readableEnded) {
        finish();
        return;
      }
      // The rest of the peer's input is read: unread input would turn our end into a reset for the peer.
      this.cancelDeadline?.();
      this.cancelDeadline = options.after(Math.min(LINGER_MS, withinMs), finish);
      this.readable.once("end", finish);
    });
  }
}

// All streams share their listeners, which find the connection at the stream: listeners of its own would weigh more than everything else that a
// connection remembers. Two marks, because one connection may write to the stream that another reads: the ends of a pipe within one process are one
// stream.
const READER = Symbol("reader");
const WRITER = Symbol("writer");

interface Owned {
  [READER]?: ByteConnection;
  [WRITER]?: ByteConnection;
}

function onData(this: Owned, chunk: Uint8Array): void {
  this[READER]?.took(chunk);
}

function onEnd(this: Owned): void {
  this[READER]?.inputEnded();
}

function onInputError(this: Owned, error: Error): void {
  this[READER]?.failed(error);
}

function onInputClose(this: Owned): void {
  this[READER]?.inputClosed();
}

function onOutputError(this: Owned, error: Error): void {
  this[WRITER]?.failed(error);
}

function onOutputClose(this: Owned): void {
  this[WRITER]?.outputClosed();
}

/** Reports everything but data to `owner`. A stream keeps its one reader and its one writer for ever. */
function listenTo(readable: Readable & Owned, writable: Writable & Owned, owner: ByteConnection): void {
  readable[READER] = owner;
  writable[WRITER] = owner;
  readable.on("error", onInputError).on("close", onInputClose).on("end", onEnd);
  if (Object.is(readable, writable)) return;
  writable.on("error", onOutputError).on("close", onOutputClose);
}

const CLOSED_HERE: CloseInfo = { kind: "local" };

function closeInfo(peerEnded: boolean, lost: Fault | undefined, given: Fault | undefined): CloseInfo {
  if (lost !== undefined) return { kind: "abrupt", fault: lost };
  const kind = peerEnded ? "remote" : "local";
  return given === undefined ? { kind } : { kind, fault: given };
}
