// Listeners that cost hardly anything: frames are counted and not parsed, so that what is measured is the daemon.
import { connect, type Socket } from "node:net";
import { isNumbered, numberIn } from "./numbered-events.js";

export type Pace = "all" | "one a second" | "never";

export interface RawListener {
  /** How many numbered events have come. */
  readonly count: () => number;
  /** The first that did not follow the one before it. */
  readonly outOfOrder: () => string | undefined;
  /** Resolves when so many have come. Rejects where the connection ends before. */
  readonly reached: (count: number) => Promise<void>;
  readonly isOpen: () => boolean;
  readonly close: () => void;
}

const LENGTH_BYTES = 4;

/** Resolves when it is accepted. */
export async function openRawListener(path: string, name: string, pace: Pace): Promise<RawListener> {
  const socket = connect(path);
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", reject);
  });
  const request = {
    type: "subscription.request",
    aaep_version: "1.0.0",
    subscriber_id: name,
    capabilities: { coalesce_boundaries: ["none"], aaepd: { checkpoints: true } },
  };
  const body = Buffer.from(JSON.stringify(request));
  const head = Buffer.alloc(LENGTH_BYTES);
  head.writeUInt32BE(body.length);
  socket.write(Buffer.concat([head, body]));

  let count = 0;
  let last = -1;
  let outOfOrder: string | undefined;
  let isOpen = true;
  let goal:
    | { readonly count: number; readonly resolve: () => void; readonly reject: (error: Error) => void }
    | undefined;
  let accepted: () => void = () => {};
  let ended: Error | undefined;
  const isAccepted = new Promise<void>((resolve) => {
    accepted = resolve;
  });
  const frame = (bytes: Buffer): void => {
    if (!isNumbered(bytes)) {
      if (bytes.includes("subscription.accepted")) accepted();
      return;
    }
    const number = numberIn(bytes);
    if (number !== last + 1) outOfOrder ??= `${number} after ${last}`;
    last = number;
    count += 1;
    if (goal !== undefined && count >= goal.count) goal.resolve();
  };
  socket.on("error", () => {});
  socket.on("close", () => {
    isOpen = false;
    ended = new Error(`${name} was cut off after ${count} events`);
    goal?.reject(ended);
  });

  let cancel = (): void => {};
  if (pace === "all") readAll(socket, frame);
  else cancel = readFrames(socket, frame, pace);
  await isAccepted;
  return {
    count: () => count,
    outOfOrder: () => outOfOrder,
    reached: (wanted) =>
      new Promise((resolve, reject) => {
        if (count >= wanted) resolve();
        else if (ended !== undefined) reject(ended);
        else goal = { count: wanted, resolve, reject };
      }),
    isOpen: () => isOpen,
    close: () => {
      cancel();
      socket.destroy();
    },
  };
}

function readAll(socket: Socket, frame: (bytes: Buffer) => void): void {
  let rest: Buffer = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    while (bytes.length - at >= LENGTH_BYTES) {
      const end = at + LENGTH_BYTES + bytes.readUInt32BE(at);
      if (end > bytes.length) break;
      frame(bytes.subarray(at + LENGTH_BYTES, end));
      at = end;
    }
    rest = bytes.subarray(at);
  });
}

/** The acceptance at once, and then one frame each second, or none. */
function readFrames(socket: Socket, frame: (bytes: Buffer) => void, pace: Pace): () => void {
  let length: number | undefined;
  const readOne = (): boolean => {
    if (length === undefined) {
      const head = socket.read(LENGTH_BYTES) as Buffer | null;
      if (head === null) return false;
      length = head.readUInt32BE(0);
    }
    const bytes = socket.read(length) as Buffer | null;
    if (bytes === null) return false;
    length = undefined;
    frame(bytes);
    return true;
  };
  const first = (): void => {
    if (readOne()) socket.off("readable", first);
  };
  socket.on("readable", first);
  if (pace === "never") return () => {};
  const timer = setInterval(readOne, 1000);
  return () => clearInterval(timer);
}
