// The limit: writes events that are encoded already to every connection, many at a time, and does nothing else.
import { createServer } from "node:net";
import { createEventTexts, framed, numberOffset } from "../events.mjs";
import { serveRole } from "../role.mjs";

const DIGITS = 10;
const BATCH = 128;
let sockets = [];
let sent = 0;

serveRole({
  listen: ({ path }) =>
    new Promise((resolve) => {
      createServer((socket) => {
        sockets.push(socket);
        socket.on("error", () => {});
        socket.on("close", () => {
          sockets = sockets.filter((one) => one !== socket);
        });
      }).listen(path, resolve);
    }),
  /** Answers everything with itself. */
  echo: ({ path }) =>
    new Promise((resolve) => {
      createServer((socket) => socket.on("data", (bytes) => socket.write(bytes)).on("error", () => {})).listen(
        path,
        resolve,
      );
    }),
  /** Lets go of the connections of the run before. */
  begin: () => {
    sent = 0;
    for (const socket of sockets) socket.destroy();
    sockets = [];
  },
  /** Waits until as many are connected; the kernel accepts them before this process does. */
  accepted: async ({ count }) => {
    while (sockets.length !== count) await new Promise((resolve) => setImmediate(resolve));
  },
  send: async ({ count }) => {
    const text = createEventTexts().chunk(10_000);
    const frame = framed(text);
    const at = 4 + numberOffset(text);
    const template = Buffer.concat(Array.from({ length: BATCH }, () => frame));
    const end = sent + count;
    while (sent < end) {
      const size = Math.min(BATCH, end - sent);
      const batch = Buffer.from(template.subarray(0, size * frame.length));
      for (let index = 0; index < size; index += 1) {
        let number = sent + index;
        const last = index * frame.length + at + DIGITS - 1;
        for (let digit = 0; digit < DIGITS; digit += 1) {
          batch[last - digit] = 0x30 + (number % 10);
          number = Math.floor(number / 10);
        }
      }
      sent += size;
      const slow = sockets.filter((socket) => !socket.write(batch));
      await Promise.all(slow.map((socket) => new Promise((resolve) => socket.once("drain", resolve))));
    }
  },
});
