import type { Connection } from "../../../src/contracts/transport.js";

/** For an end whose owner iterates over its frames. */
export const ONLY_ITERATED = {
  read: (): never => {
    throw new Error("This end is iterated over.");
  },
  readOn: (): void => undefined,
};

/**
 * Reads until `count` frames have come or the frames end. One call takes over the iteration; what came beyond `count` in the same read is included.
 */
export async function takeFrames<Frame>(frames: AsyncIterator<readonly Frame[]>, count: number): Promise<Frame[]> {
  const taken: Frame[] = [];
  while (taken.length < count) {
    const { done, value } = await frames.next();
    if (done === true) break;
    taken.push(...value);
  }
  return taken;
}

/** Reads to the end, as an owner does: it closes its side when the peer has ended. Answers what was thrown, if anything was. */
export async function drain<Frame>(
  connection: Connection<Frame>,
  onFrames: (frames: readonly Frame[]) => void = () => {},
): Promise<unknown> {
  let thrown: unknown;
  try {
    for await (const frames of connection.frames) onFrames(frames);
  } catch (caught) {
    thrown = caught;
  }
  await connection.close();
  return thrown;
}
