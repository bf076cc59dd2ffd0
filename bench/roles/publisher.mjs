// An agent that publishes over the local socket, as fast as its slowest reader or at a rate.
import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as after } from "node:timers/promises";
import { connected } from "../connected.mjs";
import { createEventTexts } from "../events.mjs";
import { inFlight } from "../flight.mjs";
import { serveRole } from "../role.mjs";

const CREDIT_STEP = 128;
let socket;
let openPath;
let credits;
let texts;
let next = 0;
let credited = 0;
let base = 0;
let onCredit = () => {};
let answers = "";
const waiting = new Map();
let lastId = 0;

function request(method, params) {
  lastId += 1;
  return new Promise((resolve, reject) => {
    waiting.set(lastId, { resolve, reject });
    socket.write(`{"jsonrpc":"2.0","id":${lastId},"method":"${method}","params":${params}}\n`);
  });
}

function take(chunk) {
  answers += chunk;
  const lines = answers.split("\n");
  answers = lines.pop();
  for (const line of lines) {
    const { id, result, error, method, params } = JSON.parse(line);
    if (method === "aaep.error") throw new Error(JSON.stringify(params));
    const one = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) one?.resolve(result);
    else one?.reject(new Error(JSON.stringify(error)));
  }
}

/** The texts of the next `size` events, as one publish's parameters. */
function params(size) {
  let events = texts.chunk(next);
  for (let index = 1; index < size; index += 1) events += `,${texts.chunk(next + index)}`;
  next += size;
  return size === 1 ? events : `[${events}]`;
}

function message(size) {
  return `{"jsonrpc":"2.0","method":"aaep.publish","params":${params(size)}}\n`;
}

async function begin(path, chunkCharacters) {
  socket?.destroy();
  openPath = path;
  socket = await connected(path);
  socket.setEncoding("utf8").on("data", take);
  texts = createEventTexts({ chunkCharacters });
  next = 0;
  await request("aaep.publish", texts.started());
}

serveRole({
  /** Begins a session, or continues with the open one. Its readers report their progress on `creditPath`. */
  open: async ({ path, creditPath, chunkCharacters }) => {
    if (path !== openPath) await begin(path, chunkCharacters);
    credits?.close();
    credits = undefined;
    if (creditPath === undefined) return;
    // Counted from here, not from the connection of the readers: they may connect after the first events have gone.
    credited = 0;
    base = next;
    const own = createServer((reader) => {
      reader.on("error", () => {});
      reader.on("data", (bytes) => {
        // Late reports of the earlier measurement's readers do not count here.
        if (own !== credits) return;
        credited += bytes.length * CREDIT_STEP;
        onCredit();
      });
    });
    credits = own;
    await once(own.listen(creditPath), "listening");
  },
  /** Publishes `count` events, `size` a message, at most `window` ahead of the slowest reader. Resolves when the daemon has taken all. */
  publish: async ({ count, size, window }) => {
    texts.renew();
    const end = next + count;
    while (next < end) {
      while (window !== undefined && next - base - credited > window) {
        await new Promise((resolve) => {
          onCredit = resolve;
        });
      }
      if (!socket.write(message(Math.min(size, end - next)))) await once(socket, "drain");
    }
    await request("aaep.ping", "{}");
  },
  /** Publishes `count` events one by one with `flight` of them unacknowledged; returns events a second. */
  publishInFlight: async ({ count, flight }) => {
    texts.renew();
    const begin = performance.now();
    await inFlight({ count, flight }, (_, size, acknowledged, failed) => {
      let lines = "";
      for (let index = 0; index < size; index += 1) {
        lastId += 1;
        waiting.set(lastId, { resolve: acknowledged, reject: failed });
        lines += `{"jsonrpc":"2.0","id":${lastId},"method":"aaep.publish","params":${params(1)}}\n`;
      }
      socket.write(lines);
    });
    return (count * 1000) / (performance.now() - begin);
  },
  /** Publishes `perSecond` events a second for `seconds`. Returns their number. */
  publishAtRate: async ({ perSecond, seconds, size }) => {
    const begin = performance.now();
    const first = next;
    let renewedAt = begin;
    for (;;) {
      const now = performance.now();
      if (now - begin >= seconds * 1000) break;
      if (now - renewedAt > 1000) {
        texts.renew();
        renewedAt = now;
      }
      const due = Math.floor(((now - begin) * perSecond) / 1000) - (next - first);
      for (let left = due; left > 0; left -= size) socket.write(message(Math.min(size, left)));
      await after(2);
    }
    await request("aaep.ping", "{}");
    return next - first;
  },
});
