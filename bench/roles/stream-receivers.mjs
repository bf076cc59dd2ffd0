// Subscribers over the local socket, WebSocket and Server-Sent Events in one process. All cut events from bytes as cheaply as they can, and check the
// order of their ids.
import { request } from "node:http";
import { connected } from "../connected.mjs";
import { createOrderCheck, EVENT_BYTES, framed, subscriptionRequest } from "../events.mjs";
import { serveRole } from "../role.mjs";
import { createTally } from "../tally.mjs";

const tally = createTally();
let sockets = [];

/** The bytes in front of every event's text. */
const HEAD = Buffer.from("event: aaep.event\ndata: ");
const LINE_END = 0x0a;
let usualLength = 0;

/** Returns the start and the end of the message at `at`, and the place behind it; undefined if it is not whole. */
const CUTTERS = {
  socket: (data, at) => {
    if (at + 4 > data.length) return undefined;
    const end = at + 4 + data.readUInt32BE(at);
    return [at + 4, end];
  },
  /** Frames of a server have no mask. */
  websocket: (data, at) => {
    if (at + 4 > data.length) return undefined;
    const short = data[at + 1];
    const from = short < 126 ? at + 2 : at + 4;
    return [from, from + (short < 126 ? short : data.readUInt16BE(at + 2))];
  },
  /**
   * A head of a chunk in front of the message is passed over: no chunk ends within a message. Most are as long as the last one, so that the end is
   * looked for in its place first.
   */
  sse: (data, at) => {
    const from = data[at] === HEAD[0] ? at + HEAD.length : data.indexOf(HEAD, at) + HEAD.length;
    if (from < HEAD.length) return undefined;
    const usual = from + usualLength;
    const isUsual = data[usual] === LINE_END && data[usual + 1] === LINE_END;
    const end = isUsual ? usual : data.indexOf(LINE_END, from);
    if (end < 0) return undefined;
    usualLength = end - from;
    return [from, end, end + 2];
  },
};

/** Subscribers also receive the states of sessions; events are distinguished by their length. */
const isCounted = (bytes) => Math.abs(bytes - EVENT_BYTES) < 10;

function numberIn(data, from) {
  const at = data.indexOf('","session_id"', from);
  return Number(data.latin1Slice(at - 10, at));
}

function receive(index, socket, cut, early) {
  const check = createOrderCheck();
  let rest = early;
  socket.on("data", (chunk) => {
    const data = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    let events = 0;
    for (;;) {
      const [from, end, next = end] = cut(data, at) ?? [];
      if (end === undefined || end > data.length) break;
      if (isCounted(end - from)) {
        check(numberIn(data, from));
        events += 1;
      }
      at = next;
    }
    rest = data.subarray(at);
    if (events > 0) tally.took(index, events);
  });
}

/** Resolves with what came behind the first `end`. */
function firstAnswer(socket, end) {
  let all = Buffer.alloc(0);
  return new Promise((resolve, reject) => {
    socket.on("error", reject);
    socket.on("data", function take(chunk) {
      all = Buffer.concat([all, chunk]);
      const at = all.indexOf(end);
      if (at < 0) return;
      socket.off("data", take);
      resolve(all.subarray(at + end.length));
    });
  });
}

/** Makes a subscription and returns the path of its stream. */
function subscribed(path, message) {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json" };
    const post = request({ socketPath: path, path: "/aaep/v1/subscriptions", method: "POST", headers }, (answer) => {
      answer.resume();
      if (answer.statusCode === 201) resolve(answer.headers.location);
      else reject(new Error(`The subscription was answered ${answer.statusCode}.`));
    });
    post.on("error", reject).end(message);
  });
}

async function open(index, { kind, path, capabilities }) {
  const message = JSON.stringify(subscriptionRequest(`bench-${process.pid}-${index}`, capabilities));
  const place = kind === "sse" ? await subscribed(path, message) : undefined;
  const socket = await connected(path);
  sockets[index] = socket;
  let early = Buffer.alloc(0);
  if (kind === "sse") {
    socket.write(`GET ${place} HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n`);
    early = await firstAnswer(socket, "\r\n\r\n");
  } else if (kind === "websocket") {
    const key = Buffer.alloc(16, index).toString("base64");
    const upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13";
    socket.write(`GET /aaep/v1/ws HTTP/1.1\r\nHost: localhost\r\n${upgrade}\r\nSec-WebSocket-Key: ${key}\r\n\r\n`);
    early = await firstAnswer(socket, "\r\n\r\n");
  }
  receive(index, socket, CUTTERS[kind], early);
  if (kind === "sse") return;
  socket.write(kind === "socket" ? framed(message) : masked(message));
  const answer = await new Promise((resolve) => socket.once("data", resolve));
  if (!answer.includes("subscription.accepted")) throw new Error(`The subscription was answered ${answer}.`);
}

/** A text frame of a client, with a mask of zeros. */
function masked(text) {
  const bytes = Buffer.from(text);
  const head = Buffer.alloc(8);
  head[0] = 0x81;
  head[1] = 0x80 | 126;
  head.writeUInt16BE(bytes.length, 2);
  return Buffer.concat([head, bytes]);
}

function leave() {
  for (const socket of sockets) {
    socket.removeAllListeners("error");
    socket.on("error", () => {}).destroy();
  }
}

serveRole({
  ...tally.commands,
  leave,
  connect: async ({ count, creditPath, ...way }) => {
    leave();
    sockets = Array.from({ length: count });
    tally.begin({ count, creditPath });
    await Promise.all(sockets.map((_, index) => open(index, way)));
  },
});
