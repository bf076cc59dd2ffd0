import { Code, ConnectError, type HandlerContext } from "@connectrpc/connect";
import { withResolvers } from "../../src/base/with-resolvers.js";
import type { ServiceMessage, ServiceMethod } from "../../src/contracts/service.js";
import type { Exchange } from "../http/exchange.js";
import { deadlinePassed, deadlineSlack, onceEndIsKnown } from "../service-calls/deadline.js";

export type UnaryMethod = Extract<ServiceMethod, { readonly kind: "unary" }>;

/** Answers one call within its deadline. Rejects with an error thrown by `answer`, or with a Fault "timed_out". */
export async function answerUnary(
  method: UnaryMethod,
  request: ServiceMessage,
  exchange: Exchange,
  { signal, timeoutMs }: Pick<HandlerContext, "signal" | "timeoutMs">,
): Promise<Uint8Array> {
  // It may have passed while the message came.
  if (isDeadline(signal)) throw deadlinePassed();
  const abort = new AbortController();
  const slackMs = deadlineSlack(timeoutMs() ?? Number.POSITIVE_INFINITY);
  const onGone = (): void => {
    const isLate = (timeoutMs() ?? Number.POSITIVE_INFINITY) <= slackMs;
    if (exchange.left() !== "cancelled" || isLate) {
      abort.abort("ended");
      return;
    }
    onceEndIsKnown(() => abort.abort(exchange.connection.isConnected() ? "cancelled" : "ended"));
  };
  const { promise: late, reject: tellLate } = withResolvers<never>();
  // If the answer came first, nobody listens.
  late.catch(() => {});
  const onAbort = (): void => {
    if (!isDeadline(signal)) return;
    // First, because an answer of the method to the abort would be too late.
    tellLate(deadlinePassed());
    abort.abort("ended");
  };
  const stopOnGone = exchange.onceGone(onGone);
  signal.addEventListener("abort", onAbort);
  try {
    return await Promise.race([late, method.answer(request, { peer: exchange.peer, signal: abort.signal })]);
  } finally {
    signal.removeEventListener("abort", onAbort);
    stopOnGone();
  }
}

/** Whether the signal was aborted at the deadline set by the client. */
export function isDeadline({ reason }: AbortSignal): boolean {
  return reason instanceof ConnectError && reason.code === Code.DeadlineExceeded;
}
