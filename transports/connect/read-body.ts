import { compressionGzip } from "@connectrpc/connect-node";
import type { Exchange } from "../http/exchange.js";
import { FieldCounter } from "./field-count.js";
import { MessageBounds } from "./message-bounds.js";

/** The body, for the library. Ends with an error "resource_exhausted" where a message has too many fields. */
export async function* readBody({
  request,
  contentType,
}: Pick<Exchange, "request" | "contentType">): AsyncGenerator<Uint8Array> {
  const isEnveloped = contentType.startsWith("application/grpc") || contentType.startsWith("application/connect+");
  // A text is counted when it is parsed, and a compressed message behind its decompression. In envelopes each message says itself whether it is one.
  const isCompressed = !isEnveloped && request.headers["content-encoding"] === compressionGzip.name;
  const fields = new FieldCounter();
  const counter = isEnveloped ? new MessageBounds(fields) : fields;
  const isCounted = !contentType.includes("json") && !isCompressed;
  // The response continues after the request is no longer read.
  for await (const piece of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) {
    if (isCounted) counter.take(piece);
    yield piece;
  }
}
