// Puts a mutant between a socket of a producer and a socket of its own.

import type { Connection, Listener } from "../../../src/contracts/transport.js";
import { connectIpc } from "../../../transports/ipc/connect.js";
import { createIpcTransport } from "../../../transports/ipc/listen.js";
import type { Message, Mutant } from "./mutant.js";

const encoder = new TextEncoder();

/** Listens at `near`, and leads each connection through the mutant to `far`. */
export function startMutant(mutant: Mutant, near: string, far: string): Promise<Listener> {
  return createIpcTransport({ path: near }).listen((subscriber) => void lead(mutant, subscriber, far));
}

async function lead(mutant: Mutant, subscriber: Connection<Uint8Array>, far: string): Promise<void> {
  const producer = await connectIpc(far, { framing: "length-prefixed" });
  const timers = new Set<NodeJS.Timeout>();
  const send = (to: Connection<Uint8Array>) => (message: Message) =>
    void to.send(encoder.encode(JSON.stringify(message)));
  const end = (): void => {
    for (const timer of timers) clearTimeout(timer);
    void subscriber.close();
    void producer.close();
  };
  const link = {
    toSubscriber: send(subscriber),
    toProducer: send(producer),
    after: (ms: number, run: () => void) => void timers.add(setTimeout(run, ms)),
    close: end,
  };
  const { fromProducer = link.toSubscriber, fromSubscriber = link.toProducer, subscriberGone } = mutant.link(link);
  await Promise.all([
    carry(producer, subscriber, fromProducer),
    carry(subscriber, producer, fromSubscriber, subscriberGone),
  ]);
  end();
}

async function carry(
  from: Connection<Uint8Array>,
  to: Connection<Uint8Array>,
  take: (message: Message) => void,
  gone: () => void = () => {},
): Promise<void> {
  try {
    for await (const frames of from.frames)
      for (const frame of frames) {
        const message = objectIn(frame);
        // The layer changes messages, and leaves broken bytes as they are.
        if (message === undefined) to.send(frame);
        else take(message);
      }
  } catch {
    // A connection that breaks has ended.
  }
  gone();
  await to.close();
}

function objectIn(frame: Uint8Array): Message | undefined {
  try {
    return JSON.parse(new TextDecoder().decode(frame)) as Message;
  } catch {
    return undefined;
  }
}
