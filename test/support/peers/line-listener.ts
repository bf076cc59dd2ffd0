// A subscriber or an agent at a daemon's socket, in lines, that looks at little of what comes: for many thousands of lines.
import { once } from "node:events";
import type { Socket } from "node:net";
import { rawSocket } from "./raw-socket.js";

export interface LineListener {
  readonly socket: Socket;
  readonly say: (message: object) => void;
  /** Every whole line that has come. */
  readonly lines: readonly string[];
  /** The text behind the last whole line. */
  readonly rest: () => string;
  /** Resolves with the first line that matches, also where it has come already. */
  readonly line: (matches: (line: string) => boolean) => Promise<string>;
  /** Resolves when the other side has closed. */
  readonly closed: Promise<void>;
}

export async function listenInLines(path: string): Promise<LineListener> {
  const socket = rawSocket(path);
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  let rest = "";
  socket.setEncoding("utf8");
  socket.on("data", (text: string) => {
    const parts = (rest + text).split("\n");
    rest = parts.pop() ?? "";
    lines.push(...parts);
    for (const look of waiting) look();
  });
  const closed = new Promise<void>((resolve) => socket.on("close", () => resolve()));
  await once(socket, "connect");
  return {
    socket,
    say: (message) => void socket.write(`${JSON.stringify(message)}\n`),
    lines,
    rest: () => rest,
    line: (matches) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = lines.find(matches);
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        void closed.then(() => reject(new Error(`closed after ${lines.length} lines`)));
        look();
      }),
    closed,
  };
}

/** Subscribes, to everything as it is, and waits for the acceptance. `others`: further members of the request. */
export async function subscribedInLines(
  path: string,
  capabilities: object = {},
  others: object = {},
): Promise<LineListener> {
  const listener = await listenInLines(path);
  listener.say({
    type: "subscription.request",
    aaep_version: "1.0.0",
    subscriber_id: "listener",
    capabilities: { coalesce_boundaries: ["none"], supports_confirmation_reply: true, ...capabilities },
    ...others,
  });
  await listener.line((line) => line.includes('"subscription.accepted"'));
  return listener;
}

/** Publishes in arrays, each once the one before is answered. */
export async function publishInLines(agent: LineListener, events: readonly object[], atOnce = 200): Promise<void> {
  for (let from = 0; from < events.length; from += atOnce) {
    agent.say({ jsonrpc: "2.0", id: from, method: "aaep.publish", params: events.slice(from, from + atOnce) });
    const answer = await agent.line((line) => line.startsWith(`{"jsonrpc":"2.0","id":${from},`));
    if (answer.includes('"error"')) throw new Error(answer);
  }
}
