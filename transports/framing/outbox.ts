import type { Writable } from "node:stream";
import type { FrameRun } from "../../src/contracts/transport.js";
import { type Framing, join } from "./framings.js";

/** The write side of a byte connection: what is handed over in one turn of the event loop leaves in one write. */
export interface Outbox {
  /** Answers whether more may be handed over. */
  readonly send: (bytes: Uint8Array) => boolean;
  readonly sendRun: (run: FrameRun<Uint8Array>) => boolean;
  readonly writable: () => Promise<void>;
  /** Hands everything to the stream now. */
  readonly flush: () => void;
  /** Nothing will leave any more: forgets what is held and lets every waiter go on (S9). */
  readonly settle: () => void;
}

export interface OutboxOptions {
  /** Asked at the time of writing, for it can change with the peer's first byte. */
  readonly framing: () => Framing;
  readonly highWaterMarkBytes: number;
  readonly maxBufferedBytes: number;
  readonly onOverflow: () => void;
}

/** Pieces up to this size in all are copied into one buffer, which costs less than a vector of them. */
const COPY_BYTES = 32 * 1024;
/** Room for one frame's framing, for the count of what waits. */
const FRAMING_BYTES = 4;

type Item =
  | { readonly kind: "frame"; readonly bytes: Uint8Array }
  | { readonly kind: "run"; readonly run: FrameRun<Uint8Array> };

export function createOutbox(stream: Writable, options: OutboxOptions): Outbox {
  // Below the stream's own mark there would be no "drain" to wait for.
  const highWaterMarkBytes = Math.max(options.highWaterMarkBytes, stream.writableHighWaterMark);
  let items: Item[] = [];
  let heldBytes = 0;
  let leavesNow = false;
  let settled = false;
  let waiting: { readonly promise: Promise<void>; readonly release: () => void } | undefined;

  const bufferedBytes = () => heldBytes + stream.writableLength;

  function hold(item: Item, bytes: number): boolean {
    if (settled) return false;
    schedule(item.kind);
    items.push(item);
    heldBytes += bytes;
    const buffered = bufferedBytes();
    if (buffered <= highWaterMarkBytes) return true;
    if (buffered > options.maxBufferedBytes) options.onOverflow();
    return false;
  }

  /** A run is what a whole turn has brought together, so it need not wait for another: it leaves once whoever hands it over has ended. */
  function schedule(kind: Item["kind"]): void {
    if (kind === "run" && !leavesNow) {
      leavesNow = true;
      process.nextTick(flush);
    } else if (items.length === 0) setImmediate(flush);
  }

  function flush(): void {
    leavesNow = false;
    if (items.length === 0 || settled) return;
    const framing = options.framing();
    const pieces = piecesOf(items, framing);
    items = [];
    heldBytes = 0;
    write(pieces);
    if (stream.writableLength <= highWaterMarkBytes) release();
  }

  function write(pieces: readonly Buffer[]): void {
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

  function release(): void {
    waiting?.release();
    waiting = undefined;
  }

  stream.on("drain", release);

  return {
    send: (bytes) => hold({ kind: "frame", bytes }, bytes.length + FRAMING_BYTES),
    sendRun: (run) => (settled ? false : hold({ kind: "run", run }, joinedRun(run, options.framing()).length)),
    writable: () => {
      if (settled || bufferedBytes() <= highWaterMarkBytes) return Promise.resolve();
      waiting ??= createWaiting();
      return waiting.promise;
    },
    flush,
    settle: () => {
      settled = true;
      items = [];
      heldBytes = 0;
      release();
    },
  };
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
