// A refusal in the words of whatever protocol the request speaks.
import { encodeEnvelope } from "@connectrpc/connect/protocol";
import {
  codeToHttpStatus,
  codeToString,
  createEndStreamSerialization,
  endStreamFlag,
  errorToJsonBytes,
} from "@connectrpc/connect/protocol-connect";
import { setTrailerStatus } from "@connectrpc/connect/protocol-grpc";
import type { Fault } from "../../src/base/errors.js";
import type { Exchange } from "./exchange.js";
import { connectErrorOf } from "./faults.js";
import { nodeHeaders } from "./headers.js";
import type { ResolvedConnectOptions } from "./options.js";
import { endResponse } from "./respond.js";

/**
 * Answers with the status of the fault. In gRPC and the streams of Connect an error is no matter of HTTP, whose status is 200 then, unless
 * `httpStatus` says that nothing of this must look like an answer.
 */
export function refuse(
  exchange: Exchange,
  fault: Fault,
  options: Pick<ResolvedConnectOptions, "describeFault" | "after">,
  httpStatus?: number,
): void {
  const { response, request, contentType } = exchange;
  if (response.headersSent || exchange.signal.aborted) return;
  const error = connectErrorOf(fault, options.describeFault);
  const status = httpStatus ?? codeToHttpStatus(error.code);
  // A client that is still sending, and has no end in sight, must not be read for ever (C2).
  if (exchange.stream === undefined && request.headers["transfer-encoding"] !== undefined)
    response.setHeader("connection", "close");
  if (status === 401) response.setHeader("www-authenticate", 'Bearer realm="aaepd"');
  const end = (code: number, type: string, body: Uint8Array): void => {
    response.writeHead(code, { "content-type": type, "content-length": body.length });
    endResponse(exchange, options.after, request.method === "HEAD" ? undefined : body);
  };
  if (contentType.startsWith("application/grpc")) {
    // Not by `writeHead`: a status alone is one frame of headers that ends the stream, and what ends it after that is a message to a client of gRPC.
    response.statusCode = httpStatus ?? 200;
    response.setHeader("content-type", contentType);
    for (const [name, value] of Object.entries(nodeHeaders(setTrailerStatus(new Headers(), error))))
      if (value !== undefined) response.setHeader(name, value);
    endResponse(exchange, options.after);
  } else if (contentType.startsWith("application/connect+")) {
    const last = createEndStreamSerialization(undefined).serialize({ metadata: new Headers(), error });
    end(httpStatus ?? 200, contentType, encodeEnvelope(endStreamFlag, last));
  } else if (contentType === "application/json" || contentType === "application/proto") {
    end(status, "application/json", errorToJsonBytes(error, undefined));
  } else {
    end(status, "text/plain; charset=utf-8", Buffer.from(`${fault.sentence} (${codeToString(error.code)})\n`));
  }
}
