// The limits of WebSocket and of Server-Sent Events: bare `ws` and bare `node:http`, which write encoded events to every stream and do nothing else.
import { createServer } from "node:http";
import { WebSocketServer } from "ws";
import { createEventTexts } from "../events.mjs";
import { serveRole } from "../role.mjs";

const BATCH = 128;
let streams = new Set();
let texts;
let next = 0;

function keep(stream) {
  const own = streams;
  own.add(stream);
  stream.on("error", () => {}).on("close", () => own.delete(stream));
}

const WRITES = {
  /** Resolves when the last message is with the kernel. */
  websocket: (socket, messages) =>
    new Promise((resolve) => {
      messages.forEach((message, index) => {
        socket.send(message, { binary: false }, index === messages.length - 1 ? resolve : undefined);
      });
    }),
  sse: (response, messages) => {
    const hasRoom = response.write(Buffer.concat(messages));
    return hasRoom ? undefined : new Promise((resolve) => response.once("drain", resolve));
  },
};

serveRole({
  listen: ({ path }) => {
    const server = createServer((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      keep(response);
    });
    new WebSocketServer({ server, perMessageDeflate: false }).on("connection", keep);
    return new Promise((resolve) => server.listen(path, resolve));
  },
  begin: () => {
    streams = new Set();
    texts = createEventTexts();
    next = 0;
  },
  accepted: async ({ count }) => {
    while (streams.size !== count) await new Promise((resolve) => setImmediate(resolve));
  },
  /** Resolves when everything has been handed over. */
  send: async ({ kind, count }) => {
    const formOf = kind === "sse" ? (text) => `event: aaep.event\ndata: ${text}\n\n` : (text) => text;
    for (const end = next + count; next < end; ) {
      const messages = [];
      for (; messages.length < BATCH && next < end; next += 1) messages.push(Buffer.from(formOf(texts.chunk(next))));
      await Promise.all([...streams].map((stream) => WRITES[kind](stream, messages)));
    }
  },
});
