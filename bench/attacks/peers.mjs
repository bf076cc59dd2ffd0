// The connections of an attacker. Everything received on them is read to the end, so that no attack is merely a subscriber that does not read.
import { randomBytes } from "node:crypto";
import { connected } from "../connected.mjs";
import { CORE, framed, subscriptionRequest } from "../events.mjs";

const MOST_EVENTS = 256;
const SESSION_QUESTIONS = 64;
/** Questions of one publish (R34). */
const MOST_QUESTIONS = 16;

/**
 * The connections of an attack to the daemon at `path` (and at `servicePath`, for its services). `refusals` has the number of refusals, and the first in
 * the daemon's words.
 */
export function createPeers({ path, servicePath }) {
  const refusals = { count: 0, first: undefined };
  const refused = (words) => {
    refusals.count += 1;
    refusals.first ??= words.slice(0, 400);
  };
  const connection = async () => {
    const socket = await connected(path);
    socket.on("error", () => {});
    return socket;
  };
  return {
    servicePath,
    refusals,
    refused,
    connection,
    agent: async () => createAgent(await connection(), refused),
    subscriber: async (capabilities) => createSubscriber(await connection(), capabilities, refused),
  };
}

/** Resolves when the socket takes more, always in a later turn, so that input is read. Throws if the connection has ended. */
export async function sent(socket, bytes) {
  if (socket.destroyed) throw new Error("The daemon has closed the attacker's connection.");
  if (!socket.write(bytes)) await first(socket, ["drain", "close"]);
  await new Promise((resolve) => setImmediate(resolve));
}

/** Resolves with the first of these events. */
export function first(socket, names) {
  return new Promise((resolve) => {
    const done = (value) => {
      for (const name of names) socket.off(name, done);
      resolve(value);
    };
    for (const name of names) socket.on(name, done);
  });
}

function createAgent(socket, refused) {
  let lastId = 0;
  let rest = "";
  const waiting = new Map();
  let heard = 0;
  let onHeard = () => {};
  let hasLeft = false;
  socket.setEncoding("utf8").on("data", (text) => {
    const lines = `${rest}${text}`.split("\n");
    rest = lines.pop();
    for (const line of lines) {
      if (line.includes('"aaep.outcome"')) heard += 1;
      else if (line.includes('"error"') || line.includes('"aaep.error"')) refused(line);
      const id = Number(/"id":(\d+)/.exec(line.slice(0, 64))?.[1]);
      waiting.get(id)?.resolve();
      waiting.delete(id);
    }
    onHeard();
  });
  socket.on("close", () => {
    if (hasLeft) return;
    for (const { reject } of waiting.values()) reject(new Error("The daemon has closed the attacker's connection."));
  });
  const request = (method, params) => {
    lastId += 1;
    const answered = new Promise((resolve, reject) => waiting.set(lastId, { resolve, reject }));
    socket.write(`{"jsonrpc":"2.0","id":${lastId},"method":"${method}","params":${params}}\n`);
    return answered;
  };
  return {
    socket,
    /** Publishes events, at most `most` at a time, and waits for the answers. */
    publish: async (events, most = MOST_EVENTS) => {
      for (let from = 0; from < events.length; from += most) {
        await request("aaep.publish", JSON.stringify(events.slice(from, from + most)));
      }
    },
    /** Resolves when the agent has received that many outcomes of its questions. */
    outcomes: async (count) => {
      while (heard < count) {
        await new Promise((resolve) => {
          onHeard = resolve;
        });
      }
      heard -= count;
    },
    leave: () => {
      hasLeft = true;
      socket.destroy();
    },
  };
}

/** Resolves when the subscription is accepted or refused. */
async function createSubscriber(socket, capabilities, refused) {
  let onAnswer;
  socket.on("data", (bytes) => {
    // Events are read and dropped.
    if (onAnswer === undefined) return;
    const isRefusal = bytes.includes('"subscription.rejected"') || bytes.includes('"aaepd.error"');
    if (!isRefusal && !bytes.includes('"subscription.accepted"')) return;
    if (isRefusal) refused(bytes.toString("utf8", 4));
    onAnswer();
  });
  socket.on("close", () => onAnswer?.());
  const answered = new Promise((resolve) => {
    onAnswer = resolve;
  });
  socket.write(framed(JSON.stringify(subscriptionRequest(`bench-attacker-${process.pid}`, capabilities))));
  await answered;
  onAnswer = undefined;
  return { leave: () => socket.destroy() };
}

/** A session's first event, with an id of its own. */
export function sessionStarted() {
  const session = `sess_${randomBytes(8).toString("hex")}`;
  return { session_id: session, type: `${CORE}session.started`, summary_normal: "The attack begins." };
}

/** The line of a publish without an answer. */
export function publishLine(events) {
  return Buffer.from(`{"jsonrpc":"2.0","method":"aaep.publish","params":${JSON.stringify(events)}}\n`);
}

/** A function that asks `count` questions in sessions of the agent, with other tokens each time. */
export async function createAsker(agent, count, consequence = "It is gone.") {
  const started = Array.from({ length: Math.ceil(count / SESSION_QUESTIONS) }, sessionStarted);
  await agent.publish(started);
  let number = 0;
  const question = (_, index) => {
    number += 1;
    return {
      type: `${CORE}awaiting.confirmation`,
      session_id: started[Math.floor(index / SESSION_QUESTIONS)].session_id,
      reply_token: `rpl_attack${String(number).padStart(26, "0")}`,
      action: `Delete ${number}.`,
      consequence,
      timeout_seconds: 600,
      default_decision: "reject",
    };
  };
  return () => agent.publish(Array.from({ length: count }, question), MOST_QUESTIONS);
}
