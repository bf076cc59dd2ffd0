// `fetch` to a Unix socket, for Node, whose own cannot reach one.
import { Agent, request } from "node:http";
import { Readable } from "node:stream";

/** Asks the server at the socket `path`, whatever the host in a URL is. For the requests of this room, whose bodies are texts or bytes. */
export function fetchOverUnix(path: string): typeof fetch {
  const agent = new Agent({ keepAlive: true });
  return (url, { method = "GET", headers, body, signal } = {}) =>
    new Promise((resolve, reject) => {
      const options = { socketPath: path, agent, method, headers: Object.fromEntries(new Headers(headers)) };
      const call = request(String(url), signal ? { ...options, signal } : options, (response) => {
        const { statusCode: status = 500, headers: fields } = response;
        const told = Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]);
        resolve(new Response(Readable.toWeb(response) as ReadableStream, { status, headers: told }));
      });
      call.once("error", reject);
      call.end(body);
    });
}
