// One direction of a proxy: bytes go from a source to a sink unchanged. Their lines are read on the side, and lines of our own come between them.
import type { Readable, Writable } from "node:stream";
import { createLateReading, type LateReading } from "./late-reading.js";

/** Bytes of a line that its reader gets by default. */
export const MOST_READ_BYTES = 1024 * 1024;

/** Pieces of a line that are put together: each costs as much memory as some hundred bytes. */
const MOST_SMALL_PIECES = 1024;
/** Most bytes of our own lines that wait for the sink. A peer that lets more wait reads nothing. */
const MOST_INJECTED_BYTES = 32 * 1024 * 1024;

const LINE_FEED = 0x0a;

export type Verdict = "pass" | "swallow";

/** Reads the lines of one direction. The fault of a reader that throws is reported, and the line passes. */
export interface LineReader {
  /**
   * Whether the lines that begin in the next chunk wait for the verdict of `read`. Other lines pass as their bytes come, and are read later. That
   * must not make this true.
   */
  readonly holds: () => boolean;
  /** Bytes of a line that it gets at most. Default: 1 MiB. */
  readonly mostBytes?: number;
  /**
   * Reads a line, with its end if it has one. Of a line that is too long it gets the beginning, and `isWhole` is false. The verdict counts for held
   * lines only.
   */
  readonly read: (line: Buffer, isWhole: boolean) => Verdict;
}

export interface RelayOptions {
  readonly source: Readable;
  readonly sink: Writable;
  readonly reader: LineReader;
  /** Has the lines that pass read. Two directions that share it have theirs read in one order. Default: one of its own. */
  readonly late?: LateReading;
  /** Receives what a reader has thrown. Must not throw. */
  readonly onFault: (caught: unknown) => void;
}

export type LineRelay = ReturnType<typeof relayLines>;

/** Begins to pass on. The source is read only as fast as the sink takes. Whichever side fails, the other one is told by the end of its pipe. */
export function relayLines(options: RelayOptions) {
  const { source, sink } = options;
  const relay = new Relay(options);
  source.on("data", (chunk: Buffer) => relay.take(chunk));
  /** Resolves when the source has ended or one side has failed, and the sink has been handed everything. */
  const ended = new Promise<void>((resolve) => {
    const end = (): void => {
      relay.end();
      resolve();
    };
    source.once("end", end).once("error", end).once("close", end);
    sink.on("error", () => {
      // The writer at the other side learns that nobody reads, as it would without a proxy.
      source.destroy();
      end();
    });
  });
  return {
    /**
     * Writes a line of our own, without its end, as soon as no other line is under way. After the end of the source it is dropped. Where more than
     * 32 MiB wait for the sink, the sink is closed.
     */
    inject: (line: string) => relay.inject(line),
    /** Whether the sink takes: nothing waits for it. */
    isFlowing: () => relay.isFlowing(),
    ended,
  };
}

class Relay {
  readonly #options: RelayOptions;
  readonly #mostBytes: number;
  readonly #late: LateReading;
  /** The beginning of the line that is under way, for its reader. */
  #pieces: Buffer[] = [];
  #bytes = 0;
  /** The last pieces, which were not put together yet. */
  #smallCount = 0;
  /** The beginning was read, because the line is too long. */
  #isRead = false;
  /** The line that is under way waits for its verdict, or is swallowed. */
  #waits: "held" | "swallowed" | undefined;
  /** The sink has a part of the line that is under way. */
  #isMidLine = false;
  #injected: string[] = [];
  #injectedLength = 0;
  #isFull = false;
  #hasEnded = false;

  constructor(options: RelayOptions) {
    this.#options = options;
    this.#mostBytes = options.reader.mostBytes ?? MOST_READ_BYTES;
    this.#late = options.late ?? createLateReading();
  }

  take(chunk: Buffer): void {
    if (this.#hasEnded || chunk.length === 0) return;
    if (this.#isMidLine) {
      const rest = chunk.indexOf(LINE_FEED) + 1;
      this.#pass(rest === 0 ? chunk : chunk.subarray(0, rest));
      if (rest > 0) this.take(chunk.subarray(rest));
      return;
    }
    if (this.#waits === undefined && !this.#options.reader.holds()) {
      this.#pass(chunk);
      return;
    }
    this.#late.catchUp();
    for (const piece of linesOf(chunk)) this.#hold(piece);
  }

  inject(line: string): void {
    if (this.#hasEnded) return;
    const { sink } = this.#options;
    this.#injectedLength += this.#isMidLine ? line.length : 0;
    if (sink.writableLength + this.#injectedLength > MOST_INJECTED_BYTES)
      sink.destroy(new Error("Nobody takes the lines of this pipe."));
    else if (this.#isMidLine) this.#injected.push(line);
    else this.#write(`${line}\n`);
  }

  isFlowing(): boolean {
    return !this.#isFull;
  }

  end(): void {
    if (this.#hasEnded) return;
    this.#late.catchUp();
    // A last line without its end.
    const isHeld = this.#waits === "held";
    if (this.#pieces.length > 0 && !this.#isRead && this.#verdict(true) === "pass" && isHeld) this.#writePieces();
    this.#hasEnded = true;
    this.#forget();
  }

  #pass(chunk: Buffer): void {
    this.#isMidLine = !endsLine(chunk);
    this.#write(chunk);
    this.#writeInjected();
    this.#late.add(() => this.#readPassed(chunk));
  }

  #readPassed(chunk: Buffer): void {
    for (const piece of linesOf(chunk)) {
      if (!this.#isRead && this.#keep(piece) === "too-long") {
        this.#verdict(false);
        this.#forget();
        this.#isRead = true;
      }
      if (!endsLine(piece)) continue;
      if (!this.#isRead) this.#verdict(true);
      this.#forget();
    }
  }

  #hold(piece: Buffer): void {
    const isEnd = endsLine(piece);
    if (this.#waits !== "swallowed") {
      this.#waits = "held";
      const isTooLong = this.#keep(piece) === "too-long";
      if (!isTooLong && !isEnd) return;
      if (this.#verdict(!isTooLong) === "swallow") this.#waits = "swallowed";
      else {
        this.#waits = undefined;
        this.#isMidLine = !isEnd;
        this.#writePieces();
      }
      this.#forget();
      this.#isRead = !isEnd;
    }
    if (!isEnd) return;
    this.#waits = undefined;
    this.#isRead = false;
    this.#writeInjected();
  }

  #keep(piece: Buffer): "kept" | "too-long" {
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    this.#smallCount += 1;
    if (this.#smallCount === MOST_SMALL_PIECES) {
      this.#pieces.push(Buffer.concat(this.#pieces.splice(-MOST_SMALL_PIECES)));
      this.#smallCount = 0;
    }
    return this.#bytes > this.#mostBytes ? "too-long" : "kept";
  }

  #forget(): void {
    this.#pieces = [];
    this.#bytes = 0;
    this.#smallCount = 0;
    this.#isRead = false;
  }

  #verdict(isWhole: boolean): Verdict {
    const { reader, onFault } = this.#options;
    try {
      const line = Buffer.concat(this.#pieces, Math.min(this.#bytes, this.#mostBytes));
      return reader.read(line, isWhole);
    } catch (caught) {
      onFault(caught);
      return "pass";
    }
  }

  #writePieces(): void {
    for (const piece of this.#pieces) this.#write(piece);
  }

  #writeInjected(): void {
    if (this.#isMidLine || this.#injected.length === 0) return;
    const lines = this.#injected;
    this.#injected = [];
    this.#injectedLength = 0;
    for (const line of lines) this.#write(`${line}\n`);
  }

  #write(bytes: Buffer | string): void {
    const { source, sink } = this.#options;
    if (sink.destroyed || sink.write(bytes) || this.#isFull) return;
    this.#isFull = true;
    source.pause();
    sink.once("drain", () => {
      this.#isFull = false;
      source.resume();
    });
  }
}

function endsLine(bytes: Buffer): boolean {
  return bytes[bytes.length - 1] === LINE_FEED;
}

/** The lines of a chunk, each with its end. The last one may have none. */
function* linesOf(chunk: Buffer): Generator<Buffer> {
  for (let from = 0; from < chunk.length; ) {
    const end = chunk.indexOf(LINE_FEED, from);
    const next = end < 0 ? chunk.length : end + 1;
    yield chunk.subarray(from, next);
    from = next;
  }
}
