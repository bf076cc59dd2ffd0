import { compressionGzip } from "@connectrpc/connect-node";
import type { Fault } from "../../src/base/errors.js";
import { tooManyUnfinished } from "../framing/refusal.js";
import type { Unfinished } from "../framing/unfinished.js";
import type { Exchange } from "../http/exchange.js";
import { countBody } from "../service-calls/body-count.js";
import { MessageBounds } from "../service-calls/message-bounds.js";
import { FieldCounter } from "./field-count.js";

export interface BodyLimits {
  /** Whether a method gets one message, at the end of the body. */
  readonly isOneMessage: boolean;
  readonly unfinished: Unfinished;
  /** Refuses the call, unless its answer has begun. */
  readonly refuse: (fault: Fault) => void;
}

/**
 * The body, for the library. Ends with an error "resource_exhausted" where a message has too many fields, and with a Fault "rate_limit" where the
 * unfinished messages of all connections are too many bytes and this is the oldest.
 */
export async function* readBody(
  exchange: Pick<Exchange, "request" | "contentType" | "onceGone">,
  { isOneMessage, unfinished, refuse }: BodyLimits,
): AsyncGenerator<Uint8Array> {
  const { request, contentType } = exchange;
  const isEnveloped = contentType.startsWith("application/grpc") || contentType.startsWith("application/connect+");
  // A text is counted when it is parsed, and a compressed message behind its decompression. In envelopes each message says itself whether it is one.
  const isCompressed = !isEnveloped && request.headers["content-encoding"] === compressionGzip.name;
  const fields = contentType.includes("json") || isCompressed ? undefined : new FieldCounter();
  const bounds = isEnveloped ? new MessageBounds(fields) : undefined;
  // The response continues after the request is no longer read.
  const pieces = request.iterator({ destroyOnReturn: false }) as AsyncIterator<Uint8Array>;
  let refused: Fault | undefined;
  let stopWaiting: (fault: Fault) => void = () => {};
  const count = countBody(unfinished, (mostBytes) => {
    refused = tooManyUnfinished(mostBytes);
    refuse(refused);
    stopWaiting(refused);
    void drop(pieces);
  });
  // The library may leave a body in the middle of a message.
  exchange.onceGone(count.end);
  const next = (): Promise<IteratorResult<Uint8Array>> =>
    new Promise((resolve, reject) => {
      stopWaiting = reject;
      pieces.next().then(resolve, reject);
    });
  try {
    for (let piece = await next(); piece.done !== true; piece = await next()) {
      (bounds ?? fields)?.take(piece.value);
      count.take(piece.value.length, isOneMessage ? undefined : bounds?.heldBytes());
      if (refused !== undefined) throw refused;
      yield piece.value;
      if (refused !== undefined) throw refused;
    }
  } finally {
    count.end();
  }
}

/** Reads the rest, so that the next request of the connection can come. */
async function drop(pieces: AsyncIterator<Uint8Array>): Promise<void> {
  try {
    while ((await pieces.next()).done !== true);
  } catch {
    // The connection has ended.
  }
}
