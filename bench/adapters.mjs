// node bench/adapters.mjs [--pairs N] [--lines N] [--only acp|mcp|hook]
// Measures the cost of a line through `aaepd acp` and `aaepd mcp`: the same lines go to an agent alone and to one behind the proxy, in turns, and
// each line says when it was sent. One line every few milliseconds, as an agent streams. Measures the cost of a hook beside `node -e 0`. In each
// state of the daemon: running, none, stopped, killed on the way. On a busy machine the 99th percentile needs precedence: chrt -r 5 node bench/adapters.mjs
import { spawn } from "node:child_process";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { AAEPD, BENCH, createStage, timeOf } from "./children.mjs";
import { interleaved, median, percentile } from "./measuring.mjs";

const { values: options } = parseArgs({
  options: {
    pairs: { type: "string", default: "5" },
    lines: { type: "string", default: "400" },
    only: { type: "string" },
  },
});
const LINES = Number(options.lines);
const PAUSE_MS = 4;
const WARM_UP = 50;
const HOOKS = 20;
const STATES = ["running", "none", "stopped", "killed"];

const nanoseconds = () => Number(process.hrtime.bigint());

/** A child that answers each line. `turn` resolves with the ways of one line there and one back, in ms. */
function peer(stage, kind, argv, env) {
  const child = stage.own(spawn(process.execPath, argv, { env, stdio: ["pipe", "pipe", "inherit"] }));
  const waiting = new Map();
  let rest = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    const at = nanoseconds();
    const lines = (rest + text).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      const [, id, got, sent] = /"way":\[(\d+),(\d+),(\d+)\]/.exec(line) ?? [];
      waiting.get(Number(id))?.(Number(got), Number(sent), at);
    }
  });
  const write = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  for (const message of OPENING[kind]) write(message);
  return {
    turn: (id) =>
      new Promise((resolve) => {
        const from = nanoseconds();
        waiting.set(id, (got, sent, at) => {
          waiting.delete(id);
          resolve({ down: (got - from) / 1e6, up: (at - sent) / 1e6 });
        });
        write(LINE[kind](id));
      }),
    stop: () => child.kill(),
  };
}

const SESSION = { sessionId: "s" };
const OPENING = {
  acp: [
    { id: 1_000_001, method: "initialize", params: { protocolVersion: 1 } },
    {
      id: 1_000_002,
      method: "session/prompt",
      params: { ...SESSION, prompt: [{ type: "text", text: "Mend the tests." }] },
    },
  ],
  mcp: [{ id: 1_000_001, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {} } }],
};
/** A line of the host that the agent answers by a piece of text, and a call that the server answers by its result: both are told. */
const LINE = {
  acp: (id) => ({ method: "session/set_mode", id, params: { ...SESSION, modeId: "code" } }),
  mcp: (id) => ({
    id,
    method: "tools/call",
    params: { name: "read_note", arguments: { path: `/home/ada/shop/note-${id}.txt` } },
  }),
};

const figures = (ways) => ({ p50: percentile(ways, 0.5), p99: percentile(ways, 0.99) });

async function measure(kind, state) {
  const stage = createStage();
  const daemon = state === "none" ? undefined : await stage.daemon();
  const env = { ...stage.env, AAEPD_SOCKET: daemon?.socket ?? stage.path("none") };
  const role = [join(BENCH, "roles/line-peer.mjs"), kind];
  const alone = peer(stage, kind, role, env);
  const proxied = peer(stage, kind, [AAEPD, kind, "--socket", env.AAEPD_SOCKET, "--", process.execPath, ...role], env);
  const ways = { alone: [], proxied: [] };
  for (let at = -WARM_UP; at < LINES; at += 1) {
    if (at === 0 && state === "stopped") process.kill(daemon.pid, "SIGSTOP");
    if (at === LINES / 2 && state === "killed") process.kill(daemon.pid, "SIGKILL");
    for (const [name, one] of at % 2 === 0 ? PAIR(alone, proxied) : PAIR(alone, proxied).toReversed()) {
      await setTimeout(PAUSE_MS);
      const { down, up } = await one.turn(at + WARM_UP);
      if (at >= 0) ways[name].push(down, up);
    }
  }
  if (state === "stopped") process.kill(daemon.pid, "SIGCONT");
  await stage.close({ patienceMs: 0 });
  const [own, beside] = [figures(ways.proxied), figures(ways.alone)];
  return { own, beside, more50: own.p50 - beside.p50, more99: own.p99 - beside.p99 };
}

const PAIR = (alone, proxied) => [
  ["alone", alone],
  ["proxied", proxied],
];

/** A hook of a host, whose message is told or asks, beside a Node that does nothing. Resolves with ms more. */
async function measureHook(message, state) {
  const stage = createStage();
  const daemon = state === "none" ? undefined : await stage.daemon();
  const socket = daemon?.socket ?? stage.path("none");
  if (state === "stopped") process.kill(daemon.pid, "SIGSTOP");
  const hook = [join(BENCH, "../bin/aaepd-hook.js"), "claude", "--answer", "--socket", socket];
  const pairs = await interleaved(
    HOOKS,
    () => timeOf(process.execPath, hook, JSON.stringify({ ...HOOK_MESSAGE, ...message })),
    () => timeOf(process.execPath, ["-e", "0"]),
  );
  if (state === "stopped") process.kill(daemon.pid, "SIGCONT");
  await stage.close({ patienceMs: 0 });
  return pairs;
}

const HOOK_MESSAGE = {
  session_id: "s",
  cwd: "/home/ada/shop",
  permission_mode: "default",
  tool_name: "Bash",
  tool_input: { command: "npm test" },
};
const HOOK_EVENTS = {
  told: { hook_event_name: "PreToolUse", tool_use_id: "t" },
  asked: { hook_event_name: "PermissionRequest" },
};

const shown = (values) =>
  `${median(values).toFixed(3)} (${Math.min(...values).toFixed(3)} to ${Math.max(...values).toFixed(3)})`;
const wanted = (kind) => options.only === undefined || options.only === kind;

if (options.only !== "hook")
  console.log("A line through a proxy, ms more than without it: median of the runs, and their spread. Alone: ms");
for (const kind of ["acp", "mcp"].filter(wanted))
  for (const state of STATES) {
    const runs = [];
    for (let run = 0; run < Number(options.pairs); run += 1) runs.push(await measure(kind, state));
    const of = (pick) => shown(runs.map(pick));
    console.log(
      `${kind}, daemon ${state}: p50 ${of((run) => run.more50)}, p99 ${of((run) => run.more99)}; alone p50 ${of((run) => run.beside.p50)}, p99 ${of((run) => run.beside.p99)}`,
    );
  }
if (wanted("hook")) {
  console.log("A hook, ms more than node -e 0 in pairs: median, and spread. Nobody can answer");
  for (const state of ["running", "none", "stopped"])
    for (const [name, message] of Object.entries(HOOK_EVENTS)) {
      const pairs = await measureHook(message, state);
      const beside = median(pairs.map(([, bare]) => bare));
      console.log(
        `hook, daemon ${state}, ${name}: ${shown(pairs.map(([ours, bare]) => ours - bare))}; node ${beside.toFixed(1)}`,
      );
    }
}
