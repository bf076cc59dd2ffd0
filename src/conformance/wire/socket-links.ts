// Links over a Unix socket or named pipe, with the length before each message (AAEP §B.4.4).
import { connectIpc } from "../../../transports/ipc/connect.js";
import type { Link, Links } from "./link.js";

export function socketLinks(path: string): Links {
  return { isShared: false, stop: async () => {}, open: () => openLink(path) };
}

async function openLink(path: string): Promise<Link> {
  const connection = await connectIpc(path, { framing: "length-prefixed" });
  const encoder = new TextEncoder();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  async function* texts(): AsyncGenerator<string> {
    for await (const frames of connection.frames) for (const frame of frames) yield decoder.decode(frame);
  }
  return {
    send: (text) => void connection.send(encoder.encode(text)),
    incoming: texts(),
    close: async () => connection.close(),
    vanish: async () => connection.close(undefined, 0),
  };
}
