// The limit of a sender: writes encoded events to every connection, many at a time, and does nothing else.
import { once } from "node:events";
import { createServer } from "node:net";
import { setImmediate, setTimeout } from "node:timers/promises";
import { createEventTexts, cutFrames, framed, numberEnd, writeNumber } from "../events.mjs";
import { serveRole } from "../role.mjs";

const BATCH = 128;
let sockets = [];
let sent = 0;

function keep(socket) {
  sockets.push(socket);
  socket.on("error", () => {});
  socket.on("close", () => {
    sockets = sockets.filter((one) => one !== socket);
  });
}

const listening = async (server, path) => void (await once(server.listen(path), "listening"));

serveRole({
  listen: ({ path }) => listening(createServer(keep), path),
  /** Sends everything back. */
  echo: ({ path }) =>
    listening(
      createServer((socket) => socket.on("data", (bytes) => socket.write(bytes)).on("error", () => {})),
      path,
    ),
  /** Answers the first message of each connection as a daemon would, and keeps the connection. */
  greet: ({ path }) => {
    const server = createServer((socket) => {
      keep(socket);
      cutFrames(socket, (data, from, end) => {
        const { subscriber_id } = JSON.parse(data.toString("utf8", from, end));
        socket.write(framed(JSON.stringify({ type: "subscription.accepted", subscriber_id })));
      });
    });
    return listening(server, path);
  },
  /** Writes one event of `bytes` bytes a second to each connection, evenly over the second. */
  sendAtRate: async ({ seconds, bytes }) => {
    const event = JSON.parse(createEventTexts().chunk(0));
    event.chunk = "";
    event.chunk = "The daemon carries it. ".repeat(bytes / 20).slice(0, bytes - JSON.stringify(event).length);
    const frame = framed(JSON.stringify(event));
    const begin = performance.now();
    for (let done = 0; ; ) {
      const elapsed = performance.now() - begin;
      if (elapsed >= seconds * 1000) return;
      for (const due = (elapsed / 1000) * sockets.length; done < due; done += 1)
        sockets[done % sockets.length].write(frame);
      await setTimeout(5);
    }
  },
  /** Closes the connections of the earlier measurement. */
  begin: () => {
    sent = 0;
    for (const socket of sockets) socket.destroy();
    sockets = [];
  },
  /** Waits until that many are connected; the kernel accepts them before this process does. */
  accepted: async ({ count }) => {
    while (sockets.length !== count) await setImmediate();
  },
  send: async ({ count }) => {
    const text = createEventTexts().chunk(10_000);
    const frame = framed(text);
    const last = 4 + numberEnd(text);
    const template = Buffer.concat(Array.from({ length: BATCH }, () => frame));
    const end = sent + count;
    while (sent < end) {
      const size = Math.min(BATCH, end - sent);
      const batch = Buffer.from(template.subarray(0, size * frame.length));
      for (let index = 0; index < size; index += 1) writeNumber(batch, index * frame.length + last, sent + index);
      sent += size;
      const slow = sockets.filter((socket) => !socket.write(batch));
      await Promise.all(slow.map((socket) => once(socket, "drain")));
    }
  },
});
