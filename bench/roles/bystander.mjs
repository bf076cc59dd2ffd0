// An ordinary agent and subscriber beside an attack: in one process, so that one clock measures both ends of a critical event.
import { once } from "node:events";
import { connected } from "../connected.mjs";
import { createEventTexts, cutFrames, framed, subscriptionRequest } from "../events.mjs";
import { percentile } from "../measuring.mjs";
import { serveRole } from "../role.mjs";

const ALARM = Buffer.from('"https://bench.example/types/alarm"');
const ID = Buffer.from('"event_id":"');
/** An alarm's type and id stand within this many of its first bytes. */
const HEAD_BYTES = 256;
/** Time from the command to the first event, ms. */
const LEAD_MS = 20;

let agent;
let texts;
let published = 0;
let onAlarm = () => {};
/** Settles when either connection has ended, with the last words of the daemon. */
let ended;
let isOver = false;

/** The number of an alarm; undefined for every other message. */
function alarmIn(data, from, end) {
  const head = data.subarray(from, Math.min(end, from + HEAD_BYTES));
  if (!head.includes(ALARM)) return undefined;
  const id = head.indexOf(ID) + ID.length;
  return Number(head.toString("latin1", head.indexOf('"', id) - 9, head.indexOf('"', id)));
}

async function subscribe(path) {
  const socket = await connected(path);
  let last = "";
  const accepted = new Promise((resolve) => {
    cutFrames(socket, (data, from, end) => {
      const number = alarmIn(data, from, end);
      if (number !== undefined) onAlarm(number, performance.now());
      else if (end - from < 4096) last = data.subarray(from, end);
      resolve();
    });
  });
  socket.write(framed(JSON.stringify(subscriptionRequest("bench-bystander", {}))));
  await accepted;
  return { socket, lastMessage: () => last.toString("utf8") };
}

/** Sends the lines that are due, independently of arrivals. Each is due at its own instant, so that a late sender makes no event younger. */
function sendOnSchedule(count, dueAt, lineOf) {
  const lateMs = [];
  const send = () => {
    let lines = "";
    const now = performance.now();
    while (lateMs.length < count && dueAt(lateMs.length) <= now) {
      lines += lineOf(lateMs.length);
      lateMs.push(now - dueAt(lateMs.length));
    }
    if (lines !== "" && !agent.destroyed) agent.write(lines);
    if (lateMs.length < count) setTimeout(send, dueAt(lateMs.length) - performance.now());
  };
  send();
  return lateMs;
}

serveRole({
  open: async ({ path }) => {
    texts = createEventTexts();
    agent = await connected(path);
    agent.write(`{"jsonrpc":"2.0","id":1,"method":"aaep.publish","params":${texts.started()}}\n`);
    await once(agent, "data");
    agent.resume();
    const { socket, lastMessage } = await subscribe(path);
    for (const one of [agent, socket]) one.on("error", () => {});
    // `once` of node:events would reject where a connection is reset, as it is by a daemon that was killed before it had read everything.
    ended = new Promise((resolve) => {
      for (const one of [agent, socket]) one.once("close", resolve);
    }).then(() => {
      isOver = true;
      return lastMessage();
    });
  },
  /**
   * Publishes `count` critical events, one each `everyMs`, and returns their times from the scheduled instants. An event that has not arrived
   * `limitMs` after the last of them counts with the time until then, and in `missing`.
   */
  measure: async ({ count, everyMs, limitMs }) => {
    const begin = performance.now() + LEAD_MS;
    const first = published + 1;
    published += count;
    const dueAt = (index) => begin + index * everyMs;
    const times = Array.from({ length: count }, () => undefined);
    let left = count;
    const all = new Promise((resolve) => {
      onAlarm = (number, at) => {
        const index = number - first;
        if (index < 0 || times[index] !== undefined) return;
        times[index] = at - dueAt(index);
        left -= 1;
        if (left === 0) resolve();
      };
    });
    let timer;
    const late = new Promise((resolve) => {
      timer = setTimeout(resolve, LEAD_MS + count * everyMs + limitMs);
    });
    const cpuBefore = process.cpuUsage();
    const lateMs = sendOnSchedule(
      count,
      dueAt,
      (index) => `{"jsonrpc":"2.0","method":"aaep.publish","params":${texts.alarm(first + index)}}\n`,
    );
    const lastWords = await Promise.race([all, late, ended]);
    clearTimeout(timer);
    onAlarm = () => {};
    const { user, system } = process.cpuUsage(cpuBefore);
    const limit = dueAt(count - 1) + limitMs;
    const ms = times.map((one, index) => one ?? limit - dueAt(index));
    return {
      p50: percentile(ms, 0.5),
      p99: percentile(ms, 0.99),
      worst: Math.max(...ms),
      missing: left,
      senderLateP99: percentile(lateMs, 0.99),
      ownCpuMs: (user + system) / 1000,
      ...(isOver && left > 0 ? { lastWords: lastWords ?? "" } : {}),
    };
  },
});
