// The limit of a host's front door: a relay of one agent to one provider that parses and serializes each line, and does nothing else.
import { createServer } from "node:net";
import { serveRole } from "../role.mjs";

let agent;
let provider;

function serve(path, keep, take) {
  return new Promise((resolve) => {
    createServer((socket) => {
      keep(socket);
      socket.on("error", () => {});
      let held = "";
      socket.setEncoding("utf8").on("data", (text) => {
        const parts = (held + text).split("\n");
        held = parts.pop();
        for (const part of parts) take(JSON.parse(part));
      });
    }).listen(path, resolve);
  });
}

const send = (socket, message) => socket.write(`${JSON.stringify(message)}\n`);

serveRole({
  listen: async ({ agentPath, providerPath }) => {
    await serve(
      providerPath,
      (socket) => {
        provider = socket;
      },
      (message) => {
        if (message.type !== "aaepd.a2e.register") send(agent, message);
      },
    );
    await serve(
      agentPath,
      (socket) => {
        agent = socket;
      },
      (message) => {
        if (message.type !== "handshake/req") send(provider, message);
        else send(agent, { type: "handshake/resp", req_id: message.id, ok: true });
      },
    );
  },
});
