// An A2E agent and a provider in one process, so that one clock measures both ends of a call. They meet by a socket each: of a daemon, or of a relay.
import { randomUUID } from "node:crypto";
import { connect } from "node:net";
import { serveRole } from "../role.mjs";

let agent;
let provider;
const waiting = new Map();

/** A connection that sends and takes one message a line. */
async function lines(path, take) {
  const socket = connect(path);
  await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  let held = "";
  socket.setEncoding("utf8").on("data", (text) => {
    const parts = (held + text).split("\n");
    held = parts.pop();
    for (const part of parts) take(part);
  });
  socket.on("error", () => {});
  return (message) => socket.write(`${JSON.stringify(message)}\n`);
}

const base = (type, fields) => ({ a2e: "1.0", type, id: randomUUID(), ts: Date.now() / 1000, ...fields });

/** Sends a request, and resolves with the microseconds until its answer. */
function ask(message) {
  return new Promise((resolve) => {
    const from = performance.now();
    waiting.set(message.id, (answer) => resolve({ answer, micros: (performance.now() - from) * 1000 }));
    agent(message);
  });
}

const call = () =>
  base("tool/call/req", { tool_name: "search", arguments: { query: "red shoes, size 42", limit: 10 }, timeout: 60 });

serveRole({
  /** `providerPath`: the socket at which the provider registers. A relay has two sockets, a daemon one. */
  open: async ({ agentPath, providerPath }) => {
    provider = await lines(providerPath, (text) => {
      const message = JSON.parse(text);
      if (message.type === "tool/call/req")
        provider(base("tool/call/resp", { req_id: message.id, data: { found: ["one", "two", "three"] } }));
    });
    provider(base("aaepd.a2e.register", { capabilities: ["tools"] }));
    agent = await lines(agentPath, (text) => {
      const message = JSON.parse(text);
      const known = waiting.get(message.req_id);
      waiting.delete(message.req_id);
      known?.(message);
    });
    // The provider's registration may still be on its way.
    for (;;) {
      const { answer } = await ask(base("handshake/req", { agent_id: "bench", agent_caps: ["tools"], auth_token: "" }));
      if (answer.ok === true) return;
    }
  },
  /** Calls one after another, `everyMs` apart. Returns the microseconds of each. */
  calls: async ({ count, everyMs }) => {
    const micros = [];
    for (let done = 0; done < count; done += 1) {
      micros.push((await ask(call())).micros);
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
    return micros;
  },
  /** As many calls as go, four at a time. */
  flood: async ({ count }) => {
    let left = count;
    const lane = async () => {
      while (left > 0) {
        left -= 1;
        await ask(call());
      }
    };
    await Promise.all([lane(), lane(), lane(), lane()]);
  },
});
