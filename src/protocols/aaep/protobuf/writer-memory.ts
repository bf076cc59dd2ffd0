// What writers write into, and where what they have written is kept.

const FIRST_CAPACITY = 1024;
/** A larger one is not kept for the next message. */
const MOST_KEPT = 64 * 1024;
/** Small messages are cut from blocks of so many bytes, as the platform's small buffers are: memory of its own costs more than what is in it. */
const BLOCK = 16 * 1024;
const MOST_SHARED = 2 * 1024;

export interface WriterMemory {
  /** Bytes to write into; nobody else has them until they are given back, and a writer that never finishes keeps them. */
  readonly take: () => Uint8Array;
  readonly giveBack: (bytes: Uint8Array) => void;
  /** A copy of the first `length` bytes, for good. */
  readonly copyOf: (bytes: Uint8Array, length: number) => Uint8Array;
}

export function createWriterMemory(): WriterMemory {
  /** What the last message was written into. */
  let spare: Uint8Array | undefined;
  let block = new Uint8Array(0);
  let blockUsed = 0;

  return {
    take: () => {
      const bytes = spare ?? new Uint8Array(FIRST_CAPACITY);
      spare = undefined;
      return bytes;
    },
    giveBack: (bytes) => {
      if (bytes.length <= MOST_KEPT) spare = bytes;
    },
    copyOf: (bytes, length) => {
      if (length > MOST_SHARED) return bytes.slice(0, length);
      if (blockUsed + length > block.length) {
        block = new Uint8Array(BLOCK);
        blockUsed = 0;
      }
      const copy = block.subarray(blockUsed, blockUsed + length);
      copy.set(bytes.subarray(0, length));
      blockUsed += length;
      return copy;
    },
  };
}
