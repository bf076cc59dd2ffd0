// A JSON-RPC 2.0 peer that asks as well as answers, for agents and subscribers.
import type { RpcConnection, RpcHandlers } from "../../src/contracts/rpc.js";
import type { Connection } from "../../src/contracts/transport.js";
import { createAnsweringConnection, type RpcOptions } from "./answering-connection.js";
import { createOwnRequests } from "./own-requests.js";

/** Takes over `connection` with its frames. Handlers are called after this function has returned. */
export function createRpcConnection(
  connection: Connection<Uint8Array>,
  handlers: RpcHandlers,
  options: RpcOptions = {},
): RpcConnection {
  const { answering, ask } = createAnsweringConnection(connection, handlers, options, {
    answered: (messages) => requests.answered(messages),
    ended: (fault) => requests.end(fault),
  });
  const requests = createOwnRequests(ask, options.log);
  return { ...answering, request: requests.request };
}
