// `aaepd acp`: the proxy between an editor and its agent, the adapter that reads along, and the tellers of the agent in each of its folders.
import { withResolvers } from "../../base/with-resolvers.js";
import { QUIET_TIMERS } from "../../client/timers.js";
import type { Reading, RunOptions, Sign } from "../adapter.js";
import { AGENT_VARIABLE } from "../host-marks.js";
import { agentName, hostName } from "../names.js";
import type { LineReader, Verdict } from "../proxy/line-relay.js";
import { type ChildEnd, createWaking, type HostSide, type RunningProxy, startProxy } from "../proxy/run-proxy.js";
import { createTeller, type Teller, type TellerOptions } from "../teller.js";
import { AcpAdapter, type AcpOptions } from "./acp-adapter.js";

export interface RunAcpOptions extends RunOptions, Omit<AcpOptions, "words"> {
  readonly host: HostSide;
}

/** Folders in which an agent has a name of its own. In further ones it speaks by the name of its program alone. */
const MOST_FOLDERS = 16;
/** How long the daemon may take to hear the end, ms. The editor waits for the process. */
const CLOSING_MS = 500;

/** Runs the agent until it ends. Rejects with a Fault if it cannot be started. */
export async function runAcp(options: RunAcpOptions): Promise<ChildEnd> {
  const { command, speech, onFault } = options;
  const { words } = speech;
  const adapter = new AcpAdapter({ ...options, words });
  const { promise: pid, resolve: started } = withResolvers<number>();
  const tellers = createTellers(options, pid, {
    answered: (question, decision) => {
      proxy?.catchUp();
      follow(adapter.answered(question, decision, QUIET_TIMERS.now()));
    },
    stop: (turn) => {
      proxy?.catchUp();
      follow(adapter.stop(turn, QUIET_TIMERS.now()));
    },
  });
  /** The teller of each turn, until the turn ends. */
  const turns = new Map<string, Teller>();
  let proxy: RunningProxy | undefined;
  const sleep = createWaking(adapter.dueAt, () => {
    proxy?.catchUp();
    try {
      follow(adapter.wake(QUIET_TIMERS.now()));
    } catch (caught) {
      onFault(caught);
    }
  });

  function tell(sign: Sign): void {
    if (sign.kind === "turn") turns.set(sign.turn, tellers.in(sign.folder));
    turns.get(sign.turn)?.tell(sign);
    if (sign.kind === "end") turns.delete(sign.turn);
  }
  function follow({ signs, verdict = "pass", toChild = [], toHost = [], folder }: Reading): Verdict {
    for (const line of toChild) proxy?.toChild(line);
    for (const line of toHost) proxy?.toHost(line);
    // Before the first request, so that a daemon has been found by then.
    if (folder !== undefined) tellers.in(folder);
    for (const sign of signs) tell(sign);
    sleep();
    return verdict;
  }
  const reader = (from: "host" | "child", holds: () => boolean): LineReader => ({
    holds,
    read: (line, isWhole) =>
      isWhole ? follow(adapter.read({ from, text: line.toString("utf8") }, QUIET_TIMERS.now())) : "pass",
  });

  const name = agentName(options.name, hostName(command), options.folder, words);
  proxy = await startProxy({
    command,
    environment: { ...options.environment, [AGENT_VARIABLE]: name },
    host: options.host,
    fromHost: reader("host", adapter.holds),
    fromChild: reader("child", () => false),
    onFault,
  });
  started(proxy.pid);
  options.onStarted(proxy);
  const end = await proxy.ended;
  proxy.catchUp();
  follow(adapter.ended(end.signal ?? words.say("exitCode", { code: `${end.code ?? 0}` }), end.isAfterHost));
  await tellers.close();
  return end;
}

/** One agent for each name, because a name says in which folder it works. */
function createTellers(
  run: RunAcpOptions,
  pid: Promise<number>,
  listeners: Pick<TellerOptions, "answered" | "stop">,
): { readonly in: (folder: string | undefined) => Teller; readonly close: () => Promise<void> } {
  const host = hostName(run.command);
  const open = new Map<string, Teller>();

  const add = (name: string): Teller => {
    const teller = createTeller({ run, ...listeners, name, pid });
    open.set(name, teller);
    return teller;
  };
  return {
    in: (folder = run.folder) => {
      const name = agentName(run.name, host, folder, run.speech.words);
      const known = open.get(name);
      if (known !== undefined) return known;
      return open.size < MOST_FOLDERS ? add(name) : (open.get(host) ?? add(host));
    },
    close: async () => {
      await Promise.all([...open.values()].map((teller) => teller.close(CLOSING_MS)));
    },
  };
}
