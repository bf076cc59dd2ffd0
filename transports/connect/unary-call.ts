import { Code, ConnectError, type HandlerContext } from "@connectrpc/connect";
import { Fault } from "../../src/base/errors.js";
import { withResolvers } from "../../src/base/with-resolvers.js";
import type { ServiceMessage, ServiceMethod } from "../../src/contracts/service.js";
import type { Exchange } from "../http/exchange.js";

export type UnaryMethod = Extract<ServiceMethod, { readonly kind: "unary" }>;

/**
 * Slack of a deadline: a client resets a call at the deadline of its own clock, which may come a little early here. A reset counts as the deadline if
 * it comes within the last second, or, of a call shorter than two seconds, in its second half.
 */
const DEADLINE_SLACK_MS = 1000;

/** Answers one call within its deadline. Rejects with an error thrown by `answer`, or with a Fault "timed_out". */
export async function answerUnary(
  method: UnaryMethod,
  request: ServiceMessage,
  exchange: Exchange,
  { signal, timeoutMs }: Pick<HandlerContext, "signal" | "timeoutMs">,
): Promise<Uint8Array> {
  const abort = new AbortController();
  const slackMs = Math.min(DEADLINE_SLACK_MS, (timeoutMs() ?? Number.POSITIVE_INFINITY) / 2);
  const onGone = (): void => {
    const isLate = (timeoutMs() ?? Number.POSITIVE_INFINITY) <= slackMs;
    if (exchange.left() !== "cancelled" || isLate) {
      abort.abort("ended");
      return;
    }
    // The end of a connection is read in the turn of its last frames, and reported one or two turns later.
    setImmediate(() => setImmediate(() => abort.abort(exchange.isConnected() ? "cancelled" : "ended")));
  };
  const { promise: late, reject: tellLate } = withResolvers<never>();
  // If the answer came first, nobody listens.
  late.catch(() => {});
  const onAbort = (): void => {
    if (!isDeadline(signal)) return;
    // First, because an answer of the method to the abort would be too late.
    tellLate(
      new Fault("timed_out", "The deadline of this call has passed. Call again, with a later deadline or none."),
    );
    abort.abort("ended");
  };
  const stopOnGone = exchange.onceGone(onGone);
  signal.addEventListener("abort", onAbort);
  try {
    if (signal.aborted) onAbort();
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
