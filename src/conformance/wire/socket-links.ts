// Links over a Unix socket or named pipe (AAEP §B.4). A client chooses the framing; a server answers in its peer's.
import { connectIpc } from "../../../transports/ipc/connect.js";
import { createIpcTransport } from "../../../transports/ipc/listen.js";
import { Fault } from "../../base/errors.js";
import type { Connection, Listener } from "../../contracts/transport.js";
import { endpointText } from "./endpoint.js";
import { noConnection } from "./endpoint-faults.js";
import type { Link, Links } from "./link.js";

/** The length before each message, or each message in a line (AAEP §B.4.4). */
export type SocketFraming = "length-prefixed" | "newline";

export function socketLinks(path: string, framing: SocketFraming): Links {
  const endpoint = endpointText({ kind: "socket", path });
  return {
    isShared: false,
    manifest: undefined,
    silenceAdvice:
      framing === "newline"
        ? "A target that reads a length before each message needs --framing length-prefixed."
        : "A target that reads lines needs --framing newline.",
    stop: async () => {},
    open: async () => {
      try {
        return linkOver(await connectIpc(path, { framing }));
      } catch (caught) {
        throw caught instanceof Fault && caught.code === "not_found" ? noConnection(endpoint, caught) : caught;
      }
    },
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
