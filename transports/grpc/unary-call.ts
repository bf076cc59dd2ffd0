import type { ServerUnaryCall, sendUnaryData } from "@grpc/grpc-js";
import { publicFault } from "../../src/base/errors.js";
import type { ServiceMethod } from "../../src/contracts/service.js";
import { bufferOf } from "../service-calls/batch-messages.js";
import type { ServiceConnection } from "../service-calls/connections.js";
import { watchCallEnd } from "./call-end.js";
import type { ResolvedGrpcOptions } from "./options.js";
import { statusOf } from "./status.js";

/** Answers one call. Its signal is aborted if the call ends first; the reason shows whether the client cancelled. */
export async function answerCall(
  method: ServiceMethod & { readonly kind: "unary" },
  call: ServerUnaryCall<Buffer, Buffer>,
  connection: ServiceConnection,
  respond: sendUnaryData<Buffer>,
  options: Pick<ResolvedGrpcOptions, "describeFault" | "log">,
): Promise<void> {
  const ended = new AbortController();
  const whyEnded = watchCallEnd(call, connection);
  let isAnswered = false;
  // Also emitted after an answer.
  call.on("cancelled", () => {
    if (isAnswered) return;
    whyEnded((fault) => {
      if (!isAnswered) ended.abort(fault === undefined ? "cancelled" : "ended");
    });
  });
  try {
    const answer = await method.answer(call.request, { peer: connection.peer, signal: ended.signal });
    isAnswered = true;
    respond(null, bufferOf(answer));
  } catch (caught) {
    isAnswered = true;
    respond(statusOf(publicFault(caught, options.log), options.describeFault));
  }
}
