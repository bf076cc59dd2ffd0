// Brings frames to the JSON-RPC library. The library handles one message a turn of the event loop and queues without a bound; so it is given one
// carrier for all messages of a read, which are handled in its turn together, and reading waits until they are (G2, V4). After a costly one the rest
// waits for the next turn.
import {
  type DataCallback,
  Emitter,
  type Message,
  type MessageReader,
  type MessageStrategy,
} from "vscode-jsonrpc/node";
import { type Fault, faultFrom } from "../../src/base/errors.js";
import type { Connection } from "../../src/contracts/transport.js";
import { createIncomingParser, type IncomingMessage, type RpcId } from "./incoming.js";

export interface FrameReader {
  readonly reader: MessageReader;
  readonly strategy: MessageStrategy;
  /** The text of the message that is being handed to its handler at this moment. */
  readonly currentText: () => string;
  /** Hands no further message over. */
  readonly stop: () => void;
}

export interface FrameReaderOptions {
  /** Answers a message that cannot be taken. */
  readonly onRefused: (id: RpcId, fault: Fault) => void;
  /** Resolves when the next messages may be handled. */
  readonly ready: () => Promise<void>;
  /** Whether this call may cost so much that others come first. */
  readonly isCostly: (method: string, params: unknown) => boolean;
  /** No more comes: all that came has been handed over. With the fault that ended it, if any. */
  readonly onEnd: (fault: Fault | undefined) => void;
}

export function createFrameReader(frames: Connection<Uint8Array>["frames"], options: FrameReaderOptions): FrameReader {
  const errors = new Emitter<Error>();
  const closings = new Emitter<void>();
  const partials = new Emitter<never>();
  const parse = createIncomingParser();
  const carrier: Message = Object.freeze({ jsonrpc: "2.0", method: "carrier" });
  let waiting: readonly IncomingMessage[] = [];
  /** The cancellations of the same read, by the id of the request. */
  let cancelled: ReadonlyMap<unknown, Message> = new Map();
  let onHandled: () => void = () => {};
  let handFurther: DataCallback = () => {};
  let currentText = "";
  let stopped = false;

  /** Parses the frames of one read and resolves when their messages have been handed to their handlers. */
  function handleTogether(batch: readonly Uint8Array[], hand: DataCallback): Promise<void> | undefined {
    const messages: IncomingMessage[] = [];
    const cancellations = new Map<unknown, Message>();
    for (const frame of batch) {
      const incoming = parse(frame);
      switch (incoming.kind) {
        case "message":
          messages.push(incoming.message);
          break;
        case "cancellation":
          cancellations.set(incoming.id, incoming.message);
          break;
        case "refused":
          options.onRefused(incoming.id, incoming.fault);
          break;
        case "ignored":
          break;
      }
    }
    const handled =
      messages.length === 0
        ? undefined
        : new Promise<void>((resolve) => {
            onHandled = resolve;
          });
    waiting = messages;
    cancelled = cancellations;
    // A cancelled request of the same read is in the queue before its cancellation, and is handled as cancelled.
    if (handled !== undefined) hand(carrier);
    for (const cancellation of cancellations.values()) hand(cancellation);
    return handled;
  }

  async function pump(hand: DataCallback): Promise<Fault | undefined> {
    try {
      for await (const batch of frames) {
        if (stopped) return undefined;
        const handled = handleTogether(batch, hand);
        if (handled !== undefined) await handled;
        await options.ready();
      }
      return undefined;
    } catch (caught) {
      return faultFrom(caught);
    }
  }

  /** Hands over what is left of a read, from `at` on. */
  function handOver(messages: readonly IncomingMessage[], at: number, next: (message: Message) => void): void {
    for (let index = at; index < messages.length && !stopped; index += 1) {
      const message = messages[index];
      if (message === undefined) break;
      // The library remembers a cancellation for a turn only.
      if (at > 0) handCancellationOf(message.parsed);
      currentText = message.text;
      void next(message.parsed);
      if (index + 1 < messages.length && wasCostly(message.parsed)) {
        currentText = "";
        setImmediate(() => handOver(messages, index + 1, next));
        return;
      }
    }
    currentText = "";
    onHandled();
  }

  function wasCostly(message: Message): boolean {
    if (!("method" in message)) return false;
    return options.isCostly(String(message.method), "params" in message ? message.params : undefined);
  }

  function handCancellationOf(message: Message): void {
    const cancellation = "method" in message && "id" in message ? cancelled.get(message.id) : undefined;
    if (cancellation !== undefined) handFurther(cancellation);
  }

  return {
    reader: {
      onError: errors.event,
      onClose: closings.event,
      onPartialMessage: partials.event,
      listen: (hand) => {
        handFurther = hand;
        void pump(hand).then(options.onEnd);
        return { dispose: () => {} };
      },
      dispose: () => {
        stopped = true;
        errors.dispose();
        closings.dispose();
        partials.dispose();
        onHandled();
      },
    },
    strategy: {
      handleMessage: (message, next) => {
        if (message !== carrier) return next(message);
        const messages = waiting;
        waiting = [];
        handOver(messages, 0, next);
      },
    },
    currentText: () => currentText,
    stop: () => {
      stopped = true;
    },
  };
}
