// A person who answers at once: agent and assistive technology are in one process, so that one clock measures from the reply to the agent's answer. A
// third connection sends forged replies as fast as they are read.
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connected } from "../connected.mjs";
import { cutFrames } from "../cut-frames.mjs";
import { createEventTexts, framed, subscriptionRequest } from "../events.mjs";
import { serveRole } from "../role.mjs";

let agent;
let answered = () => {};
let subscriber;
let asked = () => {};
let subscriptionId = "";
let texts;
let number = 0;

const after = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function subscribed(path, name, onQuestion) {
  const socket = await connected(path);
  const accepted = new Promise((resolve) => {
    cutFrames(socket, (data, from, end) => {
      const message = JSON.parse(data.toString("utf8", from, end));
      if (message.type === "subscription.accepted") resolve(message.subscription_id);
      else if (message.type === "aaep:agent.awaiting.confirmation") onQuestion(message);
    });
  });
  const capabilities = { supports_confirmation_reply: true, event_filters: { include: [] } };
  socket.write(framed(JSON.stringify(subscriptionRequest(name, capabilities))));
  return { socket, id: await accepted };
}

function replyTo(token, id) {
  const timestamp = new Date().toISOString();
  const reply = { type: "confirmation.reply", subscription_id: id, reply_token: token, decision: "accept", timestamp };
  return framed(JSON.stringify(reply));
}

serveRole({
  open: async ({ path }) => {
    texts = createEventTexts();
    agent = await connected(path);
    let rest = "";
    agent.setEncoding("utf8").on("data", (text) => {
      const lines = `${rest}${text}`.split("\n");
      rest = lines.pop();
      for (const line of lines) if (line.includes('"decision"')) answered(performance.now());
    });
    agent.write(`{"jsonrpc":"2.0","method":"aaep.publish","params":${texts.started()}}\n`);
    const one = await subscribed(path, "bench-replier", (question) => asked(question));
    subscriber = one.socket;
    subscriptionId = one.id;
  },
  /** Microseconds from sending a valid reply until the agent has its answer. */
  replies: async ({ count, everyMs }) => {
    const micros = [];
    for (let index = 0; index < count; index += 1) {
      number += 1;
      const question = new Promise((resolve) => {
        asked = resolve;
      });
      const answer = new Promise((resolve) => {
        answered = resolve;
      });
      const params = {
        session_id: texts.session,
        action: `Delete ${number}.`,
        consequence: "It is gone.",
        default_decision: "reject",
        timeout_seconds: 600,
      };
      agent.write(`${JSON.stringify({ jsonrpc: "2.0", id: number, method: "aaep.confirm", params })}\n`);
      const { reply_token: token } = await question;
      const begin = performance.now();
      subscriber.write(replyTo(token, subscriptionId));
      micros.push(((await answer) - begin) * 1000);
      await after(everyMs);
    }
    return micros;
  },
  /** Sends forged replies on a connection of its own; resolves when the daemon has read them all. */
  forge: async ({ path, count }) => {
    const { socket, id } = await subscribed(path, "bench-forger", () => {});
    for (let sent = 0; sent < count; sent += 100) {
      const forged = Array.from({ length: 100 }, () => replyTo(`rpl_${randomBytes(16).toString("hex")}`, id));
      if (!socket.write(Buffer.concat(forged))) await once(socket, "drain");
    }
    socket.end();
    await once(socket, "close");
  },
});
