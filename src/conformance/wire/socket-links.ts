// Links over a Unix socket or named pipe (AAEP §B.4). A client chooses the framing; a server answers in its peer's.
import { connectIpc } from "../../../transports/ipc/connect.js";
import { createIpcTransport } from "../../../transports/ipc/listen.js";
import type { Connection, Listener } from "../../contracts/transport.js";
import type { Link, Links } from "./link.js";

/** The length before each message, or each message in a line (AAEP §B.4.4). */
export type SocketFraming = "length-prefixed" | "newline";

export function socketLinks(path: string, framing: SocketFraming): Links {
  return {
    isShared: false,
    manifest: undefined,
    stop: async () => {},
    open: async () => linkOver(await connectIpc(path, { framing })),
  };
}

/** Listens where subscribers connect. Throws a Fault if that is not possible. */
export function listenAtSocket(path: string, accept: (link: Link) => void): Promise<Listener> {
  return createIpcTransport({ path }).listen((connection) => accept(linkOver(connection)));
}

function linkOver(connection: Connection<Uint8Array>): Link {
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
