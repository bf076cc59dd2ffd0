// The client of a stream of the services, in this process: it can say that it says no more, hang up, and stop reading.
import { Fault } from "../../../src/base/errors.js";
import type { CloseInfo, Connection, FrameBatch } from "../../../src/contracts/transport.js";
import { createMemoryPair } from "../../../transports/memory/memory-pair.js";

export interface StreamClient<Frame> {
  readonly send: (frame: Frame) => void;
  /** Says no more, and goes on listening. */
  readonly halfClose: () => void;
  /** As a killed client does. */
  readonly hangUp: () => void;
  readonly stopReading: () => void;
  readonly readOn: () => void;
  /** What came, joined as a transport would. */
  readonly received: readonly Frame[];
  /** How many frames each run had that came as one. */
  readonly runs: readonly (readonly Frame[])[];
  /** Undefined while the stream lasts; else how it ended: "OK", or the code of the fault that it was closed with. */
  readonly status: () => string | undefined;
  /** The fault that it was closed with. */
  readonly fault: () => Fault | undefined;
}

/** What stands for the end of a client's side. */
const END = new Uint8Array(0);

/** A stream as a transport hands it in. `join` makes one message of a run, where runs are joined. */
export function openStream<Frame extends Uint8Array>(
  accept: (connection: Connection<Frame>) => void,
  join: ((frames: readonly Frame[]) => Frame) | undefined,
): StreamClient<Frame> {
  const { first, second, sever } = createMemoryPair<Frame>({ capacityFrames: 4 });
  const runs: (readonly Frame[])[] = [];
  const received: Frame[] = [];
  let status: string | undefined;
  let fault: Fault | undefined;
  let gate: Promise<void> | undefined;
  let open = (): void => {};

  async function* frames(): AsyncGenerator<readonly Frame[]> {
    for await (const batch of first.frames) {
      const end = batch.indexOf(END as Frame);
      if (end === -1) {
        yield batch;
        continue;
      }
      if (end > 0) yield batch.slice(0, end);
      return;
    }
  }

  const end = (info: CloseInfo): void => {
    if (status !== undefined) return;
    fault = info.fault;
    status = info.kind === "abrupt" ? "CANCELLED" : (info.fault?.code ?? "OK");
  };

  accept({
    ...first,
    peer: { label: "stream", trust: "token-holder" },
    frames: { [Symbol.asyncIterator]: frames },
    read: (reader) => {
      let hasEnded = false;
      const end = (fault: Fault | undefined): void => {
        if (!hasEnded) reader.end(fault);
        hasEnded = true;
      };
      first.read({
        take: (frame) => {
          if (frame !== END && !hasEnded) return reader.take(frame);
          end(undefined);
          return true;
        },
        end,
      });
    },
    sendBatch: (batch: FrameBatch<Frame>) => {
      const { frames, last } = batch;
      if (frames.length > 0) runs.push(frames);
      if (join === undefined) return first.sendBatch(batch);
      const messages = [...(frames.length > 0 ? [join(frames)] : []), ...(last === undefined ? [] : [last])];
      return first.sendBatch({ frames: messages, joined: new Map() });
    },
  });
  void first.closed.then(end);

  const read = async (): Promise<void> => {
    try {
      for await (const batch of second.frames) {
        received.push(...batch);
        if (gate !== undefined) await gate;
      }
    } catch (caught) {
      if (!(caught instanceof Fault)) throw caught;
    }
  };
  void read();

  return {
    send: (frame) => void second.send(frame),
    halfClose: () => void second.send(END as Frame),
    hangUp: sever,
    stopReading: () => {
      gate = new Promise((resolve) => {
        open = resolve;
      });
    },
    readOn: () => {
      gate = undefined;
      open();
    },
    received,
    runs,
    status: () => status,
    fault: () => fault,
  };
}
