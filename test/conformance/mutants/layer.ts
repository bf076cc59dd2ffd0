// Puts a deviation between a socket of a producer and a socket of its own.

import type { Connection, Listener } from "../../../src/contracts/transport.js";
import { connectIpc } from "../../../transports/ipc/connect.js";
import { createIpcTransport } from "../../../transports/ipc/listen.js";
import type { Deviation, Handle, Seen } from "./deviation.js";
import { listed } from "./forms.js";
import {
  isAccepted,
  isQuestion,
  isRecord,
  isRenegotiation,
  isReply,
  isRequest,
  type Message,
  merged,
  record,
  text,
  token,
} from "./messages.js";

const encoder = new TextEncoder();

/** Listens at `near`, and leads each connection through the deviation to `far`. */
export function startDeviation(deviation: Deviation, near: string, far: string): Promise<Listener> {
  return createIpcTransport({ path: near }).listen((subscriber) => void lead(deviation, subscriber, far));
}

async function lead(deviation: Deviation, subscriber: Connection<Uint8Array>, far: string): Promise<void> {
  const producer = await connectIpc(far, { framing: "length-prefixed" });
  const timers = new Set<NodeJS.Timeout>();
  const send = (to: Connection<Uint8Array>) => (message: Message) =>
    void to.send(encoder.encode(JSON.stringify(message)));
  const end = (): void => {
    for (const timer of timers) clearTimeout(timer);
    void subscriber.close();
    void producer.close();
  };
  const seen: Seen = { asked: {}, subscription: "", questions: new Map(), replied: new Set() };
  const link = {
    toSubscriber: send(subscriber),
    toProducer: send(producer),
    after: (ms: number, run: () => void) => void timers.add(setTimeout(run, ms)),
    close: end,
    seen,
  };
  const { down, up, gone } = deviation(link);
  await Promise.all([
    carry(producer, subscriber, passing(seen, down, link.toSubscriber)),
    carry(subscriber, producer, passing(seen, up, link.toProducer), gone),
  ]);
  end();
}

function passing(seen: Seen, handle: Handle = (message) => message, send: (message: Message) => void) {
  return (message: Message): void => {
    if (isRecord(message)) follow(seen, message);
    const passed = handle(message);
    // A message may be an array itself.
    for (const one of passed === message ? [message] : listed(passed)) send(one);
    if (isRecord(message) && isReply(message)) seen.replied.add(token(message));
  };
}

function follow(seen: Seen, message: Message): void {
  if (isRequest(message)) seen.asked = record(message.capabilities);
  if (isRenegotiation(message)) seen.asked = merged(seen.asked, record(message.capabilities));
  if (isAccepted(message)) seen.subscription = text(message.subscription_id);
  if (isQuestion(message)) seen.questions.set(token(message), message);
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
