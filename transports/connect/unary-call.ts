import type { Message } from "@bufbuild/protobuf";
import { Code, ConnectError, type HandlerContext } from "@connectrpc/connect";
import { Fault } from "../../src/base/errors.js";
import type { ServiceMethod } from "../../src/contracts/service.js";
import type { Exchange } from "./exchange.js";

export type UnaryMethod = Extract<ServiceMethod, { readonly kind: "unary" }>;

/**
 * A client ends its call at its deadline by itself, and counts from before the call was here. So what is called off within this time of the deadline was
 * called off by it, ms.
 */
const DEADLINE_SLACK_MS = 500;

/** Answers one call, by its deadline. Rejects with what `answer` throws, or with a Fault "timed_out". */
export async function answerUnary(
  method: UnaryMethod,
  request: Message,
  exchange: Exchange,
  context: Pick<HandlerContext, "signal" | "timeoutMs">,
): Promise<Uint8Array> {
  const abort = new AbortController();
  const onGone = (): void => {
    const isCalledOff = exchange.left() === "cancelled" && (context.timeoutMs() ?? Infinity) > DEADLINE_SLACK_MS;
    abort.abort(isCalledOff ? "cancelled" : "ended");
  };
  if (exchange.signal.aborted) onGone();
  else exchange.signal.addEventListener("abort", onGone, { once: true });
  let onAbort = (): void => {};
  const late = new Promise<never>((_, reject) => {
    onAbort = () => {
      const { reason } = context.signal;
      if (!(reason instanceof ConnectError) || reason.code !== Code.DeadlineExceeded) return;
      abort.abort("ended");
      reject(new Fault("timed_out", "The deadline that you set for this call has passed. Ask again, with more time."));
    };
  });
  late.catch(() => {});
  context.signal.addEventListener("abort", onAbort);
  try {
    if (context.signal.aborted) onAbort();
    return await Promise.race([late, method.answer(request, { peer: exchange.peer, signal: abort.signal })]);
  } finally {
    context.signal.removeEventListener("abort", onAbort);
    exchange.signal.removeEventListener("abort", onGone);
  }
}
