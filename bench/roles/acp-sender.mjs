// The Agent Client Protocol SDK's agent side, which sends its client pieces of text as updates of a session over stdio.
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import { agent, ndJsonStream } from "@agentclientprotocol/sdk";
import { createEventTexts, EVENT_BYTES } from "../events.mjs";
import { cpuMicrosOf } from "../process-cpu.mjs";
import { serveRole } from "../role.mjs";

const { session: sessionId } = createEventTexts();
const WORDS = "The daemon carries what the agent says to everybody who listens, each on the terms that were agreed. ";
let child;
let peer;
let next = 0;

function update(text) {
  return { sessionId, update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } } };
}

const room = EVENT_BYTES - JSON.stringify(update("")).length;

function piece(number) {
  return update(`${String(number).padStart(10, "0")} ${WORDS.repeat(5)}`.slice(0, room));
}

serveRole({
  start: ({ args }) => {
    child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
    const stream = ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout));
    peer = agent({ name: "bench" }).connect(stream).client;
  },
  /** Sends `count` updates. Returns how many the child has taken a second, and its CPU for each. */
  send: async ({ count }) => {
    const updates = Array.from({ length: count }, (_, index) => piece(next + index));
    next += count;
    const cpu = cpuMicrosOf(child.pid);
    const begin = performance.now();
    for (let from = 0; from < count; from += 64) {
      await Promise.all(updates.slice(from, from + 64).map((params) => peer.notify("session/update", params)));
    }
    await peer.request("_bench/ping", {});
    const ms = performance.now() - begin;
    return { perSecond: (count * 1000) / ms, cpuMicrosPerEvent: (cpuMicrosOf(child.pid) - cpu) / count };
  },
  stop: () =>
    new Promise((resolve) => {
      child.once("exit", resolve);
      child.stdin.end();
    }),
});
