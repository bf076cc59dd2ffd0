// Node's servers for both versions of HTTP. They listen nowhere themselves: connections are passed to them. Every session and socket is tracked here,
// because Node's own end of a server waits as long as any client keeps a connection.
import { createServer as createHttp1, type Server as Http1Server, IncomingMessage, ServerResponse } from "node:http";
import { constants, createServer as createHttp2, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { ServiceConnection } from "../service-calls/connections.js";
import { createTurnstile, type Turnstile } from "../service-calls/turnstile.js";
import { createExchange, type Exchange, type NodeRequest, type NodeResponse, type Upgrade } from "./exchange.js";
import type { ResolvedHttpOptions } from "./options.js";
import { whichHttp } from "./which-http.js";

export interface HttpServers {
  readonly take: (connection: ServiceConnection) => void;
  /** Tells every client that no more calls are taken, and closes idle connections. */
  readonly stop: () => void;
  /** Ends connections in order: those without calls now, the others after their last call. */
  readonly goAway: () => void;
}

/** Limit for all headers of a request: names, values and 32 bytes for each. */
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_HEADER_PAIRS = 100;
/** Requests at a time on one HTTP/2 connection. */
const MOST_STREAMS = 2048;
/** Node refuses streams of a session that holds more, MB. Data waiting for each stream is bounded, and counts. */
const MAX_SESSION_MEMORY = 256;
/** Requests of HTTP/1.1 that may wait behind others on one connection. */
const MOST_PIPELINED = 256;
/** Idle time after which a connection of HTTP/1.1 is closed, ms. */
const KEEP_ALIVE_MS = 65_000;
/** A GOAWAY with this id forbids new streams and refuses none of those under way. */
const LAST_STREAM_ID = 2 ** 31 - 1;

export function createHttpServers(options: ResolvedHttpOptions, serve: (exchange: Exchange) => void): HttpServers {
  const sessions = new Map<ServerHttp2Session, ServiceConnection>();
  const plain = new Map<Socket, { readonly connection: ServiceConnection; readonly open: Set<NodeResponse> }>();
  const plainTurns = createTurnstile({ mostWaiting: MOST_PIPELINED });
  const streamTurns = createTurnstile({ mostWaiting: MOST_STREAMS });
  let isStopped = false;

  const begin = (request: IncomingMessage, response: ServerResponse, upgrade?: Upgrade): void => {
    const { socket } = request;
    const known = plain.get(socket);
    if (known === undefined || socket.destroyed) return;
    const { connection, open } = known;
    open.add(response);
    response.once("close", () => {
      open.delete(response);
      connection.ended();
    });
    const passes = plainTurns.pass(connection, () => {
      if (socket.destroyed) return;
      if (isStopped) response.setHeader("connection", "close");
      serve(createExchange(request, response, connection, upgrade));
    });
    if (!passes) connection.cutOff();
  };

  const http1 = createPlainServer(options, begin);

  const http2 = createHttp2({
    maxHeaderListPairs: MAX_HEADER_PAIRS,
    maxSessionMemory: MAX_SESSION_MEMORY,
    settings: { maxConcurrentStreams: MOST_STREAMS, maxHeaderListSize: MAX_HEADER_BYTES },
  });
  http2.on("request", (request: NodeRequest, response: NodeResponse) => {
    const session = "stream" in request ? request.stream.session : undefined;
    const connection = session === undefined ? undefined : sessions.get(session as ServerHttp2Session);
    if (connection === undefined) response.destroy();
    else serve(createExchange(request, response, connection));
  });
  // A client's mistake ends its own session only.
  http2.on("sessionError", () => {});

  function take2(connection: ServiceConnection): void {
    const { socket } = connection;
    const onSession = (session: ServerHttp2Session): void => {
      sessions.set(session, connection);
      takeTurns(session, connection, streamTurns);
      const stop = keepAlive(session, options, () => socket.destroy());
      session.once("close", () => {
        stop();
        sessions.delete(session);
      });
      if (isStopped) goingAway(session);
    };
    http2.once("session", onSession);
    http2.emit("connection", socket);
    http2.off("session", onSession);
  }

  function take1(connection: ServiceConnection): void {
    const { socket } = connection;
    const open = new Set<NodeResponse>();
    plain.set(socket, { connection, open });
    socket.once("close", () => {
      plain.delete(socket);
      // Of several pipelined responses, Node reports the close only to the current one.
      process.nextTick(() => {
        for (const response of open) response.emit("close");
      });
    });
    // A stream without events may be silent; the system checks that the client still exists.
    socket.setKeepAlive(true, options.pingIntervalMs);
    Object.assign(http1, requestTimes(options.silentConnectionMs()));
    http1.emit("connection", socket);
  }

  return {
    take: (connection) => {
      whichHttp(connection.socket, { silentMs: options.silentConnectionMs(), after: options.after }, (version) =>
        version === 2 ? take2(connection) : take1(connection),
      );
    },
    stop: () => {
      isStopped = true;
      for (const session of sessions.keys()) goingAway(session);
      http1.closeIdleConnections();
    },
    goAway: () => {
      for (const session of sessions.keys()) session.close();
      // Closes idle connections, and ends the check for slow requests.
      http1.close();
    },
  };
}

/** Only a WebSocket takes its connection over. A request that offers another protocol, such as h2c, is served without it (RFC 9110 §7.8). */
class PlainRequest extends IncomingMessage {
  declare private isAsked: unknown;

  /** Node asks once the head is whole. */
  get upgrade(): boolean {
    if (this.isAsked !== true) return false;
    // Node itself closes the connection of a CONNECT.
    return this.method === "CONNECT" || (this.method === "GET" && this.headers.upgrade?.toLowerCase() === "websocket");
  }

  set upgrade(asked: unknown) {
    this.isAsked = asked;
  }
}

/** The server of HTTP/1.1. `begin` takes each request, also one that asks for a WebSocket. */
function createPlainServer(
  options: Pick<ResolvedHttpOptions, "silentConnectionMs">,
  begin: (request: IncomingMessage, response: ServerResponse, upgrade?: Upgrade) => void,
): Http1Server {
  const server = createHttp1(
    {
      IncomingMessage: PlainRequest,
      maxHeaderSize: MAX_HEADER_BYTES,
      keepAliveTimeout: KEEP_ALIVE_MS,
      ...requestTimes(options.silentConnectionMs()),
      connectionsCheckingInterval: Math.min(options.silentConnectionMs(), 30_000),
    },
    (request, response) => {
      // Node drops what came with a request whose upgrade is left out: a client that is told of the end sends it again.
      if (request.headers.upgrade !== undefined) response.setHeader("connection", "close");
      begin(request, response);
    },
  );
  server.on("upgrade", (request: IncomingMessage, _socket: Duplex, head: Buffer) => {
    const response = new ServerResponse(request);
    const { socket } = request;
    try {
      response.assignSocket(socket);
    } catch {
      // The answer to an earlier request still has the socket, and no client of WebSocket sends its request behind another. Node listens no more.
      socket.on("error", () => {}).destroy();
      return;
    }
    // A refusal ends the connection: nothing is parsed on it any more.
    response.shouldKeepAlive = false;
    response.once("finish", () => socket.end());
    begin(request, response, { head, detach: () => response.detachSocket(socket) });
  });
  // A limit on the count would drop further headers in silence; the limit on their bytes refuses them.
  server.maxHeadersCount = 0;
  // The server never listens, and only this event starts its check for slow requests.
  server.emit("listening");
  return server;
}

/**
 * Lets the streams of a new session begin in turn. A stream cancelled before its turn costs nothing more. If the connection is cut off, a client that
 * reads learns the reason.
 */
function takeTurns(session: ServerHttp2Session, connection: ServiceConnection, turnstile: Turnstile): void {
  connection.cutOffBy(() => {
    if (session.destroyed) return;
    session.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM);
    // GOAWAY leaves at the end of the turn. The session by itself would wait for a client that does not read.
    setImmediate(() => {
      session.destroy();
      connection.socket.destroy();
    });
  });
  // Node's own listeners, which inform the server.
  const listeners = session.listeners("stream") as ((...given: readonly unknown[]) => void)[];
  session.removeAllListeners("stream");
  session.on("stream", (stream: ServerHttp2Stream, ...rest: readonly unknown[]) => {
    // Before the stream begins, it has no other listener for errors.
    stream.on("error", () => {});
    stream.once("close", connection.ended);
    const passes = turnstile.pass(connection, () => {
      if (stream.closed || stream.destroyed) return;
      for (const listener of listeners) listener.call(session, stream, ...rest);
    });
    if (!passes) connection.cutOff();
  });
}

/** Time limits for the arrival of a request of HTTP/1.1, by Node's names. */
function requestTimes(silentMs: number): Pick<Http1Server, "headersTimeout" | "requestTimeout"> {
  return { headersTimeout: silentMs, requestTimeout: Math.max(silentMs, 300_000) };
}

function goingAway(session: ServerHttp2Session): void {
  if (!session.destroyed && !session.closed) session.goaway(constants.NGHTTP2_NO_ERROR, LAST_STREAM_ID);
}

/** Pings a session repeatedly, and calls `onDead` once if an answer is missing. Returns a function that stops the pings. */
function keepAlive(
  session: ServerHttp2Session,
  { after, pingIntervalMs, pingTimeoutMs }: Pick<ResolvedHttpOptions, "after" | "pingIntervalMs" | "pingTimeoutMs">,
  onDead: () => void,
): () => void {
  let cancel = after(pingIntervalMs, ask);
  let isStopped = false;
  function ask(): void {
    cancel = after(pingTimeoutMs, onDead);
    session.ping((error) => {
      if (isStopped || error !== null) return;
      cancel();
      cancel = after(pingIntervalMs, ask);
    });
  }
  return () => {
    isStopped = true;
    cancel();
  };
}
