// Ends of exchanges: whole answers, and refusals in the protocol of the request, in plain text if it speaks no protocol that is served here.
import { constants, type ServerHttp2Stream } from "node:http2";
import type { Fault, FaultCode } from "../../src/base/errors.js";
import type { After } from "../framing/options.js";
import { STATUS, STATUS_OF, type StatusCode } from "../rpc-status.js";
import type { Exchange } from "./exchange.js";
import type { RefusalForm } from "./http-service.js";

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

/**
 * Answers with the status of the fault. If the protocol has a status of its own, the status of HTTP is 200, unless `httpStatus` is given because the
 * response must not look like an answer at all.
 */
export function refuse(
  exchange: Exchange,
  fault: Fault,
  form: RefusalForm | undefined,
  after: After,
  httpStatus?: number,
): void {
  const { response, request } = exchange;
  if (response.headersSent || exchange.signal.aborted) return;
  const status = httpStatus ?? httpStatusOf(fault.code);
  // A client that sends an endless request must not be read for ever.
  if (exchange.stream === undefined && request.headers["transfer-encoding"] !== undefined)
    response.setHeader("connection", "close");
  if (status === 401) response.setHeader("www-authenticate", 'Bearer realm="aaepd"');
  if (form !== undefined) {
    form.write(exchange, fault, httpStatus ?? (form.hasOwnStatus ? 200 : status));
    return;
  }
  const body = Buffer.from(`${fault.sentence} (${statusNameOf(fault.code)})\n`);
  answerWhole(exchange, after, { status, contentType: "text/plain; charset=utf-8", body });
}

const HTTP_STATUS: Readonly<Record<StatusCode, number>> = {
  [STATUS.CANCELLED]: 499,
  [STATUS.INVALID_ARGUMENT]: 400,
  [STATUS.DEADLINE_EXCEEDED]: 504,
  [STATUS.NOT_FOUND]: 404,
  [STATUS.ALREADY_EXISTS]: 409,
  [STATUS.PERMISSION_DENIED]: 403,
  [STATUS.RESOURCE_EXHAUSTED]: 429,
  [STATUS.FAILED_PRECONDITION]: 400,
  [STATUS.UNIMPLEMENTED]: 501,
  [STATUS.INTERNAL]: 500,
  [STATUS.UNAVAILABLE]: 503,
  [STATUS.UNAUTHENTICATED]: 401,
};

const NAMES: ReadonlyMap<number, string> = new Map(
  Object.entries(STATUS).map(([name, code]) => [code, name.toLowerCase()]),
);

export function httpStatusOf(code: FaultCode): number {
  return HTTP_STATUS[STATUS_OF[code]];
}

/** In Connect's spelling, which has one l in "canceled". */
export function statusNameOf(code: FaultCode): string {
  const status = STATUS_OF[code];
  return status === STATUS.CANCELLED ? "canceled" : (NAMES.get(status) ?? "unknown");
}
