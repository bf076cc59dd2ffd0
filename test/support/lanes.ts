// Every lane to a daemon of a test: its transports, framings, envelopes, services and codecs, once.
import type { Message } from "@bufbuild/protobuf";
import { onTestFinished } from "vitest";
import type { Connection } from "../../src/contracts/transport.js";
import type { ServiceName } from "../../transports/ways.js";
import type { DaemonRig } from "./rigs/daemon-rig.js";
import { createConnectClient } from "./services/connect-client.js";
import { createGrpcClient } from "./services/grpc-client.js";
import type { ServiceClient } from "./services/service-client.js";
import { converseStream, type StreamOfTexts } from "./services/text-connections.js";

/** How a client of services speaks. */
export interface ClientWay {
  readonly server: ServiceName;
  readonly socket: "unix" | "tcp";
  readonly protocol: "grpc-js" | "connect" | "grpc" | "grpc-web";
  readonly httpVersion: "1.1" | "2";
  readonly codec: "binary" | "json";
}

/** How a lane speaks by services. */
export interface ServiceWay extends ClientWay {
  /** The stream of a subscriber: Subscribe or Listen of SubscriberService, Subscribe of AaepService, or the project's own client of Listen. */
  readonly listener: "subscribe" | "listen" | "aaep" | "client";
  /** How its agent publishes: on a stream, by single calls, or over the local socket. */
  readonly agent: "stream" | "calls" | "rpc";
}

export interface Lane {
  readonly name: string;
  readonly transport: "ipc" | "memory" | "stdio" | "child" | "service" | "websocket" | "sse";
  readonly envelope: "plain" | "rpc" | "service";
  readonly framing: "length-prefixed" | "newline" | "content-length" | "memory" | "websocket" | "sse";
  /** Where the transport is one. */
  readonly service?: ServiceWay;
}

export const FRAMINGS = ["length-prefixed", "newline", "content-length"] as const;

export const GRPC = { server: "grpc", socket: "unix", protocol: "grpc-js", httpVersion: "2", codec: "binary" } as const;
export const HTTP1 = {
  server: "http",
  socket: "unix",
  protocol: "connect",
  httpVersion: "1.1",
  codec: "binary",
} as const;
export const HTTP2 = { ...HTTP1, httpVersion: "2" } as const;
export const WEB = { ...HTTP1, protocol: "grpc-web" } as const;

const ON_STREAMS = { listener: "subscribe", agent: "stream" } as const;
const BY_CALLS = { listener: "listen", agent: "calls" } as const;
const IN_BYTES = { listener: "aaep", agent: "rpc" } as const;

const SERVICE_WAYS: Readonly<Record<string, ServiceWay>> = {
  "gRPC, Subscribe and Publish": { ...GRPC, ...ON_STREAMS },
  "gRPC, Listen and calls": { ...GRPC, ...BY_CALLS },
  "gRPC, AaepService": { ...GRPC, ...IN_BYTES },
  "gRPC over TCP, Subscribe and calls": { ...GRPC, socket: "tcp", listener: "subscribe", agent: "calls" },
  "Connect over HTTP/1.1": { ...HTTP1, ...BY_CALLS },
  "Connect over HTTP/1.1, in JSON": { ...HTTP1, ...BY_CALLS, codec: "json" },
  "Connect over HTTP/1.1 over TCP": { ...HTTP1, ...BY_CALLS, socket: "tcp" },
  "the client over HTTP": { ...HTTP1, listener: "client", agent: "calls", codec: "json" },
  "the client over HTTP by the platform's fetch": {
    ...HTTP1,
    socket: "tcp",
    listener: "client",
    agent: "calls",
    codec: "json",
  },
  "Connect over HTTP/2, Subscribe and Publish": { ...HTTP1, ...ON_STREAMS, httpVersion: "2" },
  "Connect over HTTP/2, in JSON, Subscribe and Publish": {
    ...HTTP1,
    ...ON_STREAMS,
    httpVersion: "2",
    codec: "json",
  },
  "Connect over HTTP/2, AaepService": { ...HTTP1, ...IN_BYTES, httpVersion: "2" },
  "gRPC beside Connect, Subscribe and Publish": {
    ...HTTP1,
    ...ON_STREAMS,
    protocol: "grpc",
    httpVersion: "2",
  },
  "gRPC-Web over HTTP/1.1": { ...HTTP1, ...BY_CALLS, protocol: "grpc-web" },
  "gRPC-Web over HTTP/2, Listen and Publish": {
    ...HTTP1,
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
  { name: "WebSocket", transport: "websocket", envelope: "plain", framing: "websocket" },
  { name: "Server-Sent Events", transport: "sse", envelope: "plain", framing: "sse" },
  { name: "WebSocket, JSON-RPC", transport: "websocket", envelope: "rpc", framing: "websocket" },
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

/** A client of its own for whoever asks; closed when the test has finished. */
export function serviceClient(rig: DaemonRig, way: ClientWay): ServiceClient {
  const address = rig.serviceAddress(way.server);
  const headers = rig.authorization();
  const { protocol, httpVersion } = way;
  const client =
    protocol === "grpc-js"
      ? createGrpcClient(address, headers)
      : createConnectClient({ address, headers, protocol, httpVersion, useBinaryFormat: way.codec === "binary" });
  onTestFinished(client.close);
  return client;
}

/** A lane of a protocol of exchanges. */
export type ExchangeLane = readonly [name: string, open: (rig: DaemonRig) => Promise<Connection<Uint8Array>>];

const EXCHANGE_SERVICES = {
  gRPC: GRPC,
  "connect of HTTP": HTTP2,
  "grpc of HTTP": { ...HTTP2, protocol: "grpc" },
  "grpc-web of HTTP": { ...HTTP2, protocol: "grpc-web" },
} as const;

/** The names of ways over services have "gRPC" or "HTTP" in them, and end with "typed" or "JSON in bytes". */
export function exchangeLanes<Request extends Message, Response extends Message>(
  stream: StreamOfTexts<Request, Response>,
): readonly ExchangeLane[] {
  return [
    ...FRAMINGS.map((framing): ExchangeLane => [`a socket, ${framing}`, (rig) => rig.connect(framing)]),
    ["memory", (rig) => rig.connect("memory")],
    ["stdio", async (rig) => rig.parentConnection()],
    ...[true, false].flatMap((isTyped) =>
      Object.entries(EXCHANGE_SERVICES).map(
        ([name, way]): ExchangeLane => [
          `${name}, ${isTyped ? "typed" : "JSON in bytes"}`,
          async (rig) => converseStream(stream, serviceClient(rig, way), isTyped),
        ],
      ),
    ),
  ];
}
