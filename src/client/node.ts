// The clients in Node: an agent that finds or starts its daemon, and connectors for local sockets and child processes.
import type { Readable, Writable } from "node:stream";
import { createByteConnection } from "../../transports/framing/byte-connection.js";
import type { Framing } from "../../transports/framing/framings.js";
import { connectIpc } from "../../transports/ipc/connect.js";
import { currentPlace, ipcPath } from "../../transports/ipc/paths.js";
import { Fault } from "../base/errors.js";
import type { RpcConnection, RpcHandlers } from "../contracts/rpc.js";
import type { Connection } from "../contracts/transport.js";
import type { AgentConnector, OpenAgentOptions } from "./agent/agent-options.js";
import { type HttpConnectorOptions, httpRpcConnector as httpRpcConnectorBy } from "./agent/http-connector.js";
import { openAgent as openAgentBy } from "./agent/open-agent.js";
import type { Agent } from "./agent/session-types.js";
import { fetchOverUnix } from "./agent/unix-fetch.js";
import { connectSpawned, type SpawnedDaemonOptions } from "./spawned-daemon.js";

export interface NodeAgentOptions extends Omit<OpenAgentOptions, "connectors"> {
  /** The socket of the daemon that serves all agents. Default: the variable AAEPD_SOCKET, otherwise `socketPath()`. */
  readonly socket?: string;
  /** The daemon that is started if none serves all agents; false: none. Its producer id is the agent's `id`. */
  readonly spawn?: false | SpawnedDaemonOptions;
  /** Ways to a daemon in place of these two. */
  readonly connectors?: readonly AgentConnector[];
}

/**
 * Opens an agent in Node: connects to the running daemon of this user, otherwise starts `aaepd stdio` as a child, otherwise is silent. Rejects only
 * in the mode "required", with `not_found`, and with `usage` if `id` is no text.
 */
export function openAgent(options: NodeAgentOptions): Promise<Agent> {
  const { socket = process.env.AAEPD_SOCKET || socketPath(), spawn = {}, ...rest } = options;
  const served: AgentConnector = { connect: ipcRpcConnector(socket) };
  return openAgentBy({
    ...rest,
    connectors: options.connectors ?? [served, ...(spawn === false ? [] : [spawnConnector(options.id, spawn)])],
  });
}

/** For `openAgent`: starts a daemon of the agent's own with `aaepd stdio`, and another one when it is lost. */
export function spawnConnector(producerId: string, options: SpawnedDaemonOptions = {}): AgentConnector {
  return { isLasting: false, connect: (handlers) => connectSpawned(producerId, handlers, options) };
}

/** As `httpRpcConnector` of `aaepd/client`, and over Unix sockets too: "http://unix:/path" is the daemon of `--http unix:/path`. */
export function httpRpcConnector(
  address: string,
  options: HttpConnectorOptions = {},
): (handlers: RpcHandlers) => Promise<RpcConnection> {
  if (!address.startsWith(UNIX)) return httpRpcConnectorBy(address, options);
  const fetch = fetchOverUnix(address.slice(UNIX.length));
  return httpRpcConnectorBy("http://localhost", { fetch, ...options });
}

const UNIX = "http://unix:";

export interface GrpcConnectorOptions {
  /** The daemon's token (docs/services.md), or a function that reads it for each connection. A Unix socket needs none. Default none. */
  readonly token?: string | (() => string | Promise<string>);
}

/**
 * For `openAgent` and `createAgentClient`: the daemon at `address`, as its option `--grpc` names it: "unix:/path" or "127.0.0.1:8701". Loads
 * @grpc/grpc-js and @bufbuild/protobuf with the first connection, which rejects with `unsupported` if these packages are not installed.
 */
export function grpcRpcConnector(
  address: string,
  options: GrpcConnectorOptions = {},
): (handlers: RpcHandlers) => Promise<RpcConnection> {
  return async (handlers) => {
    const token = typeof options.token === "function" ? await options.token() : options.token;
    const { openGrpcConnection } = await import("./agent/grpc-connection.js").catch((caught: unknown) => {
      const sentence = "Install what gRPC needs: npm install @grpc/grpc-js @bufbuild/protobuf";
      throw new Fault("unsupported", sentence, { origin: "local", cause: caught });
    });
    return openGrpcConnection({ address, token }, handlers);
  };
}

export interface IpcConnectorOptions {
  /** Framing of the messages this side sends; the daemon answers in the same (R23). Default `length-prefixed`. */
  readonly framing?: Framing;
}

/**
 * Returns the path where the daemon of that producer id listens on this machine for this user: a socket, on Windows a named pipe (AAEP appendix B).
 * The second live daemon of one id started by `aaepd stdio` is `ID-2`. The function reads no files: only connecting shows whether a daemon listens.
 */
export function socketPath(producerId = "aaepd"): string {
  return ipcPath(currentPlace(), producerId);
}

/** For `createSubscriber`: connects to the socket or named pipe at `path`. Throws a Fault "address_invalid" if `path` is no text or empty. */
export function ipcConnector(path: string, options: IpcConnectorOptions = {}): () => Promise<Connection<Uint8Array>> {
  assertPath(path);
  return () => connectIpc(path, options);
}

/** For `createAgentClient`: JSON-RPC over the socket or named pipe at `path`. Throws as `ipcConnector` does. */
export function ipcRpcConnector(
  path: string,
  options: IpcConnectorOptions = {},
): (handlers: RpcHandlers) => Promise<RpcConnection> {
  assertPath(path);
  return async (handlers) => overJsonRpc(await connectIpc(path, options), handlers);
}

/** The standard input and output of a child, as `child_process.spawn` returns them for `stdio: ["pipe", "pipe", …]`. */
export interface ChildStreams {
  readonly stdin: Writable;
  readonly stdout: Readable;
}

/**
 * For `createAgentClient`: JSON-RPC over the standard streams of a daemon that this process has started with `aaepd stdio`. A child has one
 * connection: the client ends with it, and further calls reject with a Fault "address_invalid".
 */
export function childRpcConnector(child: ChildStreams): (handlers: RpcHandlers) => Promise<RpcConnection> {
  let isConnected = false;
  return async (handlers) => {
    if (isConnected) {
      const sentence = "The daemon that this process has started has ended. Start another, and a client for it.";
      throw new Fault("address_invalid", sentence, { origin: "local" });
    }
    isConnected = true;
    const streams = { readable: child.stdout, writable: child.stdin };
    const peer = { label: "child", trust: "same-user" } as const;
    return overJsonRpc(createByteConnection(streams, peer, { framing: "newline" }), handlers);
  };
}

/** Callers in JavaScript may pass the undefined of a missing argument. */
function assertPath(path: unknown): void {
  if (typeof path === "string" && path !== "") return;
  const sentence = "There is no path to connect to. Give the path of the daemon's socket, for instance socketPath().";
  throw new Fault("address_invalid", sentence, { origin: "local" });
}

async function overJsonRpc(connection: Connection<Uint8Array>, handlers: RpcHandlers): Promise<RpcConnection> {
  const { createRpcConnection } = await import("../../transports/json-rpc/rpc-connection.js");
  return createRpcConnection(connection, handlers);
}
