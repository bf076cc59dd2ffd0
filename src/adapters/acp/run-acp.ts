// `aaepd acp`: the proxy between an editor and its agent, the adapter that reads along, and the tellers of the agent in each of its folders.
import type { Readable, Writable } from "node:stream";
import { withResolvers } from "../../base/with-resolvers.js";
import { QUIET_TIMERS } from "../../client/timers.js";
import type { Reading, Sign } from "../adapter.js";
import { AGENT_VARIABLE } from "../host-marks.js";
import type { Speech } from "../language.js";
import { createNamedTeller } from "../named-teller.js";
import { agentIdOf, agentName, hostName } from "../names.js";
import type { LineReader, Verdict } from "../proxy/line-relay.js";
import { type ChildEnd, type RunningProxy, startProxy } from "../proxy/run-proxy.js";
import type { Teller, TellerOptions } from "../teller.js";
import { createAcpAdapter } from "./acp-adapter.js";

export interface RunAcpOptions {
  readonly command: readonly [string, ...string[]];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly host: { readonly readable: Readable; readonly writable: Writable };
  /** The name for people. Default: the agent and its folder. */
  readonly name: string | undefined;
  readonly speech: Speech;
  /** The daemon's socket. Default: the usual one. */
  readonly socket: string | undefined;
  /** Where names in use are noted. */
  readonly runtimeFolder: string | undefined;
  readonly irreversibleKinds: ReadonlySet<string>;
  readonly tellsThoughts: boolean;
  readonly saysPrompts: boolean;
  /** The folder in which the command runs. */
  readonly folder: string;
  /** Receives each fault of aaepd. Must not throw. */
  readonly onFault: (caught: unknown) => void;
  /** Called with the running proxy. */
  readonly onStarted: (proxy: RunningProxy) => void;
}

/** Folders in which an agent has a name of its own. In further ones it speaks by the name of its program alone. */
const MOST_FOLDERS = 16;
/** How long the daemon may take to hear the end, ms. The editor waits for the process. */
const CLOSING_MS = 500;

/** Runs the agent until it ends. Rejects with a Fault if it cannot be started. */
export async function runAcp(options: RunAcpOptions): Promise<ChildEnd> {
  const { command, speech, onFault } = options;
  const { words } = speech;
  const adapter = createAcpAdapter({ ...options, words });
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
  let wakeUp: { readonly at: number; readonly cancel: () => void } | undefined;

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
  function sleep(): void {
    const at = adapter.dueAt();
    if (at === wakeUp?.at) return;
    wakeUp?.cancel();
    wakeUp = at === undefined ? undefined : { at, cancel: QUIET_TIMERS.wakeAt(at, wake) };
  }
  function wake(): void {
    wakeUp = undefined;
    proxy?.catchUp();
    try {
      follow(adapter.wake(QUIET_TIMERS.now()));
    } catch (caught) {
      onFault(caught);
    }
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

interface Tellers {
  readonly in: (folder: string | undefined) => Teller;
  readonly close: () => Promise<void>;
}

/** One agent for each name, because a name says in which folder it works. */
function createTellers(
  options: RunAcpOptions,
  pid: Promise<number>,
  listeners: Pick<TellerOptions, "answered" | "stop">,
): Tellers {
  const { command, speech, onFault } = options;
  const host = hostName(command);
  const open = new Map<string, Teller>();

  const add = (name: string): Teller => {
    const { socket, runtimeFolder } = options;
    const { language } = speech;
    const id = agentIdOf(command);
    const teller = createNamedTeller({ ...listeners, id, name, language, pid, socket, runtimeFolder, onFault });
    open.set(name, teller);
    return teller;
  };
  return {
    in: (folder = options.folder) => {
      const name = agentName(options.name, host, folder, speech.words);
      const known = open.get(name);
      if (known !== undefined) return known;
      return open.size < MOST_FOLDERS ? add(name) : (open.get(host) ?? add(host));
    },
    close: async () => {
      await Promise.all([...open.values()].map((teller) => teller.close(CLOSING_MS)));
    },
  };
}
