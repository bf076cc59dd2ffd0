// The exports of `aaepd` for programs that run in Node: those of `@aaepd/client`, and an agent's way to a daemon over gRPC. `@aaepd/client` is
// without it: the conversion of protobuf would be a quarter of that package.
import { withPackages } from "../../transports/optional-packages.js";
import type { RpcConnection, RpcHandlers } from "../contracts/rpc.js";

export * from "./main.js";

export interface GrpcConnectorOptions {
  /** The daemon's token (docs/services.md), or a function that reads it for each connection. A Unix socket needs none. Default none. */
  readonly token?: string | (() => string | Promise<string>) | undefined;
}

/**
 * For `openAgent`: the daemon at `address`, as its option `--grpc` names it: "unix:/path" or "127.0.0.1:8701". Loads the
 * packages of gRPC with the first connection, which rejects with `usage` and the command that installs them if they are missing.
 */
export function grpcRpcConnector(
  address: string,
  options: GrpcConnectorOptions = {},
): (handlers: RpcHandlers) => Promise<RpcConnection> {
  return async (handlers) => {
    const token = typeof options.token === "function" ? await options.token() : options.token;
    const { openGrpcConnection } = await withPackages("grpc", () => import("./agent/grpc-connection.js"));
    return openGrpcConnection({ address, token }, handlers);
  };
}
