// Connects Connect's clients over a Unix socket, for which connect-node has no option of its own (C1).
import type { SecureClientSessionOptions } from "node:http2";
import { connect } from "node:net";

/**
 * For HTTP/2: `createGrpcTransport({ baseUrl: "http://localhost", nodeOptions: unixHttp2(path) })`. The same works with `createConnectTransport` or
 * `createGrpcWebTransport` and `httpVersion: "2"`.
 */
export function unixHttp2(path: string): Pick<SecureClientSessionOptions, "createConnection"> {
  return { createConnection: () => connect({ path }) };
}

/** For HTTP/1.1: `createConnectTransport({ baseUrl: "http://localhost", httpVersion: "1.1", nodeOptions: unixHttp1(path) })`. */
export function unixHttp1(path: string): { readonly socketPath: string } {
  return { socketPath: path };
}
