// One request and its response, in either version of HTTP.
import type { IncomingMessage, ServerResponse } from "node:http";
import { constants, type Http2ServerRequest, type Http2ServerResponse, type ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import type { PeerIdentity } from "../../src/contracts/transport.js";
import type { ServiceConnection } from "../service-calls/connections.js";
import { type Target, targetOf } from "./target.js";

/** A request that asks for another protocol on its connection. */
export interface Upgrade {
  /** The bytes that came behind the request. */
  readonly head: Buffer;
  /** Takes the connection from the response, which then answers nothing. */
  readonly detach: () => void;
}

/** The path is without the host if the target names one (RFC 9112 §3.2.2). */
export interface Exchange extends Target {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Only with HTTP/2. */
  readonly stream: ServerHttp2Stream | undefined;
  readonly connection: ServiceConnection;
  readonly peer: PeerIdentity;
  /** Only with HTTP/1.1. */
  readonly upgrade: Upgrade | undefined;
  /** Lower case, without parameters; "" if there is none. */
  readonly contentType: string;
  /** Aborted when the response has closed, for any reason. */
  readonly signal: AbortSignal;
  /** Calls `run` when the signal is aborted, or at once if it was. Returns the cancellation. */
  readonly onceGone: (run: () => void) => () => void;
  /** How the client left before the response had ended; undefined if it did not. A lost connection is no cancellation. */
  readonly left: () => "cancelled" | "lost" | undefined;
  /** Reports that a handler has taken the exchange over and answers it. */
  readonly served: () => void;
  readonly isServed: () => boolean;
  /** Ends the exchange at once, without an answer; with `code` if HTTP/2 is used. */
  readonly cutOff: (code?: number) => void;
}

/** Shared by all calls: the platform would make a reason with a stack for each call, which costs more than everything else at its end. */
const GONE: Error = Object.assign(new Error("The call is over."), { name: "AbortError" });

export type NodeRequest = IncomingMessage | Http2ServerRequest;
export type NodeResponse = ServerResponse | Http2ServerResponse;

export function createExchange(
  request: NodeRequest,
  response: NodeResponse,
  connection: ServiceConnection,
  upgrade?: Upgrade,
): Exchange {
  const { socket, peer } = connection;
  const stream = "stream" in request ? request.stream : undefined;
  const gone = new AbortController();
  let isServed = false;
  let left: "cancelled" | "lost" | undefined;
  response.once("close", () => {
    // In HTTP/2, a cancelled response counts as finished as well; only `writableEnded` shows the difference.
    if (!response.writableEnded) left = isCancelled(stream, socket) ? "cancelled" : "lost";
    gone.abort(GONE);
  });
  // An error of a response closes it as well.
  request.on("error", () => {});
  response.on("error", () => {});
  return {
    // Node's compatibility layer gives HTTP/2 the members of HTTP/1.1.
    request: request as IncomingMessage,
    response: response as ServerResponse,
    stream,
    connection,
    peer,
    upgrade,
    ...targetOf(request.url ?? ""),
    contentType: (request.headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "",
    signal: gone.signal,
    onceGone: (run) => {
      if (gone.signal.aborted) run();
      else gone.signal.addEventListener("abort", run, { once: true });
      return () => gone.signal.removeEventListener("abort", run);
    },
    left: () => left,
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
