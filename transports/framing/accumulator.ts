/** Bytes of one unfinished frame. Grows by doubling, so that any number of small appends costs a constant number of copies a byte. */
export interface Accumulator {
  readonly length: () => number;
  /** Copies `bytes`. `expected` is the final length, if known: no room is made beyond it. */
  readonly append: (bytes: Uint8Array, expected?: number) => void;
  /** The bytes appended so far. Valid until the next append. */
  readonly view: () => Uint8Array;
  /** Hands the bytes over and forgets them: no buffer outlives its frame. */
  readonly take: () => Uint8Array;
}

const SMALLEST_BYTES = 512;
const NO_BYTES = Buffer.alloc(0);

export function createAccumulator(): Accumulator {
  return new GrowingBuffer();
}

/** A class, because each connection has one. */
class GrowingBuffer implements Accumulator {
  private room: Buffer = NO_BYTES;
  private used = 0;

  length(): number {
    return this.used;
  }

  append(bytes: Uint8Array, expected = Number.POSITIVE_INFINITY): void {
    const needed = this.used + bytes.length;
    if (needed > this.room.length) {
      const larger = Buffer.allocUnsafeSlow(
        Math.max(needed, Math.min(expected, Math.max(SMALLEST_BYTES, this.room.length * 2))),
      );
      larger.set(this.view());
      this.room = larger;
    }
    this.room.set(bytes, this.used);
    this.used = needed;
  }

  view(): Uint8Array {
    return this.room.subarray(0, this.used);
  }

  take(): Uint8Array {
    const taken = this.view();
    this.room = NO_BYTES;
    this.used = 0;
    return taken;
  }
}
