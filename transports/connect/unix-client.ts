// Connects Connect's clients over this user's own Unix sockets, for which connect-node has no option of its own.
import type { SecureClientSessionOptions } from "node:http2";
import { connectToOwn } from "../ipc/own-socket.js";

/**
 * For HTTP/2: `createGrpcTransport({ baseUrl: "http://localhost", nodeOptions: unixHttp2(path) })`. The same works with `createConnectTransport` or
 * `createGrpcWebTransport` and `httpVersion: "2"`.
 */
export function unixHttp2(path: string): Pick<SecureClientSessionOptions, "createConnection"> {
  return { createConnection: () => connectToOwn(path) };
}
