// What a scenario is: a conversation from handshake to close, as data. How it is carried out over each transport is in run.ts.
import type { Configuration } from "../../src/daemon/config/config.js";
import type { ServiceName } from "../../transports/ways.js";
import type { Message } from "../support/oracles/wire-sniffer.js";

/**
 * A part of a message, as for `toMatchObject`; a member that is undefined has to be missing. Texts that are `$` and a name stand for what was saved
 * under that name.
 */
export type Part = Readonly<Record<string, unknown>>;

export type Step =
  /** A subscriber connects where it has not, and asks. */
  | {
      readonly do: "subscribe";
      readonly who: string;
      readonly request?: Part;
      readonly answer: Part;
      readonly save?: Saved;
    }
  | {
      readonly do: "renegotiate";
      readonly who: string;
      readonly capabilities: unknown;
      readonly answer: Part;
      readonly save?: Saved;
    }
  /** The next events of a subscriber, all of them and in that order. */
  | { readonly do: "hears"; readonly who: string; readonly events: readonly Part[]; readonly save?: Saved }
  /** Everything up to and with an event of that type, looked at as a whole. */
  | {
      readonly do: "hears all";
      readonly who: string;
      readonly until: string;
      readonly check: (events: readonly Message[], texts: readonly string[]) => void;
    }
  /** The next event of a subscriber is the one that was published as that text: byte for byte where the lane carries text, else an equal document. */
  | { readonly do: "hears text"; readonly who: string; readonly text: string }
  | { readonly do: "hears nothing"; readonly who: string }
  /** So many heartbeats and nothing else where streams have them; elsewhere nothing at all. */
  | { readonly do: "is kept alive"; readonly who: string; readonly times: number }
  /** `status`: how its stream ends after that, where streams have a status. */
  | { readonly do: "is told"; readonly who: string; readonly closing: Part; readonly status?: string }
  /** `counts`: false where a call that answers it says so. */
  | { readonly do: "reply"; readonly who: string; readonly message: Part; readonly counts?: false }
  /** That replies with these tokens did not count, and nothing more of the kind. */
  | { readonly do: "is told not taken"; readonly who: string; readonly tokens: readonly string[] }
  /** The place that all it has heard leads to. */
  | { readonly do: "is told its place"; readonly who: string; readonly save: Saved }
  | { readonly do: "skip"; readonly who: string; readonly params: Part; readonly answer?: Part }
  | { readonly do: "repeat"; readonly who: string; readonly eventId: string; readonly answer?: Part }
  | { readonly do: "leave to the host"; readonly who: string; readonly token: string; readonly answer?: Part }
  | { readonly do: "stop"; readonly who: string; readonly sessionId: string; readonly answer?: Part }
  | {
      readonly do: "list pending";
      readonly who: string;
      readonly questions: readonly Part[];
      readonly save?: Saved;
    }
  | { readonly do: "close"; readonly who: string }
  /** The connection of a subscriber breaks, without a word. */
  | { readonly do: "vanish"; readonly who: string }
  | { readonly do: "publish"; readonly agent?: string; readonly events: readonly Part[]; readonly save?: Saved }
  | { readonly do: "publish text"; readonly agent?: string; readonly text: string }
  | { readonly do: "is refused"; readonly agent?: string; readonly events: readonly Part[]; readonly error: Part }
  | {
      readonly do: "call";
      readonly agent?: string;
      readonly method: string;
      readonly params?: Part;
      readonly answer?: Part;
      readonly error?: Part;
      readonly save?: Saved;
    }
  | {
      readonly do: "notify";
      readonly agent?: string;
      readonly method: string;
      readonly params: unknown;
      readonly error?: Part;
    }
  | { readonly do: "agent leaves"; readonly agent?: string }
  | { readonly do: "advance"; readonly ms: number }
  /** The parent's end of standard input, or SIGTERM where there is no parent. */
  | { readonly do: "end" };

/** By a name of its own, what stands at a path: `events.0.event_id`. */
export type Saved = Readonly<Record<string, string>>;

export interface Scenario {
  readonly name: string;
  readonly configuration?: Partial<Configuration>;
  readonly steps: readonly Step[];
  /** Why it cannot be told over a lane; undefined where it can. */
  readonly skip?: (lane: Lane) => string | undefined;
}

/** How a lane's client of services speaks. */
export interface ServiceWay {
  readonly server: ServiceName;
  readonly socket: "unix" | "tcp";
  readonly protocol: "grpc-js" | "connect" | "grpc" | "grpc-web";
  readonly httpVersion: "1.1" | "2";
  readonly codec: "binary" | "json";
  /** The stream of a subscriber: Subscribe or Listen of SubscriberService, Subscribe of AaepService, or the project's own client of Listen. */
  readonly listener: "subscribe" | "listen" | "aaep" | "client";
  /** How its agent publishes: on a stream, by single calls, or over the local socket. */
  readonly agent: "stream" | "calls" | "rpc";
  /** By protobuf's own JSON form in place of the daemon's converter. */
  readonly convertsByProtoJson?: boolean;
}

export interface Lane {
  readonly name: string;
  readonly transport: "ipc" | "memory" | "stdio" | "child" | "service";
  readonly envelope: "plain" | "rpc" | "service";
  readonly framing: "length-prefixed" | "newline" | "content-length" | "memory";
  /** Where the transport is one. */
  readonly service?: ServiceWay;
}

const FRAMINGS = ["length-prefixed", "newline", "content-length"] as const;

const BY_GRPC = { server: "grpc", socket: "unix", protocol: "grpc-js", httpVersion: "2", codec: "binary" } as const;
const BY_CONNECT = {
  server: "http",
  socket: "unix",
  protocol: "connect",
  httpVersion: "1.1",
  codec: "binary",
} as const;
const ON_STREAMS = { listener: "subscribe", agent: "stream" } as const;
const BY_CALLS = { listener: "listen", agent: "calls" } as const;
const IN_BYTES = { listener: "aaep", agent: "rpc" } as const;

const SERVICE_WAYS: Readonly<Record<string, ServiceWay>> = {
  "gRPC, Subscribe and Publish": { ...BY_GRPC, ...ON_STREAMS },
  "gRPC, Listen and calls": { ...BY_GRPC, ...BY_CALLS },
  "gRPC, AaepService": { ...BY_GRPC, ...IN_BYTES },
  "gRPC over TCP, Subscribe and calls": { ...BY_GRPC, socket: "tcp", listener: "subscribe", agent: "calls" },
  "Connect over HTTP/1.1": { ...BY_CONNECT, ...BY_CALLS },
  "Connect over HTTP/1.1, in JSON": { ...BY_CONNECT, ...BY_CALLS, codec: "json", convertsByProtoJson: true },
  "Connect over HTTP/1.1 over TCP": { ...BY_CONNECT, ...BY_CALLS, socket: "tcp" },
  "the client over HTTP": { ...BY_CONNECT, listener: "client", agent: "calls", codec: "json" },
  "the client over HTTP by the platform's fetch": {
    ...BY_CONNECT,
    socket: "tcp",
    listener: "client",
    agent: "calls",
    codec: "json",
  },
  "Connect over HTTP/2, Subscribe and Publish": { ...BY_CONNECT, ...ON_STREAMS, httpVersion: "2" },
  "Connect over HTTP/2, in JSON, Subscribe and Publish": {
    ...BY_CONNECT,
    ...ON_STREAMS,
    httpVersion: "2",
    codec: "json",
    convertsByProtoJson: true,
  },
  "Connect over HTTP/2, AaepService": { ...BY_CONNECT, ...IN_BYTES, httpVersion: "2" },
  "gRPC beside Connect, Subscribe and Publish": {
    ...BY_CONNECT,
    ...ON_STREAMS,
    protocol: "grpc",
    httpVersion: "2",
    convertsByProtoJson: true,
  },
  "gRPC-Web over HTTP/1.1": { ...BY_CONNECT, ...BY_CALLS, protocol: "grpc-web" },
  "gRPC-Web over HTTP/2, Listen and Publish": {
    ...BY_CONNECT,
    protocol: "grpc-web",
    httpVersion: "2",
    listener: "listen",
    agent: "stream",
  },
};

export const LANES: readonly Lane[] = [
  ...FRAMINGS.map((framing): Lane => ({ name: `ipc, ${framing}`, transport: "ipc", envelope: "plain", framing })),
  ...FRAMINGS.map(
    (framing): Lane => ({ name: `ipc, JSON-RPC, ${framing}`, transport: "ipc", envelope: "rpc", framing }),
  ),
  { name: "memory", transport: "memory", envelope: "plain", framing: "memory" },
  { name: "memory, JSON-RPC", transport: "memory", envelope: "rpc", framing: "memory" },
  { name: "stdio, JSON-RPC", transport: "stdio", envelope: "rpc", framing: "newline" },
  { name: "stdio of a child process, JSON-RPC", transport: "child", envelope: "rpc", framing: "newline" },
  ...Object.entries(SERVICE_WAYS).map(
    ([name, service]): Lane => ({ name, transport: "service", envelope: "service", framing: "newline", service }),
  ),
];

/** Whether the lane's agent speaks JSON-RPC: else its requests are those of AgentService. */
export function hasRpcAgent({ service }: Lane): boolean {
  return service === undefined || service.agent === "rpc";
}

/** Whether what a subscriber hears and what it is answered come over connections of their own. */
export function answersApart({ service }: Lane): boolean {
  return service?.listener === "listen" || service?.listener === "client";
}

/** Whether the streams of the lane's subscribers have a message that says that they are alive (R22). */
export function hasHeartbeats({ service }: Lane): boolean {
  return service?.listener === "subscribe" || service?.listener === "listen";
}

/** Whether events reach the lane's subscribers as JSON, so that a text can be the same byte for byte: else equality is of documents. */
export function carriesText({ service }: Lane): boolean {
  return service === undefined || service.listener === "aaep";
}

/** Why a lane cannot tell a scenario; undefined where it can. */
export function skipReason(scenario: Scenario, lane: Lane): string | undefined {
  if (lane.transport === "child") {
    if (scenario.steps.some((step) => step.do === "advance")) return "a process has a clock of its own";
    if (scenario.configuration !== undefined) return "a process has a configuration of its own";
  }
  const isSingle = lane.transport === "stdio" || lane.transport === "child";
  if (isSingle && scenario.steps.some((step) => step.do === "vanish" || step.do === "agent leaves")) {
    return "a spawned daemon has one connection to its parent, which is agent and subscriber in one";
  }
  return scenario.skip?.(lane);
}
