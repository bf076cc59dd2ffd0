// Attacks over the services and the other protocols: by large bodies, by lists of many questions, and by agents that are away or break off.
import { randomUUID } from "node:crypto";
import { request } from "node:http";
import { CONTEXT } from "../events.mjs";
import { createAsker, first, sessionStarted } from "./peers.mjs";

const PUBLISH = "/aaep.v1.AgentService/PublishBatch";

/** A connection of one message a line. `ask` resolves with the first message that the condition finds. */
async function lines(peers) {
  const socket = await peers.connection();
  const waiting = new Set();
  let rest = "";
  socket.setEncoding("utf8").on("data", (text) => {
    const whole = `${rest}${text}`.split("\n");
    rest = whole.pop();
    for (const line of whole)
      for (const one of waiting) {
        if (!one.isAnswer(line)) continue;
        waiting.delete(one);
        one.resolve(line);
        break;
      }
  });
  socket.on("close", () => {
    for (const { reject } of waiting) reject(new Error("The daemon has closed the attacker's connection."));
  });
  const tell = (message) => socket.write(`${JSON.stringify(message)}\n`);
  const ask = (message, isAnswer) =>
    new Promise((resolve, reject) => {
      waiting.add({ isAnswer, resolve, reject });
      tell(message);
    });
  return { ask, tell, socket };
}

/** An event of a new session whose extension has so many numbers: small values, of which a body of that size holds most. */
const withNumbers = (count) => ({
  ...sessionStarted(),
  "@context": [CONTEXT, "https://bench.example/numbers"],
  extensions: { bench: { numbers: Array.from({ length: count }, (_, index) => index % 10) } },
});

/** Bodies of JSON with `count` numbers over Connect. */
export function jsonBodies(count) {
  return async (peers, sized) => {
    return () =>
      new Promise((resolve, reject) => {
        const body = Buffer.from(JSON.stringify({ publish: { events: [withNumbers(sized(count))] } }));
        const headers = { "content-type": "application/json", "content-length": body.length, host: "localhost" };
        const call = request({ socketPath: peers.servicePath, path: PUBLISH, method: "POST", headers }, (answer) => {
          if (answer.statusCode >= 400) peers.refused(`status ${answer.statusCode}`);
          answer.resume().once("end", resolve).once("error", reject);
        });
        // A body that is refused before its end ends the connection.
        call.once("error", resolve);
        call.end(body);
      });
  };
}

/** First messages with `count` members whose names are escaped, each on a connection of its own. They are refused for their values. */
export function flatMembers(head, count) {
  return async (peers, sized) => {
    const bytes = Buffer.from(`{${head}${',"\\u0061":1'.repeat(sized(count))}}\n`);
    return async () => {
      const socket = await peers.connection();
      socket.write(bytes);
      await first(socket, ["data", "close"]);
      socket.destroy();
    };
  };
}

/** An event with the same numbers as a Struct of protobuf over gRPC. */
export function structs(count) {
  return async (peers, sized) => {
    const [{ default: grpc }, { encodeDocument }, { PublishBatchRequestSchema }] = await Promise.all([
      import("@grpc/grpc-js"),
      import("../../dist/src/protocols/aaep/protobuf/encode.js"),
      import("../../gen/aaep/v1/agent_service_pb.js"),
    ]);
    const client = new grpc.Client(`unix:${peers.servicePath}`, grpc.credentials.createInsecure());
    const identity = (given) => given;
    return () =>
      new Promise((resolve) => {
        const bytes = Buffer.from(
          encodeDocument(PublishBatchRequestSchema, { publish: { events: [withNumbers(sized(count))] } }),
        );
        client.makeUnaryRequest(PUBLISH, identity, identity, bytes, (error) => {
          if (error !== null) peers.refused(error.message);
          resolve();
        });
      });
  };
}

/** A subscriber lists `count` open questions of some kilobytes, page by page. */
export function listedQuestions(count) {
  return async (peers, sized) => {
    const agent = await peers.agent();
    const person = await lines(peers);
    const terms = { supports_confirmation_reply: true, event_filters: { include: [] } };
    await person.ask(
      { type: "subscription.request", aaep_version: "1.0.0", subscriber_id: "bench-lister", capabilities: terms },
      (line) => line.includes('"subscription.accepted"'),
    );
    await (await createAsker(agent, sized(count), "It is gone. ".repeat(500)))();
    return async () => {
      for (let after; ; ) {
        const page = await person.ask({ type: "aaepd.list_pending", after }, (line) =>
          line.includes('"aaepd.pending"'),
        );
        ({ next: after } = JSON.parse(page));
        if (after === undefined) return;
      }
    };
  };
}

/** Units are recorded of which `agents` agents that are away, with `subscriptions` subscriptions each, are to be told. */
export function absentAgents(agents, subscriptions) {
  return async (peers, sized) => {
    const field = (operation, payload) => ({
      protocol: "akashik",
      version: "0.1.0",
      id: randomUUID(),
      operation,
      session_id: null,
      epoch: 0,
      payload,
    });
    const asked = (agent, operation, payload) => {
      const message = field(operation, payload);
      return agent.ask(message, (line) => line.includes(message.id));
    };
    const joined = async (id) => {
      const agent = await lines(peers);
      await asked(agent, "REGISTER", { id, role: "reader", interests: [] });
      return agent;
    };
    for (let number = 0; number < sized(agents); number += 1) {
      const agent = await joined(`reader-${String(number).padStart(240, "0")}`);
      for (let count = 0; count < subscriptions; count += 1)
        await asked(agent, "SUBSCRIBE", { action: "subscribe", subscription: { events: ["memory.recorded"] } });
      agent.socket.removeAllListeners("close").end();
    }
    const writer = await joined("writer");
    const unit = {
      mode: "committed",
      type: "finding",
      content: "The price has fallen. ".repeat(100),
      intent: { purpose: "To watch the market." },
      confidence: { score: 0.9, reasoning: "Three shops." },
    };
    return async () => {
      const answer = await asked(writer, "RECORD", unit);
      if (!answer.includes('"recorded"')) peers.refused(answer);
    };
  };
}

const a2e = (type, id, fields) => ({ a2e: "1.0", type, id, ts: Date.now() / 1000, ...fields });

/** The tool whose calls wait for a person. The daemon is told of it by `HELD_OPTIONS`. */
const HELD_TOOL = "delete";
export const HELD_OPTIONS = ["--a2e-irreversible-tools", HELD_TOOL, "--a2e-max-parallel", "16"];

/** `agents` A2E agents with `held` calls each that wait for a person break off all at once. */
export function heldCallsBreakOff(agents, held) {
  return async (peers, sized) => {
    await peers.subscriber({ supports_confirmation_reply: true });
    const provider = await lines(peers);
    provider.tell(a2e("aaepd.a2e.register", "register", { capabilities: ["tools"] }));
    const begun = async () => {
      const { ask, tell, socket } = await lines(peers);
      const has = (word) => (line) => {
        if (line.includes('"type":"error"') || line.includes('"ok":false')) peers.refused(line);
        return line.includes(word);
      };
      const greeting = { agent_id: "bench", agent_caps: ["tools"], auth_token: "" };
      await ask(a2e("handshake/req", "hello", greeting), has("handshake/resp"));
      for (let call = 0; call < held; call += 1)
        tell(a2e("tool/call/req", `call ${call}`, { tool_name: HELD_TOOL, arguments: { call } }));
      // Answered when the calls before it were taken.
      await ask(a2e("ping", "ping", {}), has('"pong"'));
      return socket;
    };
    const all = () => Promise.all(Array.from({ length: sized(agents) }, begun));
    let present = await all();
    return async () => {
      for (const socket of present) socket.destroy();
      present = await all();
    };
  };
}
