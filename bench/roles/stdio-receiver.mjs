// Starts its sender as a child and reads its standard output: JSON-RPC notifications, each parsed and its order checked.
import { spawn } from "node:child_process";
import { CORE, numberOf, subscriptionRequest } from "../events.mjs";
import { createOrderCheck } from "../order-check.mjs";
import { cpuMicrosOf } from "../process-cpu.mjs";
import { serveRole } from "../role.mjs";
import { createTally } from "../tally.mjs";

const tally = createTally();
const waiting = new Map();
let child;
let rest = "";
let lastId = 0;
/** Index and check of each subscription by its name; "" is a single one. */
let subscriptions = new Map();
let open = [];

function request(method, params) {
  lastId += 1;
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: lastId, method, params })}\n`);
  return new Promise((resolve, reject) => waiting.set(lastId, { resolve, reject }));
}

function subscriptionOf(id) {
  const known = subscriptions.get(id);
  if (known !== undefined) return known;
  const made = { index: subscriptions.size, check: createOrderCheck() };
  subscriptions.set(id, made);
  return made;
}

function take(text) {
  const lines = (rest + text).split("\n");
  rest = lines.pop();
  const counts = new Map();
  for (const line of lines) {
    const { id, result, error, method, params, subscription_id: name = "" } = JSON.parse(line);
    if (id !== undefined) {
      if (error === undefined) waiting.get(id).resolve(result);
      else waiting.get(id).reject(new Error(JSON.stringify(error)));
      waiting.delete(id);
    } else if (method === "aaep.event" && params.type === `${CORE}output.streaming`) {
      const { index, check } = subscriptionOf(name);
      check(numberOf(params));
      counts.set(index, (counts.get(index) ?? 0) + 1);
    }
  }
  for (const [index, count] of counts) tally.took(index, count);
}

serveRole({
  ...tally.commands,
  start: async ({ args, isDaemon = false }) => {
    child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
    child.stdout.setEncoding("utf8").on("data", take);
    // A daemon that answers has opened its socket too.
    if (isDaemon) await request("aaep.ping", {});
  },
  /** Starts again with `count` subscriptions; with `capabilities` the child is asked for them. */
  subscribe: async ({ count, capabilities, creditPath }) => {
    for (const subscription_id of open) {
      await request("aaep.close", { type: "subscription.close", subscription_id, reason_code: "subscriber_shutdown" });
    }
    open = [];
    subscriptions = new Map();
    tally.begin({ count, creditPath });
    if (capabilities === undefined) return;
    for (let index = 0; index < count; index += 1) {
      const accepted = await request("aaep.subscribe", subscriptionRequest(`bench-${index}`, capabilities));
      if (accepted.type !== "subscription.accepted") throw new Error(JSON.stringify(accepted));
      open.push(accepted.subscription_id);
    }
  },
  /** Tells the child to write. */
  tell: (order) => void child.stdin.write(`${JSON.stringify(order)}\n`),
  /** CPU microseconds of the child so far. */
  childCpu: () => cpuMicrosOf(child.pid),
  stop: () =>
    new Promise((resolve) => {
      // The last messages of a daemon have other ids.
      child.stdout.off("data", take).resume();
      child.once("exit", resolve);
      child.stdin.end();
    }),
});
