// `fetch` by Node's own HTTP. It reaches Unix sockets, which the global `fetch` cannot. Its connections need not keep the process
// running. The global `fetch` does so while an answer is awaited.
import { Agent, type IncomingMessage, request } from "node:http";
import { Readable } from "node:stream";
import { connectToOwn } from "../../../transports/ipc/own-socket.js";

export interface NodeFetch {
  /** For requests over http whose bodies are texts or bytes. */
  readonly fetch: typeof fetch;
  /** From then on its connections keep no process running, not even while an answer is awaited. */
  readonly unref: () => void;
  /** Ends connections that nobody uses. */
  readonly close: () => void;
}

/**
 * `socketPath`: this user's own Unix socket of the server, whatever the host in a URL is; requests reject as `holdOwnSocket` throws. Default: the
 * host and port of the URL.
 */
export function createNodeFetch(socketPath?: string): NodeFetch {
  const agent = new Agent({ keepAlive: true, timeout: LONGEST_IDLE_MS });
  if (socketPath !== undefined) Object.assign(agent, { createConnection: () => connectToOwn(socketPath) });
  let isQuiet = false;
  return {
    fetch: (url, { method = "GET", headers, body, signal } = {}) =>
      new Promise((resolve, reject) => {
        const options = { agent, method, headers: Object.fromEntries(new Headers(headers)) };
        const call = request(String(url), signal ? { ...options, signal } : options, (response) => {
          try {
            resolve(answerFrom(response));
          } catch (caught) {
            // A status that no answer can have. Nobody else would catch it here.
            response.destroy();
            reject(caught);
          }
        });
        // The agent refers to its socket again with each request.
        call.once("socket", (socket) => {
          if (isQuiet) socket.unref();
        });
        call.once("error", reject);
        call.end(body);
      }),
    unref: () => {
      isQuiet = true;
      for (const socket of Object.values(agent.sockets).flat()) socket?.unref();
    },
    close: () => agent.destroy(),
  };
}

/** Statuses of answers that have no body, not even an empty one. */
const WITHOUT_BODY: readonly number[] = [204, 205, 304];

function answerFrom(response: IncomingMessage): Response {
  const { statusCode: status = 500 } = response;
  const headers = Object.entries(response.headers).map(([name, value]): [string, string] => [name, String(value)]);
  if (!WITHOUT_BODY.includes(status))
    return new Response(Readable.toWeb(response) as ReadableStream, { status, headers });
  response.resume();
  return new Response(null, { status, headers });
}

/** A server that keeps idle connections for a shorter time says so, and then that counts: without any limit here the agent would not look at it. */
const LONGEST_IDLE_MS = 60_000;
