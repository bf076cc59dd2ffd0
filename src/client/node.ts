// Connectors of the clients for Node: local sockets and child processes.
import type { Readable, Writable } from "node:stream";
import { createByteConnection } from "../../transports/framing/byte-connection.js";
import type { Framing } from "../../transports/framing/framings.js";
import { connectIpc } from "../../transports/ipc/connect.js";
import type { RpcConnection, RpcHandlers } from "../contracts/rpc.js";
import type { Connection } from "../contracts/transport.js";

export interface IpcConnectorOptions {
  /** How messages are cut on the wire; the daemon answers in kind (R23). Default `length-prefixed`. */
  readonly framing?: Framing;
}

/** For `createSubscriber`: connects to the socket or named pipe at `path`. */
export function ipcConnector(path: string, options: IpcConnectorOptions = {}): () => Promise<Connection<Uint8Array>> {
  return () => connectIpc(path, options);
}

/** For `createAgentClient`: JSON-RPC over the socket or named pipe at `path`. */
export function ipcRpcConnector(
  path: string,
  options: IpcConnectorOptions = {},
): (handlers: RpcHandlers) => Promise<RpcConnection> {
  return async (handlers) => overJsonRpc(await connectIpc(path, options), handlers);
}

/** The standard input and output of a child, as `child_process.spawn` gives them for `stdio: ["pipe", "pipe", …]`. */
export interface ChildStreams {
  readonly stdin: Writable;
  readonly stdout: Readable;
}

/** For `createAgentClient`: JSON-RPC over the standard streams of a daemon that this process has started with `aaepd stdio`. */
export function childRpcConnector(child: ChildStreams): (handlers: RpcHandlers) => Promise<RpcConnection> {
  return (handlers) => {
    const streams = { readable: child.stdout, writable: child.stdin };
    const peer = { label: "child", trust: "same-user" } as const;
    return overJsonRpc(createByteConnection(streams, peer, { framing: "newline" }), handlers);
  };
}

async function overJsonRpc(connection: Connection<Uint8Array>, handlers: RpcHandlers): Promise<RpcConnection> {
  const { createRpcConnection } = await import("../../transports/json-rpc/rpc-connection.js");
  return createRpcConnection(connection, handlers);
}
