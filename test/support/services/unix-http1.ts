import { Agent } from "node:http";
import { connectToOwn } from "../../../transports/ipc/own-socket.js";

/** For HTTP/1.1: `createConnectTransport({ baseUrl: "http://localhost", httpVersion: "1.1", nodeOptions: unixHttp1(path) })`. */
export function unixHttp1(path: string): { readonly agent: Agent } {
  return { agent: Object.assign(new Agent(), { createConnection: () => connectToOwn(path) }) };
}
