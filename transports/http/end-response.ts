import { constants, type ServerHttp2Stream } from "node:http2";
import type { After } from "../framing/options.js";
import type { Exchange } from "./exchange.js";

/** How long a client may continue to send after the response has ended, ms. */
export const LINGER_MS = 250;

/** Ends the response, and soon afterwards a request that has not ended. */
export function endResponse({ response, stream }: Exchange, after: After, body?: string | Uint8Array): void {
  if (body === undefined) response.end();
  else response.end(body);
  stream?.once("finish", () => endRequest(stream, after));
}

/** Node reports "finish" before the trailers have left. A reset would overtake them, and the client would miss the status. */
function endRequest(stream: ServerHttp2Stream, after: After): void {
  const cancel = after(LINGER_MS, () => {
    stream.off("close", cancel);
    if (stream.closed) return;
    if (stream.state.localClose === 1) stream.close(constants.NGHTTP2_NO_ERROR);
    else endRequest(stream, after);
  });
  stream.once("close", cancel);
}

/** Answers with a whole body; a HEAD request gets the headers alone. */
export function answerWhole(
  exchange: Exchange,
  after: After,
  { status, contentType, body }: { readonly status: number; readonly contentType: string; readonly body: Uint8Array },
): void {
  exchange.response.writeHead(status, { "content-type": contentType, "content-length": body.length });
  endResponse(exchange, after, exchange.request.method === "HEAD" ? undefined : body);
}
