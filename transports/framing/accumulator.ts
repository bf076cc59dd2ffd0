/** Bytes of one unfinished frame. Grows by doubling, so that any number of small appends costs a constant number of copies a byte (S11). */
export interface Accumulator {
  readonly length: () => number;
  /** Copies `bytes`. `expected` is the length it will have in the end, where known: room is never made beyond it. */
  readonly append: (bytes: Uint8Array, expected?: number) => void;
  /** What was appended so far. Valid until the next append. */
  readonly view: () => Uint8Array;
  /** Hands the bytes over and lets go of them: no buffer outlives its frame (V4). */
  readonly take: () => Uint8Array;
}

const SMALLEST_BYTES = 512;
const NO_BYTES = Buffer.alloc(0);

export function createAccumulator(): Accumulator {
  let room: Buffer = NO_BYTES;
  let length = 0;
  return {
    length: () => length,
    append: (bytes, expected = Number.POSITIVE_INFINITY) => {
      const needed = length + bytes.length;
      if (needed > room.length) {
        const larger = Buffer.allocUnsafeSlow(
          Math.max(needed, Math.min(expected, Math.max(SMALLEST_BYTES, room.length * 2))),
        );
        larger.set(room.subarray(0, length));
        room = larger;
      }
      room.set(bytes, length);
      length = needed;
    },
    view: () => room.subarray(0, length),
    take: () => {
      const taken = room.subarray(0, length);
      room = NO_BYTES;
      length = 0;
      return taken;
    },
  };
}
