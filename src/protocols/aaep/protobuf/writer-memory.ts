// Memory of the writers: a buffer to write into, and blocks for the written bytes.

const FIRST_CAPACITY = 1024;
/** A larger buffer is not kept for the next message. */
const MOST_KEPT = 64 * 1024;
/** Small messages are cut from blocks of this size, like the platform's small buffers: separate memory costs more than their contents. */
const BLOCK = 16 * 1024;
const MOST_SHARED = 2 * 1024;

export interface WriterMemory {
  /** Returns a buffer for one writer alone until `giveBack`. A writer that never finishes keeps it. */
  readonly take: () => Uint8Array;
  readonly giveBack: (bytes: Uint8Array) => void;
  /** Returns a permanent copy of the first `length` bytes. */
  readonly copyOf: (bytes: Uint8Array, length: number) => Uint8Array;
}

export function createWriterMemory(): WriterMemory {
  /** The buffer of the last message. */
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
