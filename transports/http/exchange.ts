// One request and its response, whichever version of HTTP it came by.
import type { IncomingMessage, ServerResponse } from "node:http";
import { constants, type Http2ServerRequest, type Http2ServerResponse, type ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import type { PeerIdentity } from "../../src/contracts/transport.js";
import type { ServiceConnection } from "../service-calls/connections.js";
import { pathOf } from "./target.js";

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Of HTTP/2 alone. */
  readonly stream: ServerHttp2Stream | undefined;
  readonly connection: ServiceConnection;
  readonly peer: PeerIdentity;
  /** Without its query, and without its host where it names one (RFC 9112 §3.2.2). */
  readonly path: string;
  /** Lower case, without parameters; "" where there is none. */
  readonly contentType: string;
  /** Aborted when the response has closed, however that came about. */
  readonly signal: AbortSignal;
  /** Calls `run` when it is, or at once if it was. Answers how to take that back. */
  readonly onceGone: (run: () => void) => () => void;
  /** How the client left before the response had ended; undefined where it did not. A lost connection is no cancellation. */
  readonly left: () => "cancelled" | "lost" | undefined;
  /** A handler has taken it over, and answers it. */
  readonly served: () => void;
  readonly isServed: () => boolean;
  readonly isConnected: () => boolean;
  /** Ends it at once, with nothing said, and with `code` where HTTP/2 has codes. */
  readonly cutOff: (code?: number) => void;
}

/** One for all: the platform's own reason is made anew for each call, with its stack, which costs more than anything else at the end of one. */
const GONE: Error = Object.assign(new Error("The call is over."), { name: "AbortError" });

export type NodeRequest = IncomingMessage | Http2ServerRequest;
export type NodeResponse = ServerResponse | Http2ServerResponse;

export function createExchange(request: NodeRequest, response: NodeResponse, connection: ServiceConnection): Exchange {
  const { socket, peer } = connection;
  const stream = "stream" in request ? request.stream : undefined;
  const gone = new AbortController();
  let isServed = false;
  let left: "cancelled" | "lost" | undefined;
  response.once("close", () => {
    // HTTP/2 calls a cancelled response finished as well; only whether it was ended tells (C6).
    if (!response.writableEnded) left = isCancelled(stream, socket) ? "cancelled" : "lost";
    gone.abort(GONE);
  });
  // What breaks a response closes it as well.
  request.on("error", () => {});
  response.on("error", () => {});
  return {
    // Node's compatibility layer gives HTTP/2 the members of HTTP/1.1.
    request: request as IncomingMessage,
    response: response as ServerResponse,
    stream,
    connection,
    peer,
    path: pathOf(request.url ?? ""),
    contentType: (request.headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "",
    signal: gone.signal,
    onceGone: (run) => {
      if (gone.signal.aborted) run();
      else gone.signal.addEventListener("abort", run, { once: true });
      return () => gone.signal.removeEventListener("abort", run);
    },
    left: () => left,
    isConnected: () => !socket.destroyed && !socket.readableEnded,
    served: () => {
      isServed = true;
    },
    isServed: () => isServed,
    cutOff: (code = constants.NGHTTP2_CANCEL) => {
      if (stream === undefined) {
        socket.destroy();
      } else {
        if (!stream.closed) stream.close(code);
        stream.destroy();
      }
    },
  };
}

/** Node gives streams of a lost connection the code of a cancellation too. */
function isCancelled(stream: ServerHttp2Stream | undefined, socket: Socket): boolean {
  return stream !== undefined && stream.rstCode === constants.NGHTTP2_CANCEL && !socket.destroyed;
}
