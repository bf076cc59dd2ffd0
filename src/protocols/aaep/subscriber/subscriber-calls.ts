// The one list of what a subscriber says on its subscription, besides its request, its replies and its close. A stream without an envelope knows an
// entry by the `type` of the message, JSON-RPC by the method, and the typed services by the field of a request that carries the message.
import type { Message } from "../json/message.js";
import type { SubscriptionHandler } from "./subscription-handler.js";

export interface SubscriberCall {
  /** The part behind the point is the name of the field in protobuf. */
  readonly type: string;
  readonly rpc: string;
  /** Whether the caller needs the answer (AAEP §5.7): JSON-RPC refuses it as a notification. */
  readonly needsAnswer?: boolean;
  /** The `type` of the answer, which the answer itself does not have. */
  readonly answer?: string;
  /** Carries the message out. Returns its answer, or when it is safe (R29); undefined for one that is safe and has no answer. May throw a Fault. */
  readonly take: (handler: SubscriptionHandler, message: unknown) => Message | Promise<void> | undefined;
}

export const SUBSCRIBER_CALLS: readonly SubscriberCall[] = [
  {
    type: "subscription.renegotiate",
    rpc: "aaep.renegotiate",
    needsAnswer: true,
    take: (handler, message) => handler.renegotiate(message),
  },
  { type: "aaepd.skip", rpc: "aaep.skip", take: (handler, message) => handler.skip(message) },
  {
    type: "aaepd.list_pending",
    rpc: "aaep.list_pending",
    needsAnswer: true,
    answer: "aaepd.pending",
    take: (handler, message) => handler.listPending(message),
  },
  { type: "aaepd.repeat", rpc: "aaep.repeat", take: (handler, message) => handler.repeat(message) },
  { type: "aaepd.leave", rpc: "aaepd.leave", take: (handler, message) => handler.leave(message) },
  { type: "aaepd.stop", rpc: "aaepd.stop", take: (handler, message) => handler.stop(message) },
];

/** The answer as a message of its own. */
export function typedAnswer({ answer }: SubscriberCall, message: Message): Message {
  return answer === undefined ? message : { type: answer, ...message };
}
