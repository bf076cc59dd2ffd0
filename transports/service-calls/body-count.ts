import type { Unfinished } from "../framing/unfinished.js";

/** Counts the bytes that the body of a call has brought and no method has got yet. */
export interface BodyCount {
  /** So many bytes came, and the body now holds `heldBytes`. Default: all that came, as where a method is called at the end of the body. */
  readonly take: (byteCount: number, heldBytes?: number) => void;
  /** The body has ended, or is read no further. */
  readonly end: () => void;
}

/** `giveUp` is called at most once: if the unfinished messages of all connections are too many bytes and this is the oldest. It counts no longer. */
export function countBody(unfinished: Unfinished, giveUp: (mostBytes: number) => void): BodyCount {
  let held = 0;
  let isOver = false;
  const message = {
    giveUp: (mostBytes: number) => {
      isOver = true;
      giveUp(mostBytes);
    },
  };
  return {
    take: (byteCount, heldBytes = held + byteCount) => {
      const isNew = heldBytes < held + byteCount;
      held = heldBytes;
      if (!isOver) unfinished.count(message, held, isNew);
    },
    end: () => {
      isOver = true;
      unfinished.count(message, 0, false);
    },
  };
}
