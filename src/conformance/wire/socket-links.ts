// Links over a Unix socket or named pipe (AAEP §B.4). A client chooses the framing; a server answers in its peer's.
import type { ByteConnectionOptions } from "../../../transports/framing/options.js";
import { connectIpc } from "../../../transports/ipc/connect.js";
import { createIpcTransport } from "../../../transports/ipc/listen.js";
import { Fault } from "../../base/errors.js";
import type { Connection, Listener } from "../../contracts/transport.js";
import { endpointText } from "./endpoint.js";
import { noConnection } from "./endpoint-faults.js";
import type { Link, Links } from "./link.js";
import { textIn } from "./message-text.js";

/** The length before each message, or each message in a line (AAEP §B.4.4). */
export type SocketFraming = "length-prefixed" | "newline";

export function socketLinks(path: string, framing: SocketFraming): Links {
  const endpoint = endpointText({ kind: "ipc", path });
  return {
    isLocal: true,
    silenceAdvice:
      framing === "newline"
        ? "A target that reads a length before each message needs --framing length-prefixed."
        : "A target that reads lines needs --framing newline.",
    stop: async () => {},
    open: async () => {
      try {
        return linkOver(await connectIpc(path, optionsOf(framing)));
      } catch (caught) {
        throw caught instanceof Fault && caught.code === "not_found" ? noConnection(endpoint, caught) : caught;
      }
    },
  };
}

/**
 * Listens where subscribers connect. Throws a Fault if that is not possible. `framing` undefined: each subscriber's own, and
 * length-prefixed before its first byte.
 */
export function listenAtSocket(
  path: string,
  framing: SocketFraming | undefined,
  accept: (link: Link) => void,
): Promise<Listener> {
  return createIpcTransport({ path, ...optionsOf(framing) }).listen((connection) => accept(linkOver(connection)));
}

/** Where lines were asked for, a line that is no JSON is a message too, and P1-json finds it. */
function optionsOf(framing: SocketFraming | undefined): ByteConnectionOptions {
  return framing === "newline" ? { framing, isLinesOnly: true } : {};
}

function linkOver(connection: Connection<Uint8Array>): Link {
  const encoder = new TextEncoder();
  async function* texts(): AsyncGenerator<string> {
    for await (const frames of connection.frames) for (const frame of frames) yield textIn(frame);
  }
  return {
    send: (text) => void connection.send(encoder.encode(text)),
    incoming: texts(),
    close: async () => connection.close(),
    vanish: async () => connection.close(undefined, 0),
  };
}
