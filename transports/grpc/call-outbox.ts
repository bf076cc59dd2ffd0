// The write side of a call, counted in bytes, because the library counts messages of any size.
import type { FrameBatch } from "../../src/contracts/transport.js";
import { BackPressure, type BackPressureOwner } from "../framing/back-pressure.js";
import { bufferOf, messagesOf } from "../service-calls/batch-messages.js";
import type { AdmittedCall } from "./gate.js";

export interface CallOutbox {
  /** Returns whether more may be handed over. */
  readonly send: (frame: Uint8Array) => boolean;
  readonly sendBatch: (batch: FrameBatch<Uint8Array>) => boolean;
  readonly writable: () => Promise<void>;
  /** Takes no more, and releases every waiter. Handed-over frames still leave. */
  readonly settle: () => void;
}

export interface CallOutboxOptions extends BackPressureOwner {
  /** Whether concatenated frames are one message. */
  readonly joinsBatches: boolean;
}

/**
 * `below` takes any number of messages at once. The handler's stream of messages would write one, and the next when that has left: much slower where
 * several are ready.
 */
export function createCallOutbox(below: AdmittedCall["below"], options: CallOutboxOptions): CallOutbox {
  let waitingBytes = 0;
  const pressure = new BackPressure(options);

  function send(messages: readonly Buffer[]): boolean {
    if (!pressure.isTaking) return false;
    for (const message of messages) {
      waitingBytes += message.length;
      below.sendMessage(message, () => {
        waitingBytes -= message.length;
        pressure.left(waitingBytes);
      });
    }
    return pressure.hasRoom(waitingBytes);
  }

  return {
    send: (frame) => send([bufferOf(frame)]),
    sendBatch: (batch) => send(messagesIn(batch, options.joinsBatches)),
    writable: () => pressure.writable(waitingBytes),
    settle: () => pressure.end(),
  };
}

/** The messages of a batch, made once for all calls that send it. */
function messagesIn(batch: FrameBatch<Uint8Array>, joinsBatches: boolean): readonly Buffer[] {
  const key = `grpc${joinsBatches ? " joined" : ""}`;
  // Only this function writes under the key.
  const known = batch.joined.get(key) as readonly Buffer[] | undefined;
  if (known !== undefined) return known;
  const made = messagesOf(batch, joinsBatches).map(joined);
  batch.joined.set(key, made);
  return made;
}

function joined(frames: readonly Uint8Array[]): Buffer {
  const [first] = frames;
  return first !== undefined && frames.length === 1 ? bufferOf(first) : Buffer.concat(frames);
}
