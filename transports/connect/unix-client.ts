// Connects Connect's clients over this user's own Unix sockets, for which connect-node has no option of its own (C1).
import { Agent } from "node:http";
import type { SecureClientSessionOptions } from "node:http2";
import { connectToOwn } from "../ipc/own-socket.js";

/**
 * For HTTP/2: `createGrpcTransport({ baseUrl: "http://localhost", nodeOptions: unixHttp2(path) })`. The same works with `createConnectTransport` or
 * `createGrpcWebTransport` and `httpVersion: "2"`.
 */
export function unixHttp2(path: string): Pick<SecureClientSessionOptions, "createConnection"> {
  return { createConnection: () => connectToOwn(path) };
}

/** For HTTP/1.1: `createConnectTransport({ baseUrl: "http://localhost", httpVersion: "1.1", nodeOptions: unixHttp1(path) })`. */
export function unixHttp1(path: string): { readonly agent: Agent } {
  return { agent: Object.assign(new Agent(), { createConnection: () => connectToOwn(path) }) };
}
