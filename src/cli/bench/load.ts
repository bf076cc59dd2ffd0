// The load of a measurement: one peer that publishes, and others that receive, over bare sockets.
import { once } from "node:events";
import { createConnection, type Socket } from "node:net";
import { frame, join } from "../../../transports/framing/framings.js";
import { Fault } from "../../base/errors.js";
import type { Carrier } from "./bench-stage.js";
import { cutFrames } from "./cut-frames.js";
import { CHUNK_MARK, createEventTexts, type EventTexts, SUBSCRIPTION_REQUEST } from "./event-texts.js";

/** Events of one message, and the events that may be on their way at a time. */
const BATCH = 64;
const WINDOW = 1024;

export interface Publisher {
  readonly texts: EventTexts;
  /** Writes these events in one message. Returns whether more may be written at once. */
  readonly send: (events: readonly string[]) => boolean;
  readonly drained: () => Promise<unknown>;
  readonly close: () => void;
}

/** Connects a publisher, which has begun a session. A relay gets the events in the framing of its receivers. */
export async function connectPublisher({ kind, socketPath }: Carrier): Promise<Publisher> {
  const socket = await connected(socketPath);
  const texts = createEventTexts();
  const send = (events: readonly string[]): boolean =>
    socket.write(
      kind === "daemon"
        ? `{"jsonrpc":"2.0","method":"aaep.publish","params":[${events.join(",")}]}\n`
        : join(
            "length-prefixed",
            events.map((text) => Buffer.from(text)),
          ),
    );
  if (kind === "daemon") {
    socket.write(`{"jsonrpc":"2.0","id":1,"method":"aaep.publish","params":${texts.started()}}\n`);
    const [answer] = await once(socket, "data");
    assertNoError(String(answer), '"result"');
  }
  // Without a listener the answers of the daemon would fill the socket.
  socket.resume();
  return { texts, send, drained: () => once(socket, "drain"), close: () => socket.destroy() };
}

/** Connects a receiver. Of a daemon it gets every piece of text as it was published, and all critical events. */
export async function connectReceiver(
  { kind, socketPath }: Pick<Carrier, "kind" | "socketPath">,
  handle: (data: Buffer, from: number, end: number) => void,
): Promise<Socket> {
  const socket = await connected(socketPath);
  if (kind === "relay") {
    cutFrames(socket, handle);
    return socket;
  }
  await new Promise<void>((resolve, reject) => {
    let isAccepted = false;
    cutFrames(socket, (data, from, end) => {
      if (isAccepted) return handle(data, from, end);
      isAccepted = true;
      try {
        assertNoError(data.toString("utf8", from, end), "subscription.accepted");
        resolve();
      } catch (caught) {
        reject(caught);
      }
    });
    socket.write(frame("length-prefixed", Buffer.from(SUBSCRIPTION_REQUEST)));
  });
  return socket;
}

export interface Carried {
  readonly eventsPerSecond: number;
  /** Processor time of the carrier for one event, µs. */
  readonly cpuMicros: number;
}

/** Publishes for `ms`, as fast as all receivers take it, and waits until they have everything. */
export async function carry(carrier: Carrier, receiverCount: number, ms: number): Promise<Carried> {
  const counts: number[] = Array.from({ length: receiverCount }, () => 0);
  let onProgress: () => void = () => {};
  const receivers: Socket[] = [];
  for (const index of counts.keys()) {
    const receive = (data: Buffer, from: number, end: number): void => {
      if (!data.subarray(from, end).includes(CHUNK_MARK)) return;
      counts[index] = (counts[index] ?? 0) + 1;
      onProgress();
    };
    receivers.push(await connectReceiver(carrier, receive));
  }
  const publisher = await connectPublisher(carrier);
  const least = (): number => Math.min(...counts);
  /** Resolves when every receiver has that many. */
  const reached = (count: number): Promise<void> =>
    new Promise((resolve) => {
      onProgress = () => {
        if (least() >= count) resolve();
      };
      onProgress();
    });

  const cpuBefore = await carrier.cpuMicros();
  const begin = performance.now();
  let sent = 0;
  while (performance.now() - begin < ms) {
    if (sent - least() >= WINDOW) await reached(sent - WINDOW + BATCH);
    const events = Array.from({ length: BATCH }, publisher.texts.chunk);
    sent += BATCH;
    if (!publisher.send(events)) await publisher.drained();
  }
  await reached(sent);
  const seconds = (performance.now() - begin) / 1000;
  const cpuMicros = ((await carrier.cpuMicros()) - cpuBefore) / sent;
  publisher.close();
  for (const receiver of receivers) receiver.destroy();
  return { eventsPerSecond: sent / seconds, cpuMicros };
}

async function connected(path: string): Promise<Socket> {
  const socket = createConnection(path);
  await once(socket, "connect");
  // The end of a carrier is noticed by the stage.
  socket.on("error", () => {});
  return socket;
}

function assertNoError(answer: string, wanted: string): void {
  if (answer.includes(wanted)) return;
  throw new Fault("unsupported", `The daemon answered: ${answer.slice(0, 500)}`, { origin: "local" });
}
