// The read side of every connection: frames as they come in, for the connection's one reader. The frames that the reader does not take yet wait here,
// and meanwhile nothing is read from the peer.
import type { Fault } from "../../src/base/errors.js";
import type { FrameReader } from "../../src/contracts/transport.js";

/** Most frames that an iteration returns at a time. */
const MOST_AT_ONCE = 256;

export class FrameQueue<Frame> {
  private waiting: Frame[] = [];
  private reader: FrameReader<Frame> | undefined;
  private iteration: AsyncIterable<readonly Frame[]> | undefined;
  private isTaking = false;
  private ending: { readonly fault: Fault | undefined } | undefined;
  private tellFirst: (() => void) | undefined;

  private readonly wanted: () => void;

  /** `wanted`: called whenever the reader has taken everything and takes more. */
  constructor(wanted: () => void) {
    this.wanted = wanted;
  }

  /** Takes a frame, and hands it on if the reader takes it. Returns whether more are wanted. */
  push(frame: Frame): boolean {
    if (this.ending !== undefined) return false;
    if (this.isTaking && this.waiting.length === 0) this.isTaking = this.reader?.take(frame) === true;
    else this.waiting.push(frame);
    this.tellFirst?.();
    return this.isTaking && this.waiting.length === 0;
  }

  /** Whether a frame waits, or the reader has taken one and takes no more at present. */
  get isFull(): boolean {
    return this.waiting.length > 0 || (!this.isTaking && this.reader !== undefined);
  }

  /** Frames that the reader has not taken yet. */
  get waitingCount(): number {
    return this.waiting.length;
  }

  /** No frame follows: the peer has ended, or a fault ends the frames. Frames that wait are taken first. Only the first call counts. */
  end(fault?: Fault): void {
    this.ending ??= { fault };
    this.tellFirst?.();
    this.tellEnd();
  }

  /** Drops what waits, and ends the frames without a fault. */
  stop(): void {
    this.waiting = [];
    this.isTaking = true;
    this.end();
  }

  isOpen(): boolean {
    return this.ending === undefined;
  }

  /** As `Connection.read`. */
  read(reader: FrameReader<Frame>): void {
    this.reader = reader;
    this.readOn();
  }

  /** As `Connection.readOn`. */
  readOn(): void {
    const { reader, waiting } = this;
    if (reader === undefined) return;
    this.isTaking = true;
    let taken = 0;
    // The loop ends before the end of the list.
    for (; this.isTaking && taken < waiting.length; taken += 1) this.isTaking = reader.take(waiting[taken] as Frame);
    // A reader that closed its connection has dropped what waited.
    if (this.waiting === waiting && taken > 0) this.waiting = waiting.slice(taken);
    if (!this.isTaking) return;
    if (this.ending === undefined) this.wanted();
    else this.tellEnd();
  }

  /** As `PeekableConnection.peek`. */
  async peek(): Promise<readonly Frame[]> {
    if (this.waiting.length === 0 && this.ending === undefined) {
      await new Promise<void>((resolve) => {
        this.tellFirst = resolve;
        this.wanted();
      });
      this.tellFirst = undefined;
    }
    if (this.waiting.length === 0 && this.ending?.fault !== undefined) throw this.ending.fault;
    return this.waiting.slice();
  }

  /** As `Connection.frames`. */
  get frames(): AsyncIterable<readonly Frame[]> {
    this.iteration ??= this.iterate();
    return this.iteration;
  }

  /** Told in a microtask, so that a reader which closes its connection is not told in the middle of that. */
  private tellEnd(): void {
    const { reader, ending } = this;
    if (reader === undefined || ending === undefined || !this.isTaking || this.waiting.length > 0) return;
    this.reader = undefined;
    queueMicrotask(() => reader.end(ending.fault));
  }

  private async *iterate(): AsyncGenerator<readonly Frame[], void, undefined> {
    for (;;) {
      const frames = (await this.peek()).slice(0, MOST_AT_ONCE);
      if (frames.length === 0) return;
      this.waiting = this.waiting.slice(frames.length);
      yield frames;
    }
  }
}
