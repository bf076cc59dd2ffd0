// The options of a subscriber, and what it asks a daemon for: its terms, its place and its replies.
import type { AaepdError, Capabilities, RequestExtensions, SubscriptionRequest } from "#gen/aaep/types.js";
import { usage } from "../../base/errors.js";
import type { ReceivedEvent } from "../events.js";
import type { ConnectionOptions, Connector, SubscriberReply, SubscriberState } from "./types.js";

/** The identity and the terms of a listener (AAEP §5.2). `type` and `aaep_version` are filled in. */
export type SubscriberRequest = Omit<SubscriptionRequest, "type" | "aaep_version"> & {
  readonly subscriber_id: string;
  readonly capabilities: Capabilities;
  readonly extensions?: RequestExtensions;
};

/** An error thrown by one of these functions ends the subscriber. `connect` is the exception: its rejection is an interruption. */
export interface SubscriberOptions extends ConnectionOptions {
  readonly connect: Connector;
  readonly request: SubscriberRequest;
  /**
   * Called once for every event, in order, and again for a question that is still open on a later connection (R12), or for an event that `repeat`
   * asked for. Nothing further is read while the returned promise is open, so that a slow listener slows the producer.
   */
  readonly onEvent: (event: ReceivedEvent, isRepeated: boolean) => void | Promise<void>;
  readonly onState?: (state: SubscriberState) => void;
  readonly onError?: (error: AaepdError) => void;
  readonly onReplyNotTaken?: (replyToken: string) => void;
  /** The place to go on from (R17). Default: live events. */
  readonly cursor?: string | undefined;
  /** Receives each new place (R17) when everything that leads to it has been handed on. */
  readonly onCursor?: (cursor: string) => void;
}

/**
 * The request with these terms, at the place `resumeAfter` (R17). Asks for checkpoints, and for reports of replies that did
 * not count (R19), unless the terms say otherwise.
 */
export function requestOf(
  request: SubscriberRequest,
  terms: Capabilities,
  resumeAfter: string | undefined,
): SubscriptionRequest {
  const capabilities = { ...terms, aaepd: { checkpoints: true, reply_status: true, ...terms.aaepd } };
  const complete = { type: "subscription.request" as const, aaep_version: "1.0.0", ...request, capabilities };
  if (resumeAfter === undefined) return complete;
  const { extensions } = request;
  return { ...complete, extensions: { ...extensions, aaepd: { ...extensions?.aaepd, resume_after: resumeAfter } } };
}

/** Merges capabilities as the producer does (R32): `event_filters` and `aaepd` member by member, everything else whole. */
export function mergedCapabilities(old: Capabilities, changes: Capabilities): Capabilities {
  return {
    ...old,
    ...changes,
    ...(changes.event_filters && { event_filters: { ...old.event_filters, ...changes.event_filters } }),
    ...(changes.aaepd && { aaepd: { ...old.aaepd, ...changes.aaepd } }),
  };
}

/** Throws a Fault "usage" for what is no reply: the daemon would say only that it did not count (R19). Callers in JavaScript may pass anything. */
export function assertReply(reply: SubscriberReply): void {
  const { reply_token: token, decision, response } = reply as Readonly<Record<string, unknown>>;
  const isAnswer =
    decision === undefined
      ? ["string", "boolean", "number"].includes(typeof response)
      : response === undefined && (decision === "accept" || decision === "reject");
  if (typeof token === "string" && isAnswer) return;
  const sentence = 'Reply with the reply_token, and a decision ("accept" or "reject") or a response.';
  throw usage(sentence);
}
