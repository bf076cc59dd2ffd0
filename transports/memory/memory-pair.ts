// Two connections joined back to back in this process: for tests, and for programs that embed the daemon. Any kind of frame.
import { Fault, usage } from "../../src/base/errors.js";
import { withResolvers } from "../../src/base/with-resolvers.js";
import type { CloseInfo, FrameBatch, PeekableConnection } from "../../src/contracts/transport.js";
import { FrameQueue } from "../framing/frame-queue.js";

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
  /** The receiver's side. */
  readonly queue: FrameQueue<Frame>;
  /** Ends the channel. With a fault the frames break off; `discard` drops those that wait. */
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
  throw usage(`${option} is ${value}. Give a whole number from 1 on.`);
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
    open = false;
    tellClosed(info);
  }

  return {
    connection: {
      peer: { label, trust: "in-process" },
      read: (reader) => incoming.queue.read(reader),
      readOn: () => incoming.queue.readOn(),
      frames: incoming.queue.frames,
      peek: () => incoming.queue.peek(),
      send: (frame) => send([frame]),
      sendBatch: ({ frames, last }: FrameBatch<Frame>) => send(last === undefined ? frames : [...frames, last]),
      writable: () => (open ? outgoing.writable() : Promise.resolve()),
      close: async (fault) => {
        const kind = incoming.hasEnded() ? "remote" : "local";
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

function createChannel<Frame>(capacityFrames: number): Channel<Frame> {
  let waiting: Frame[] = [];
  let ended: { readonly fault: Fault | undefined } | undefined;
  let isWanted = false;
  let sendersWaiting: (() => void)[] = [];
  const queue = new FrameQueue<Frame>(() => {
    isWanted = true;
    deliverLater();
  });

  /** Not within the sender's call: its peer is elsewhere. */
  function deliverLater(): void {
    queueMicrotask(deliver);
  }

  function deliver(): void {
    let taken = 0;
    for (; isWanted && taken < waiting.length; taken += 1) {
      isWanted = false;
      // The loop ends before the end of the list.
      isWanted = queue.push(waiting[taken] as Frame);
    }
    waiting = waiting.slice(taken);
    if (taken > 0) release();
    if (waiting.length === 0 && ended !== undefined) queue.end(ended.fault);
  }

  function release(): void {
    const released = sendersWaiting;
    sendersWaiting = [];
    for (const go of released) go();
  }

  return {
    queue,
    push: (frames) => {
      for (const frame of frames) waiting.push(frame);
      if (isWanted) deliverLater();
    },
    waitingFrames: () => waiting.length,
    hasEnded: () => ended !== undefined,
    writable: () => {
      if (ended !== undefined || waiting.length <= capacityFrames) return Promise.resolve();
      return new Promise((resolve) => {
        sendersWaiting.push(resolve);
      });
    },
    end: (discard, fault) => {
      ended ??= { fault };
      if (discard) {
        waiting = [];
        queue.stop();
      }
      deliverLater();
      release();
    },
  };
}
