import type { Writable } from "node:stream";
import type { FrameRun } from "../../src/contracts/transport.js";
import { type Framing, join } from "./framings.js";

/** The write side of a byte connection: what is handed over by one call, and by what that resolves, leaves in one write when it has returned. */
export interface Outbox {
  /** Answers whether more may be handed over. */
  readonly send: (bytes: Uint8Array) => boolean;
  readonly sendRun: (run: FrameRun<Uint8Array>) => boolean;
  readonly writable: () => Promise<void>;
  /** Hands everything to the stream now. */
  readonly flush: () => void;
  /** Lets every waiter go on: to be called when the stream has drained. */
  readonly release: () => void;
  /** Nothing will leave any more: forgets what is held and lets every waiter go on (S9). */
  readonly settle: () => void;
}

export interface OutboxLimits {
  readonly highWaterMarkBytes: number;
  readonly maxBufferedBytes: number;
}

export interface OutboxOwner {
  /** Asked at the time of writing, for it can change with the peer's first byte. */
  readonly framing: () => Framing;
  readonly overflowed: () => void;
}

/** Pieces up to this size in all are copied into one buffer, which costs less than a vector of them. */
const COPY_BYTES = 32 * 1024;
/** Room for one frame's framing, for the count of what waits. */
const FRAMING_BYTES = 4;

type Item =
  | { readonly kind: "frame"; readonly bytes: Uint8Array }
  | { readonly kind: "run"; readonly run: FrameRun<Uint8Array> };

/** Its owner tells it when the stream has drained. */
export function createOutbox(stream: Writable, limits: OutboxLimits, owner: OutboxOwner): Outbox {
  return new StreamOutbox(stream, limits, owner);
}

/** A class, because there is one for each connection. */
class StreamOutbox implements Outbox {
  private readonly stream: Writable;
  private readonly limits: OutboxLimits;
  private readonly owner: OutboxOwner;
  // Undefined while nothing is held.
  private items: Item[] | undefined;
  private heldBytes = 0;
  private settled = false;
  private waiting: { readonly promise: Promise<void>; readonly release: () => void } | undefined;

  constructor(stream: Writable, limits: OutboxLimits, owner: OutboxOwner) {
    this.stream = stream;
    this.limits = limits;
    this.owner = owner;
  }

  send(bytes: Uint8Array): boolean {
    return this.hold({ kind: "frame", bytes }, bytes.length + FRAMING_BYTES);
  }

  sendRun(run: FrameRun<Uint8Array>): boolean {
    return this.settled ? false : this.hold({ kind: "run", run }, joinedRun(run, this.owner.framing()).length);
  }

  writable(): Promise<void> {
    if (this.settled || this.bufferedBytes() <= this.highWaterMarkBytes()) return Promise.resolve();
    this.waiting ??= createWaiting();
    return this.waiting.promise;
  }

  flush(): void {
    const { items } = this;
    if (items === undefined || this.settled) return;
    const framing = this.owner.framing();
    const pieces = piecesOf(items, framing);
    this.items = undefined;
    this.heldBytes = 0;
    this.write(pieces);
    if (this.stream.writableLength <= this.highWaterMarkBytes()) this.release();
  }

  settle(): void {
    this.settled = true;
    this.items = undefined;
    this.heldBytes = 0;
    this.release();
  }

  release(): void {
    this.waiting?.release();
    this.waiting = undefined;
  }

  /** Below the stream's own mark there would be no "drain" to wait for. */
  private highWaterMarkBytes(): number {
    return Math.max(this.limits.highWaterMarkBytes, this.stream.writableHighWaterMark);
  }

  private bufferedBytes(): number {
    return this.heldBytes + this.stream.writableLength;
  }

  private hold(item: Item, bytes: number): boolean {
    if (this.settled) return false;
    if (this.items === undefined) {
      this.items = [item];
      process.nextTick(flushLater, this);
    } else this.items.push(item);
    this.heldBytes += bytes;
    const buffered = this.bufferedBytes();
    if (buffered <= this.highWaterMarkBytes()) return true;
    if (buffered > this.limits.maxBufferedBytes) this.owner.overflowed();
    return false;
  }

  private write(pieces: readonly Buffer[]): void {
    const { stream } = this;
    const [first, second] = pieces;
    if (first === undefined) return;
    if (second === undefined) {
      stream.write(first);
    } else if (pieces.reduce((size, piece) => size + piece.length, 0) <= COPY_BYTES) {
      stream.write(Buffer.concat(pieces));
    } else {
      stream.cork();
      for (const piece of pieces) stream.write(piece);
      stream.uncork();
    }
  }
}

function flushLater(outbox: StreamOutbox): void {
  outbox.flush();
}

function createWaiting(): { readonly promise: Promise<void>; readonly release: () => void } {
  let release = () => {};
  const promise = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { promise, release };
}

/** Made once for each framing and shared by every connection that sends the run. */
function joinedRun(run: FrameRun<Uint8Array>, framing: Framing): Buffer {
  const known = run.joined.get(framing);
  if (known !== undefined) return known as Buffer;
  const joined = join(framing, run.frames);
  run.joined.set(framing, joined);
  return joined;
}

/** Frames that stand side by side are joined; runs are taken as they are, uncopied. */
function piecesOf(items: readonly Item[], framing: Framing): readonly Buffer[] {
  const pieces: Buffer[] = [];
  let single: Uint8Array[] = [];
  for (const item of items) {
    if (item.kind === "frame") {
      single.push(item.bytes);
      continue;
    }
    if (single.length > 0) pieces.push(join(framing, single));
    single = [];
    pieces.push(joinedRun(item.run, framing));
  }
  if (single.length > 0) pieces.push(join(framing, single));
  return pieces;
}
