// The only place that reads internals of the library, for six things that its interface lacks:
// - It ends a call for a message that is too large, and for a deadline, in the same way as for a cancellation; only the status that it sent differs.
// - It cannot reset a call whose client does not read, so data waiting for that client would stay until the connection ends.
// - It does not limit the metadata of calls, and Node's own limit is 16 MiB a call.
// - It writes one message at a time, which costs a server with many streams most of its time (`call-writer.ts`).
// - It begins all calls in the turn in which they were read, however many they are, and does not reveal the sessions of injected connections.
// - A client keeps its process running while a stream is open, and does not reveal its socket.
// If a later version changes these internals, the tests of all six fail, and nothing else does.
import { EventEmitter } from "node:events";
import type { IncomingHttpHeaders, OutgoingHttpHeaders, ServerHttp2Session } from "node:http2";
import type { Socket } from "node:net";

/** NGHTTP2_CANCEL. */
const CANCEL = 8;

/** The used part of a stream; all of it is public in Node. */
interface Http2Stream {
  readonly sentHeaders?: OutgoingHttpHeaders;
  readonly sentTrailers?: IncomingHttpHeaders;
  readonly close: (code: number) => void;
  readonly write: (bytes: Uint8Array, done: () => void) => boolean;
  readonly closed: boolean;
  readonly destroyed: boolean;
  readonly writableEnded: boolean;
}

/** Resets calls with larger metadata, once their client has read the limit. Applies to connections accepted afterwards. */
export function limitMetadata(server: object, maxMetadataBytes: number): void {
  const settings = member(member(server, "commonServerOptions"), "settings");
  if (settings !== undefined) Object.assign(settings, { maxHeaderListSize: maxMetadataBytes });
}

/** Returns the session that the library makes of the connection passed by `inject`. */
export function sessionOf(server: object, inject: () => void): ServerHttp2Session | undefined {
  let made: ServerHttp2Session | undefined;
  const onSession = (session: ServerHttp2Session): void => {
    made = session;
  };
  const servers = member(server, "http2Servers");
  const http2 = servers instanceof Map ? ([...servers.keys()][0] as unknown) : undefined;
  if (http2 instanceof EventEmitter) http2.once("session", onSession);
  inject();
  if (http2 instanceof EventEmitter) http2.off("session", onSession);
  return made;
}

/**
 * Calls `made` with the socket of each connection that a client makes with these credentials. If `made` throws, the connection has failed. Throws if
 * the library has none of this: nobody would look at the peers of its connections.
 */
export function tellSockets(security: object, made: (socket: Socket) => void): void {
  const { _createSecureConnector: create } = security as { readonly _createSecureConnector?: unknown };
  if (typeof create !== "function") throw new Error("Credentials of this version of gRPC do not tell their sockets.");
  Object.assign(security, {
    _createSecureConnector: (...given: readonly unknown[]): unknown => {
      const connector: { connect: (socket: Socket) => Promise<{ readonly socket: Socket }> } = create.apply(
        security,
        given,
      );
      const connect = connector.connect.bind(connector);
      connector.connect = async (socket) => {
        const connected = await connect(socket);
        made(connected.socket);
        return connected;
      };
      return connector;
    },
  });
}

/** The library refers to its socket again with each first call of a connection. From here on that keeps no process running. */
export function keepsNothingRunning(socket: Socket): void {
  socket.unref();
  Object.assign(socket, { ref: () => socket });
}

/** Returns the status that was sent to the client, if one was. */
export function sentStatus(call: object): { readonly code: number; readonly message: string } | undefined {
  const stream = streamOf(call);
  const sent = [stream?.sentTrailers, stream?.sentHeaders].find((headers) => headers?.["grpc-status"] !== undefined);
  if (sent === undefined) return undefined;
  return { code: Number(sent["grpc-status"]), message: decodeURI(String(sent["grpc-message"] ?? "")) };
}

/** Drops the data waiting for the client, and reports the reset to it. */
export function resetStream(call: object): void {
  streamOf(call)?.close(CANCEL);
}

/** The stream that takes the bytes of a call. */
export function byteStreamOf(
  call: object,
): Pick<Http2Stream, "write" | "closed" | "destroyed" | "writableEnded"> | undefined {
  return streamOf(call);
}

function streamOf(call: object): Http2Stream | undefined {
  const stream = member(member(call, "call"), "stream");
  return stream !== undefined && "close" in stream ? (stream as unknown as Http2Stream) : undefined;
}

function member(of: object | undefined, name: string): object | undefined {
  const value: unknown = (of as Readonly<Record<string, unknown>> | undefined)?.[name];
  return typeof value === "object" && value !== null ? value : undefined;
}
