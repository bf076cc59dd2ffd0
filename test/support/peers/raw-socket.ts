// A socket below all framings. Errors of it are nobody's business: whoever is cut off sees that it has closed.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { Readable } from "node:stream";
import { onTestFinished } from "vitest";

/** `address` is a path, "unix:/path", or a host with its port, also behind "http://". The socket goes when the test has finished. */
export function rawSocket(address: string): Socket {
  const [, host, port] = /^(?:http:\/\/)?([^/:]+):(\d+)$/.exec(address) ?? [];
  const socket =
    host === undefined ? connect({ path: address.replace(/^unix:/, "") }) : connect({ host, port: Number(port) });
  socket.on("error", () => {});
  onTestFinished(() => void socket.destroy());
  return socket;
}

/** Everything that comes until the other side ends, by a reset too: that is what a peer gets whose last bytes were not read when it was let go. */
export async function allOf(source: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  source.on("data", (chunk: Buffer) => chunks.push(chunk));
  await new Promise((closed) => source.once("close", closed));
  return Buffer.concat(chunks);
}

/** The text that has come when it first is as `pattern`. */
export async function textOf(socket: Socket, pattern: RegExp): Promise<string> {
  let text = "";
  while (!pattern.test(text)) text += String((await once(socket, "data"))[0]);
  return text;
}
