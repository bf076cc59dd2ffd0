// Counts the bytes of requests beside the library, which holds the message of a call with one request until the client has ended its side.

import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from "node:http2";
import type { ServiceDefinition } from "@grpc/grpc-js";
import type { Unfinished } from "../framing/unfinished.js";
import { countBody } from "../service-calls/body-count.js";
import { MessageBounds } from "../service-calls/message-bounds.js";

export interface RequestCount {
  readonly addService: (definition: ServiceDefinition) => void;
  /** Called when the library has begun with the stream. */
  readonly begun: (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void;
}

/**
 * Resets the call that the limit of `unfinished` meets. Clients of gRPC take this reset as RESOURCE_EXHAUSTED; one on Node 26 whose write waits takes
 * it as UNAVAILABLE.
 */
export function createRequestCount(unfinished: Unfinished): RequestCount {
  /** Of methods that take many messages. */
  const streamPaths = new Set<string>();
  return {
    addService: (definition) => {
      for (const { path, requestStream } of Object.values(definition)) if (requestStream) streamPaths.add(path);
    },
    begun: (stream, headers) => {
      const count = countBody(unfinished, () => stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM));
      const bounds = streamPaths.has(String(headers[":path"])) ? new MessageBounds() : undefined;
      // Later than the library's own listener, so that the library alone decides when the stream is read.
      stream.on("data", (bytes: Uint8Array) => {
        bounds?.take(bytes);
        count.take(bytes.length, bounds?.heldBytes());
      });
      stream.once("end", count.end);
      stream.once("close", count.end);
    },
  };
}
