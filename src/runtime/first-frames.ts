import { type Fault, faultFrom } from "../base/errors.js";
import type { Millis } from "../contracts/clock.js";
import type { CloseInfo, Connection, FrameRun, PeerIdentity } from "../contracts/transport.js";

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
  return { first, fault, connection: new BegunConnection(connection, iterator, begun, fault) };
}

type Read<Frame> = IteratorResult<readonly Frame[]>;

/** A connection of which the first read was taken. A class, because there is one for each connection. */
class BegunConnection<Frame> implements Connection<Frame>, AsyncIterator<readonly Frame[]> {
  private readonly whole: Connection<Frame>;
  private readonly iterator: AsyncIterator<readonly Frame[]>;
  // One of the two is given back to whoever asks first.
  private begun: Read<Frame> | undefined;
  private fault: Fault | undefined;

  constructor(
    whole: Connection<Frame>,
    iterator: AsyncIterator<readonly Frame[]>,
    begun: Read<Frame> | undefined,
    fault: Fault | undefined,
  ) {
    this.whole = whole;
    this.iterator = iterator;
    this.begun = begun;
    this.fault = fault;
  }

  get peer(): PeerIdentity {
    return this.whole.peer;
  }

  get frames(): AsyncIterable<readonly Frame[]> {
    return this;
  }

  get closed(): Promise<CloseInfo> {
    return this.whole.closed;
  }

  [Symbol.asyncIterator](): AsyncIterator<readonly Frame[]> {
    return this;
  }

  next(): Promise<Read<Frame>> {
    const { begun, fault } = this;
    this.begun = undefined;
    this.fault = undefined;
    if (fault !== undefined) return Promise.reject(fault);
    return begun === undefined ? this.iterator.next() : Promise.resolve(begun);
  }

  async return(): Promise<Read<Frame>> {
    return (await this.iterator.return?.()) ?? { done: true, value: undefined };
  }

  send(frame: Frame): boolean {
    return this.whole.send(frame);
  }

  sendRun(run: FrameRun<Frame>): boolean {
    return this.whole.sendRun(run);
  }

  writable(): Promise<void> {
    return this.whole.writable();
  }

  close(fault?: Fault, withinMs?: Millis): Promise<void> {
    return this.whole.close(fault, withinMs);
  }
}
