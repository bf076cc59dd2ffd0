const SMALLEST_BYTES = 512;
const NO_BYTES = Buffer.alloc(0);

/** Bytes of one unfinished frame. Grows by doubling, so that any number of small appends costs a constant number of copies a byte. */
export class Accumulator {
  length = 0;
  private room: Buffer = NO_BYTES;

  /** Copies `bytes`. `expected` is the final length, if known: no room is made beyond it. */
  append(bytes: Uint8Array, expected = Number.POSITIVE_INFINITY): void {
    const needed = this.length + bytes.length;
    if (needed > this.room.length) {
      const larger = Buffer.allocUnsafeSlow(
        Math.max(needed, Math.min(expected, Math.max(SMALLEST_BYTES, this.room.length * 2))),
      );
      larger.set(this.view());
      this.room = larger;
    }
    this.room.set(bytes, this.length);
    this.length = needed;
  }

  /** The bytes appended so far. Valid until the next append. */
  view(): Uint8Array {
    return this.room.subarray(0, this.length);
  }

  /** Hands the bytes over and forgets them: no buffer outlives its frame. */
  take(): Uint8Array {
    const taken = this.view();
    this.room = NO_BYTES;
    this.length = 0;
    return taken;
  }
}
