// The MCP SDK's client, which sends its server events as notifications over stdio.
import { EventEmitter } from "node:events";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { EmptyResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { createEventTexts } from "../events.mjs";
import { cpuMicrosOf } from "../measuring.mjs";
import { serveRole } from "../role.mjs";

// The SDK waits for "drain" once for each message that finds the pipe full.
EventEmitter.defaultMaxListeners = 100;

let client;
let pid;
let texts;
let next = 0;

serveRole({
  start: async ({ args }) => {
    client = new Client({ name: "bench", version: "1.0.0" });
    const transport = new StdioClientTransport({ command: process.execPath, args });
    await client.connect(transport);
    pid = transport.pid;
    texts = createEventTexts();
  },
  send: async ({ count }) => {
    const events = Array.from({ length: count }, (_, index) => JSON.parse(texts.chunk(next + index)));
    next += count;
    const cpu = cpuMicrosOf(pid);
    const begin = performance.now();
    // The promises of its transport are awaited in groups, as the other sender awaits its writer.
    for (let from = 0; from < count; from += 64) {
      await Promise.all(
        events.slice(from, from + 64).map((params) => client.notification({ method: "aaep/event", params })),
      );
    }
    await client.request({ method: "ping" }, EmptyResultSchema);
    const ms = performance.now() - begin;
    return { perSecond: (count * 1000) / ms, cpuMicrosPerEvent: (cpuMicrosOf(pid) - cpu) / count };
  },
  stop: () => client.close(),
});
