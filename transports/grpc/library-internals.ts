// The only place that reads what the library keeps to itself, for five things that it has no words for:
// - It ends a call for a message that is too large, and for a deadline, in the very way in which it tells of a cancellation; what it sent tells them
//   apart.
// - It cannot reset a call whose client does not read, so that what waits for that client would stay until its connection ends.
// - It does not limit the metadata of calls, and Node's own limit is 16 MiB a call.
// - It writes one message at a time, which costs a server with many streams most of its time (`call-writer.ts`).
// - It begins all calls in the turn in which they were read, however many they are, and is given connections without telling of their sessions.
// Where a later version keeps things elsewhere, the tests of all five fail, and nothing else does.
import { EventEmitter } from "node:events";
import type { IncomingHttpHeaders, OutgoingHttpHeaders, ServerHttp2Session } from "node:http2";

/** NGHTTP2_CANCEL. */
const CANCEL = 8;

/** The part of a stream that is used; all of it public in Node. */
interface Http2Stream {
  readonly sentHeaders?: OutgoingHttpHeaders;
  readonly sentTrailers?: IncomingHttpHeaders;
  readonly close: (code: number) => void;
  readonly write: (bytes: Uint8Array, done: () => void) => boolean;
  readonly closed: boolean;
  readonly destroyed: boolean;
  readonly writableEnded: boolean;
}

/** Has calls reset whose metadata is larger, once their client has read of it. For connections that are taken afterwards. */
export function limitMetadata(server: object, maxMetadataBytes: number): void {
  const settings = member(member(server, "commonServerOptions"), "settings");
  if (settings !== undefined) Object.assign(settings, { maxHeaderListSize: maxMetadataBytes });
}

/** The session that the library makes of the connection that `inject` gives it. */
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

/** The status that was sent to the client, where one was. */
export function sentStatus(call: object): { readonly code: number; readonly message: string } | undefined {
  const stream = streamOf(call);
  const sent = [stream?.sentTrailers, stream?.sentHeaders].find((headers) => headers?.["grpc-status"] !== undefined);
  if (sent === undefined) return undefined;
  return { code: Number(sent["grpc-status"]), message: decodeURI(String(sent["grpc-message"] ?? "")) };
}

/** Throws away what waits for the client, and tells it that the call was cut off. */
export function resetStream(call: object): void {
  streamOf(call)?.close(CANCEL);
}

/** Where the bytes of a call go. */
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
