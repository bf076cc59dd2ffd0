// Calls over HTTP to a Unix socket, for Node, whose `fetch` cannot reach one.
import { Agent, request } from "node:http";
import { text } from "node:stream/consumers";
import type { FetchLike } from "./http-connector.js";

/** Calls the socket at `path`, whatever the host in a URL is. */
export function fetchOverUnix(path: string): FetchLike {
  const agent = new Agent({ keepAlive: true });
  return (url, { method, headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const call = request(url, { socketPath: path, agent, method, headers: { ...headers }, signal }, (response) => {
        const { statusCode = 0 } = response;
        const json = async (): Promise<unknown> => JSON.parse(await text(response));
        resolve({ ok: statusCode >= 200 && statusCode < 300, json });
      });
      call.once("error", reject);
      call.end(body);
    });
}
