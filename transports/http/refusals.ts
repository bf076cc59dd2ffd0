// Writes a refusal in the protocol of the request; in plain text if the request speaks no protocol that is served here.
import type { Fault } from "../../src/base/errors.js";
import type { After } from "../framing/options.js";
import { answerWhole } from "./end-response.js";
import type { Exchange } from "./exchange.js";
import type { RefusalForm } from "./http-service.js";
import { httpStatusOf, statusNameOf } from "./http-status.js";

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
