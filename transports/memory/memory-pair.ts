// Two connections joined back to back in this process: for tests, and for programs that embed the daemon. Any kind of frame.
import { Fault } from "../../src/base/errors.js";
import { withResolvers } from "../../src/base/with-resolvers.js";
import type { CloseInfo, FrameBatch, PeekableConnection } from "../../src/contracts/transport.js";

export interface MemoryOptions {
  /** Frames that may wait for the other end before `send` answers false. 1 and up. Default 64. */
  readonly capacityFrames?: number;
  /** Most frames that may wait in all. A sender that continues after a false breaks the connection there (`peer_gone`). Default 65,536. */
  readonly maxWaitingFrames?: number;
  /** For labels: "memory#1a" and "memory#1b". Default "1". */
  readonly name?: string;
}

export interface MemoryPair<Frame> {
  readonly first: PeekableConnection<Frame>;
  readonly second: PeekableConnection<Frame>;
  /** Ends both abruptly, like a killed process. */
  readonly sever: () => void;
}

type Frames<Frame> = readonly Frame[];

/** One direction: the frames handed over by its sender and not yet taken by its receiver. */
interface Channel<Frame> {
  readonly push: (frames: Frames<Frame>) => void;
  readonly waitingFrames: () => number;
  readonly hasEnded: () => boolean;
  readonly writable: () => Promise<void>;
  readonly frames: AsyncIterable<Frames<Frame>>;
  /** Ends the channel. With a fault the iteration throws it; `discard` drops the waiting frames. */
  readonly end: (discard: boolean, fault?: Fault) => void;
}

export function createMemoryPair<Frame>(options: MemoryOptions = {}): MemoryPair<Frame> {
  const capacityFrames = assertCount("capacityFrames", options.capacityFrames ?? 64);
  const maxWaitingFrames = assertCount("maxWaitingFrames", options.maxWaitingFrames ?? 65_536);
  const name = options.name ?? "1";
  const there = createChannel<Frame>(capacityFrames);
  const back = createChannel<Frame>(capacityFrames);
  const sever = () => {
    first.breakOff();
    second.breakOff();
  };
  const limits = { capacityFrames, maxWaitingFrames, sever };
  const first = createEnd(`memory#${name}a`, back, there, limits);
  const second = createEnd(`memory#${name}b`, there, back, limits);
  return { first: first.connection, second: second.connection, sever };
}

function assertCount(option: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 1) return value;
  throw new Fault("usage", `${option} is ${value}. Give a whole number from 1 on.`, { origin: "local" });
}

interface Limits {
  readonly capacityFrames: number;
  readonly maxWaitingFrames: number;
  readonly sever: () => void;
}

interface End<Frame> {
  readonly connection: PeekableConnection<Frame>;
  readonly breakOff: () => void;
}

function createEnd<Frame>(
  label: string,
  incoming: Channel<Frame>,
  outgoing: Channel<Frame>,
  limits: Limits,
): End<Frame> {
  const { promise: closed, resolve: tellClosed } = withResolvers<CloseInfo>();
  let open = true;
  let peerEnded = false;

  function send(frames: Frames<Frame>): boolean {
    if (!open) return false;
    if (outgoing.hasEnded()) {
      // The peer has closed: sending ends this side too, as on a broken pipe.
      finish({ kind: "remote" });
      return false;
    }
    outgoing.push(frames);
    if (outgoing.waitingFrames() > limits.maxWaitingFrames) limits.sever();
    return open && outgoing.waitingFrames() <= limits.capacityFrames;
  }

  function finish(info: CloseInfo): void {
    if (!open) return;
    open = false;
    tellClosed(info);
  }

  const { frames, peek } = reading(incoming.frames, () => {
    peerEnded = true;
  });
  return {
    connection: {
      peer: { label, trust: "in-process" },
      frames,
      peek,
      send: (frame) => send([frame]),
      sendBatch: ({ frames, last }: FrameBatch<Frame>) => send(last === undefined ? frames : [...frames, last]),
      writable: () => (open ? outgoing.writable() : Promise.resolve()),
      close: async (fault) => {
        const kind = peerEnded ? "remote" : "local";
        finish(fault === undefined ? { kind } : { kind, fault });
        outgoing.end(false);
        incoming.end(true);
        await closed;
      },
      closed,
    },
    breakOff: () => {
      if (!open) return;
      const fault = new Fault("peer_gone", `The connection to ${label} was severed. Connect again to go on.`);
      finish({ kind: "abrupt", fault });
      incoming.end(false, fault);
      outgoing.end(true, fault);
    },
  };
}

function reading<Frame>(
  frames: AsyncIterable<Frames<Frame>>,
  onEnd: () => void,
): Pick<PeekableConnection<Frame>, "frames" | "peek"> {
  const source = frames[Symbol.asyncIterator]();
  /** Read by `peek`, and returned again by the iteration. */
  let peeked: Promise<IteratorResult<Frames<Frame>>> | undefined;
  const next = async (): Promise<IteratorResult<Frames<Frame>>> => {
    const result = await source.next();
    if (result.done === true) onEnd();
    return result;
  };
  const iterator: AsyncIterator<Frames<Frame>> = {
    next: () => {
      const first = peeked;
      peeked = undefined;
      return first ?? next();
    },
    return: () => Promise.resolve({ done: true, value: undefined }),
  };
  return {
    frames: { [Symbol.asyncIterator]: () => iterator },
    peek: async () => {
      peeked = next();
      const { done, value } = await peeked;
      return done === true ? [] : value;
    },
  };
}

function createChannel<Frame>(capacityFrames: number): Channel<Frame> {
  let waiting: Frame[] = [];
  let ended = false;
  let fault: Fault | undefined;
  let wakeReceiver: () => void = () => {};
  let sendersWaiting: (() => void)[] = [];

  function release(): void {
    const released = sendersWaiting;
    sendersWaiting = [];
    for (const go of released) go();
  }

  async function* read(): AsyncGenerator<Frames<Frame>> {
    for (;;) {
      if (waiting.length > 0) {
        const taken = waiting;
        waiting = [];
        release();
        yield taken;
      } else if (fault !== undefined) {
        throw fault;
      } else if (ended) {
        return;
      } else {
        await new Promise<void>((resolve) => {
          wakeReceiver = resolve;
        });
      }
    }
  }

  return {
    push: (frames) => {
      for (const frame of frames) waiting.push(frame);
      wakeReceiver();
    },
    waitingFrames: () => waiting.length,
    hasEnded: () => ended,
    writable: () => {
      if (ended || waiting.length <= capacityFrames) return Promise.resolve();
      return new Promise((resolve) => {
        sendersWaiting.push(resolve);
      });
    },
    frames: { [Symbol.asyncIterator]: read },
    end: (discard, because) => {
      if (discard) waiting = [];
      if (!ended) fault = because;
      ended = true;
      wakeReceiver();
      release();
    },
  };
}
