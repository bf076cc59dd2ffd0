// `fetch` by Node's own HTTP. It reaches Unix sockets, which the global `fetch` cannot. Its connections need not keep the process
// running. The global `fetch` does so while an answer is awaited.
import { Agent, request } from "node:http";
import { Readable } from "node:stream";

export interface NodeFetch {
  /** For requests over http whose bodies are texts or bytes. */
  readonly fetch: typeof fetch;
  /** From then on its connections keep no process running, not even while an answer is awaited. */
  readonly unref: () => void;
  /** Ends connections that nobody uses. */
  readonly close: () => void;
}

/** `socketPath`: the Unix socket of the server, whatever the host in a URL is. Default: the host and port of the URL. */
export function createNodeFetch(socketPath?: string): NodeFetch {
  const agent = new Agent({ keepAlive: true, timeout: LONGEST_IDLE_MS });
  let isQuiet = false;
  return {
    fetch: (url, { method = "GET", headers, body, signal } = {}) =>
      new Promise((resolve, reject) => {
        const options = { socketPath, agent, method, headers: Object.fromEntries(new Headers(headers)) };
        const call = request(String(url), signal ? { ...options, signal } : options, (response) => {
          const { statusCode: status = 500, headers: fields } = response;
          const told = Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]);
          resolve(new Response(Readable.toWeb(response) as ReadableStream, { status, headers: told }));
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

/** A server that keeps idle connections for a shorter time says so, and then that counts: without any limit here the agent would not look at it. */
const LONGEST_IDLE_MS = 60_000;
