// What the library keeps to itself: the HTTP/2 stream below a call. It is needed twice. The library ends a call for a message that is too large, and
// for a deadline, in the very way in which it tells of a cancellation; what it sent tells them apart. And it has no way to reset a call whose client
// does not read, so that what waits for that client would stay until its connection ends.
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http2";

/** NGHTTP2_CANCEL. */
const CANCEL = 8;

/** The part of a stream that is used; all of it public in Node. */
interface Http2Stream {
  readonly sentHeaders?: OutgoingHttpHeaders;
  readonly sentTrailers?: IncomingHttpHeaders;
  readonly close: (code: number) => void;
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

function streamOf(call: object): Http2Stream | undefined {
  const inner = member(call, "call");
  const stream = inner === undefined ? undefined : member(inner, "stream");
  return stream !== undefined && "close" in stream ? (stream as unknown as Http2Stream) : undefined;
}

function member(of: object, name: string): object | undefined {
  const value: unknown = (of as Readonly<Record<string, unknown>>)[name];
  return typeof value === "object" && value !== null ? value : undefined;
}
