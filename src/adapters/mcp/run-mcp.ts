// `aaepd mcp`: the proxy between a host and its server, the adapter that reads along, and the teller of the agent that uses the server.
import { QUIET_TIMERS } from "../../client/timers.js";
import type { Reading, RunOptions } from "../adapter.js";
import { AGENT_VARIABLE } from "../host-marks.js";
import { agentName, serverName } from "../names.js";
import { type ChildEnd, createWaking, type HostSide, type RunningProxy, startProxy } from "../proxy/run-proxy.js";
import { createTeller, type Teller } from "../teller.js";
import { heldNames } from "./held-lines.js";
import { createHostReader } from "./host-reader.js";
import { McpAdapter } from "./mcp-adapter.js";

export interface RunMcpOptions extends RunOptions {
  readonly host: HostSide;
  /** The process of the host, which is the agent (R5d). Undefined: not known. */
  readonly hostPid: number | undefined;
  /** Names of tools that wait for a person, as `heldNames` takes them. */
  readonly irreversibleTools: readonly string[];
  /** How long a person has to answer, in seconds. */
  readonly holdSeconds: number;
}

/** How long the daemon may take to hear the end, ms. The host waits for the process. */
const CLOSING_MS = 500;

/** Runs the server until it ends. Rejects with a Fault if it cannot be started. */
export async function runMcp(options: RunMcpOptions): Promise<ChildEnd> {
  const { command, onFault } = options;
  const { words } = options.speech;
  const { now } = QUIET_TIMERS;
  const server = serverName(command);
  const name = agentName(options.name, server, options.folder, words);
  const adapter = new McpAdapter({ words, server, holdSeconds: options.holdSeconds });
  let proxy: RunningProxy | undefined;
  /** Lines that were sent before the server had started. */
  const early: ((to: RunningProxy) => void)[] = [];
  const sleep = createWaking(adapter.dueAt, () => quietly(() => adapter.wake(now())));
  let teller: Teller | undefined;

  /** Made at the first call: hosts start each server that they know, and use few. */
  const tellerOfCalls = (): Teller =>
    createTeller({
      run: options,
      name,
      pid: options.hostPid,
      answered: (question, decision) => {
        proxy?.catchUp();
        try {
          follow(adapter.answered(question, decision, now()));
        } catch (caught) {
          onFault(caught);
          quietly(() => adapter.unanswered(question, now()));
        }
      },
      unanswered: (question) => quietly(() => adapter.unanswered(question, now())),
    });

  function follow({ signs, toChild = [], toHost = [] }: Reading): void {
    for (const line of toChild) send((to) => to.toChild(line));
    for (const line of toHost) send((to) => to.toHost(line));
    for (const sign of signs) {
      teller ??= tellerOfCalls();
      teller.tell(sign);
    }
    sleep();
  }
  function send(one: (to: RunningProxy) => void): void {
    if (proxy === undefined) early.push(one);
    else one(proxy);
  }
  function quietly(reading: () => Reading): void {
    proxy?.catchUp();
    try {
      follow(reading());
    } catch (caught) {
      onFault(caught);
    }
  }

  proxy = await startProxy({
    command,
    environment: { ...options.environment, [AGENT_VARIABLE]: name },
    host: options.host,
    fromHost: createHostReader({
      held: heldNames(options.irreversibleTools, server),
      read: (text) => adapter.read({ from: "host", text }, now()),
      hold: (text) => adapter.hold(text, now()),
      follow,
      onFault,
    }),
    fromChild: {
      holds: adapter.changesProgress,
      read: (line, isWhole) => {
        if (!isWhole) return "pass";
        const reading = adapter.read({ from: "child", text: line.toString("utf8") }, now());
        follow(reading);
        return reading.verdict ?? "pass";
      },
    },
    onFault,
  });
  for (const one of early) one(proxy);
  options.onStarted(proxy);
  const end = await proxy.ended;
  quietly(() => adapter.ended(end.signal ?? words.say("exitCode", { code: `${end.code ?? 0}` }), end.isAfterHost));
  await teller?.close(CLOSING_MS);
  return end;
}
