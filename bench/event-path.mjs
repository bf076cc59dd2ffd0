// node bench/event-path.mjs [--dist FOLDER] [--top N]
// Counts the cost of one event from an agent's bytes to a subscriber's: files entered, functions, calls, and bytes of heap of our own code. V8 counts
// every call exactly, and samples the heap, so the figures do not depend on how busy the machine is.
import { fork } from "node:child_process";
import { createConnection } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { BENCH, createStage, serveArguments } from "./children.mjs";
import { createEventTexts, passThrough, subscriptionRequest } from "./events.mjs";

const WARM_UP_COUNT = 300;
const EVENT_COUNT = 500;
/** A function is on the event's path if it is called for this share of the events. */
const SHARE_ON_THE_WAY = 0.9;

const { values: options } = parseArgs({
  options: { dist: { type: "string", default: join(BENCH, "../dist") }, top: { type: "string", default: "0" } },
});

/** A peer that speaks newline-delimited JSON. */
async function connect(socket) {
  const connection = createConnection(socket);
  connection.setEncoding("utf8");
  await new Promise((resolve, reject) => connection.once("connect", resolve).once("error", reject));
  let rest = "";
  let wanted = 0;
  let resolve;
  connection.on("data", (text) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop();
    wanted -= lines.length;
    if (wanted <= 0) resolve?.(lines);
  });
  return {
    write: (line) => connection.write(`${line}\n`),
    /** Resolves when that many further lines have come. */
    lines: (count) =>
      new Promise((done) => {
        wanted += count;
        resolve = done;
        if (wanted <= 0) done([]);
      }),
    close: () => connection.destroy(),
  };
}

async function startDaemon(stage, kind, journal) {
  const module = pathToFileURL(join(options.dist, "src/cli/main.js")).href;
  const socket = stage.path("way");
  const child = stage.own(
    fork(join(BENCH, "event-path-daemon.mjs"), [module, ...serveArguments(socket, ["--journal", journal])], {
      env: stage.env,
      stdio: ["ignore", "pipe", "inherit", "ipc"],
    }),
  );
  await new Promise((resolve, reject) => {
    child.stdout.once("data", resolve);
    child.once("exit", (code) => reject(new Error(`The daemon ended with ${code} before it listened.`)));
  });
  const call = (name) =>
    new Promise((resolve) => {
      child.once("message", resolve);
      child.send({ kind, name });
    });
  return { socket, call };
}

/** Results of the probe for `EVENT_COUNT` events, published one by one, each acknowledged and received before the next. */
async function followed(stage, kind, { journal = "memory", subscribers = 1, capabilities = passThrough() }) {
  const daemon = await startDaemon(
    stage,
    kind,
    journal === "disk" ? join(stage.diskFolder("kept"), "journal") : journal,
  );
  const agent = await connect(daemon.socket);
  const texts = createEventTexts({ chunkCharacters: 42 });
  const publish = async (params, receivers) => {
    const all = [agent.lines(1), ...receivers.map((one) => one.lines(1))];
    agent.write(`{"jsonrpc":"2.0","id":1,"method":"aaep.publish","params":${params}}`);
    await Promise.all(all);
  };
  await publish(texts.started(), []);
  const listeners = [];
  for (let index = 0; index < subscribers; index += 1) {
    const listener = await connect(daemon.socket);
    const accepted = listener.lines(1);
    listener.write(JSON.stringify(subscriptionRequest(`listener-${index}`, capabilities)));
    await accepted;
    listeners.push(listener);
  }
  for (let index = 0; index < WARM_UP_COUNT; index += 1) await publish(texts.chunk(index), listeners);
  await daemon.call("begin");
  for (let index = 0; index < EVENT_COUNT; index += 1) await publish(texts.chunk(WARM_UP_COUNT + index), listeners);
  const found = await daemon.call("end");
  for (const one of [agent, ...listeners]) one.close();
  return found;
}

/** Our functions, with their calls for each event. */
function calledIn({ result }) {
  const ours = result.filter(({ url }) => url.startsWith(pathToFileURL(options.dist).href));
  return ours.flatMap(({ url, functions }) =>
    functions.map(({ functionName, ranges: [range] }) => ({
      file: url.slice(pathToFileURL(options.dist).href.length + 1),
      name: functionName,
      perEvent: range.count / EVENT_COUNT,
    })),
  );
}

function heapOfOurs({ head }) {
  let bytes = 0;
  const walk = ({ callFrame, selfSize, children }) => {
    if (callFrame.url.startsWith(pathToFileURL(options.dist).href)) bytes += selfSize;
    for (const child of children) walk(child);
  };
  walk(head);
  return bytes / EVENT_COUNT;
}

const stage = createStage();
const ways = [
  ["journal in memory, one pass-through subscriber", {}],
  ["journal on disk, the same", { journal: "disk" }],
  ["no subscriber", { subscribers: 0 }],
  ["50 pass-through subscribers", { subscribers: 50 }],
];
const callsOf = [];
for (const [name, way] of ways) {
  const called = calledIn(await followed(stage, "calls", way)).filter(({ perEvent }) => perEvent > 0);
  const onTheWay = called.filter(({ perEvent }) => perEvent >= SHARE_ON_THE_WAY);
  const calls = called.reduce((sum, { perEvent }) => sum + perEvent, 0);
  const bytes = heapOfOurs(await followed(stage, "heap", way));
  callsOf.push(calls);
  const fileCount = new Set(onTheWay.map(({ file }) => file)).size;
  const size = `${(bytes / 1024).toFixed(1)} KiB`;
  console.log(`${name}: ${fileCount} files, ${onTheWay.length} functions, ${calls.toFixed(1)} calls, ${size}`);
  const most = onTheWay.sort((a, b) => b.perEvent - a.perEvent).slice(0, Number(options.top));
  for (const one of most) console.log(`  ${one.perEvent.toFixed(2)}  ${one.file}  ${one.name}`);
}
const further = (callsOf[3] - callsOf[0]) / 49;
console.log(`each further pass-through subscriber: ${further.toFixed(1)} calls`);
await stage.close();
