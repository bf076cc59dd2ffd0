// An agent that starts its peer as a child and sends it events over its standard input, with vscode-jsonrpc and one message a line.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setImmediate } from "node:timers/promises";
import { createMessageConnection, ParameterStructures } from "vscode-jsonrpc/node";
import { createEventTexts } from "../events.mjs";
import { cpuMicrosOf } from "../measuring.mjs";
import { serveRole } from "../role.mjs";
import { LineReader, LineWriter } from "../rpc-lines.mjs";

let child;
let connection;
let writer;
let texts;
let next = 0;

serveRole({
  start: async ({ args }) => {
    child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
    writer = new LineWriter(child.stdin);
    connection = createMessageConnection(new LineReader(child.stdout), writer);
    connection.onNotification("aaep.error", (error) => {
      throw new Error(JSON.stringify(error));
    });
    connection.listen();
    texts = createEventTexts();
    next = 0;
    await connection.sendRequest("aaep.publish", JSON.parse(texts.started()));
  },
  /** Sends `count` events, `size` a message. Returns the milliseconds until the child has taken all. */
  send: async ({ count, size }) => {
    texts.renew();
    // The objects are made before the clock starts: making them is no part of sending.
    const events = Array.from({ length: count }, (_, index) => JSON.parse(texts.chunk(next + index)));
    next += count;
    const cpu = cpuMicrosOf(child.pid);
    const begin = performance.now();
    for (let from = 0; from < count; from += size) {
      if (size === 1) void connection.sendNotification("aaep.publish", events[from]);
      else {
        const some = events.slice(from, from + size);
        void connection.sendNotification("aaep.publish", ParameterStructures.byPosition, ...some);
      }
      if ((from / size) % 64 === 63) {
        await setImmediate();
        await writer.writable();
      }
    }
    await connection.sendRequest("aaep.ping", {});
    const ms = performance.now() - begin;
    return { perSecond: (count * 1000) / ms, cpuMicrosPerEvent: (cpuMicrosOf(child.pid) - cpu) / count };
  },
  stop: async () => {
    child.stdin.end();
    await once(child, "exit");
  },
});
