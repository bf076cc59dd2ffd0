// The read side of every connection: frames as they come in, for the connection's one reader. The frames that the reader does not take yet wait here,
// and meanwhile nothing is read from the peer.
import type { Fault } from "../../src/base/errors.js";
import type { FrameReader } from "../../src/contracts/transport.js";

/** Most frames that an iteration returns at a time. */
const MOST_AT_ONCE = 256;

export class FrameQueue<Frame> {
  private waiting: Frame[] = [];
  private reader: FrameReader<Frame> | undefined;
  private iteration: FrameIteration<Frame> | undefined;
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
    if (this.isTaking && this.waiting.length === 0) this.hand(frame);
    else this.waiting.push(frame);
    this.tellFirst?.();
    return this.isTaking && this.waiting.length === 0;
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
    this.isTaking = true;
    let taken = 0;
    while (this.isTaking && taken < this.waiting.length) {
      // The loop ends before the end of the list.
      this.hand(this.waiting[taken] as Frame);
      taken += 1;
    }
    if (taken > 0) this.waiting = this.waiting.slice(taken);
    if (!this.isTaking || this.waiting.length > 0) return;
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
    this.iteration ??= new FrameIteration(this);
    return this.iteration;
  }

  private hand(frame: Frame): void {
    this.isTaking = this.reader?.take(frame) === true;
  }

  /** Told in a microtask, so that a reader which closes its connection is not told in the middle of that. */
  private tellEnd(): void {
    const { reader, ending } = this;
    if (reader === undefined || ending === undefined || !this.isTaking || this.waiting.length > 0) return;
    this.reader = undefined;
    queueMicrotask(() => reader.end(ending.fault));
  }
}

/** The frames for a program that takes them in its own time: those of one read at a time. */
class FrameIteration<Frame>
  implements FrameReader<Frame>, AsyncIterable<readonly Frame[]>, AsyncIterator<readonly Frame[]>
{
  private taken: Frame[] = [];
  private ending: { fault: Fault | undefined } | undefined;
  private asked:
    | { readonly resolve: (result: IteratorResult<readonly Frame[]>) => void; readonly reject: (fault: Fault) => void }
    | undefined;
  private isReading = false;

  private readonly queue: FrameQueue<Frame>;

  constructor(queue: FrameQueue<Frame>) {
    this.queue = queue;
  }

  [Symbol.asyncIterator](): AsyncIterator<readonly Frame[]> {
    return this;
  }

  next(): Promise<IteratorResult<readonly Frame[]>> {
    return new Promise((resolve, reject) => {
      this.asked = { resolve, reject };
      if (this.isReading) this.queue.readOn();
      else this.queue.read(this);
      this.isReading = true;
      this.answer();
    });
  }

  take(frame: Frame): boolean {
    if (this.taken.length === 0) queueMicrotask(() => this.answer());
    this.taken.push(frame);
    return this.asked !== undefined && this.taken.length < MOST_AT_ONCE;
  }

  end(fault: Fault | undefined): void {
    this.ending = { fault };
    this.answer();
  }

  private answer(): void {
    const { asked, taken, ending } = this;
    if (asked === undefined || (taken.length === 0 && ending === undefined)) return;
    this.asked = undefined;
    this.taken = [];
    if (taken.length > 0) asked.resolve({ done: false, value: taken });
    else if (ending?.fault === undefined) asked.resolve({ done: true, value: undefined });
    else {
      asked.reject(ending.fault);
      ending.fault = undefined;
    }
  }
}
