import { type Fault, faultFrom } from "../base/errors.js";
import type { Connection } from "../contracts/transport.js";

/** A connection whose first frames are known, so that they can decide who speaks with it (R23). */
export interface Begun<Frame> {
  /** The first read's frames; empty where the peer ended without any. */
  readonly first: readonly Frame[];
  /** What was wrong with the first read. */
  readonly fault: Fault | undefined;
  /** The connection as if nothing had been read of it. A fault of the first read is thrown to whoever iterates. */
  readonly connection: Connection<Frame>;
}

/** Waits for the first frames of a connection. Never rejects. */
export async function awaitFirstFrames<Frame>(connection: Connection<Frame>): Promise<Begun<Frame>> {
  const iterator = connection.frames[Symbol.asyncIterator]();
  let begun: IteratorResult<readonly Frame[]> | undefined;
  let fault: Fault | undefined;
  try {
    begun = await iterator.next();
  } catch (caught) {
    fault = faultFrom(caught);
  }
  const first = begun === undefined || begun.done === true ? [] : begun.value;
  let isReplayed = false;
  const frames: AsyncIterable<readonly Frame[]> = {
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        if (isReplayed) return iterator.next();
        isReplayed = true;
        if (begun === undefined) throw fault;
        return begun;
      },
      return: async () => (await iterator.return?.()) ?? { done: true, value: undefined },
    }),
  };
  return { first, fault, connection: { ...connection, frames } };
}
