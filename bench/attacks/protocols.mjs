// Attacks over the services and the other protocols: by large bodies, by lists of many questions, and by agents that are away or break off.
import { randomUUID } from "node:crypto";
import { request } from "node:http";
import { CONTEXT, CORE } from "../events.mjs";
import { first, sessionStarted } from "./peers.mjs";

const PUBLISH = "/aaep.v1.AgentService/PublishBatch";
const SESSION_QUESTIONS = 64;
const MOST_QUESTIONS = 32;

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
  const ask = (message, isAnswer) =>
    new Promise((resolve, reject) => {
      waiting.add({ isAnswer, resolve, reject });
      socket.write(`${JSON.stringify(message)}\n`);
    });
  return { ask, socket };
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
    const asked = sized(count);
    const started = Array.from({ length: Math.ceil(asked / SESSION_QUESTIONS) }, sessionStarted);
    const person = await lines(peers);
    const terms = { supports_confirmation_reply: true, event_filters: { include: [] } };
    await person.ask(
      { type: "subscription.request", aaep_version: "1.0.0", subscriber_id: "bench-lister", capabilities: terms },
      (line) => line.includes('"subscription.accepted"'),
    );
    await agent.publish(started);
    const question = (_, index) => ({
      type: `${CORE}awaiting.confirmation`,
      session_id: started[Math.floor(index / SESSION_QUESTIONS)].session_id,
      reply_token: `rpl_listed${String(index).padStart(26, "0")}`,
      action: `Delete ${index}.`,
      consequence: "It is gone. ".repeat(500),
      timeout_seconds: 600,
      default_decision: "reject",
    });
    await agent.publish(Array.from({ length: asked }, question), MOST_QUESTIONS);
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
