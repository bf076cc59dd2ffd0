import { WebSocket } from "ws";
import type { Connection } from "../../../src/contracts/transport.js";
import { createWebSocketConnection } from "../../../transports/event-streams/websocket-connection.js";
import { platformAfter } from "../../../transports/framing/options.js";

/** Opens the WebSocket of a daemon, at the path of AAEP's appendix. `address` is that of its HTTP server. */
export async function openWebSocket(
  address: string,
  headers: Readonly<Record<string, string>>,
): Promise<Connection<Uint8Array>> {
  const path = address.startsWith("unix:") ? `ws+unix:${address.slice("unix:".length)}:` : `ws://${address}`;
  const socket = new WebSocket(`${path}/aaep/v1/ws`, "aaep.v1", { headers });
  await new Promise((resolve, reject) => {
    socket.once("open", resolve);
    socket.once("error", reject);
  });
  const options = {
    maxUnansweredBytes: 64 * 1024,
    pingIntervalMs: 15_000,
    closeTimeoutMs: 2000,
    after: platformAfter,
  };
  return createWebSocketConnection(socket, { label: "test", trust: "same-user" }, options);
}
