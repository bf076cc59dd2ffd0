import type { AaepdError, Capabilities, RequestExtensions, SubscriptionRequest } from "#gen/aaep/types.js";
import type { Connection } from "../contracts/transport.js";
import type { BackOffOptions } from "./back-off.js";
import type { ReceivedEvent } from "./events.js";
import type { Timers } from "./platform-clock.js";
import type { SubscriberState } from "./subscriber-states.js";

/** The subscriber's identity and capabilities (AAEP §5.2). `type` and `aaep_version` are filled in. */
export type SubscriberRequest = Omit<SubscriptionRequest, "type" | "aaep_version"> & {
  readonly subscriber_id: string;
  readonly capabilities: Capabilities;
  readonly aaep_version?: string;
  readonly extensions?: RequestExtensions;
};

/**
 * An answer to the question that `reply_token` names (AAEP §6.3); "the current question" cannot be answered. A confirmation takes a
 * decision, a clarification a response of a kind that it accepts.
 */
export type SubscriberReply = {
  readonly reply_token: string;
  /** Identity of the decider, in any form that the agent understands. */
  readonly decided_by?: string;
} & (
  | {
      readonly decision: "accept" | "reject";
      readonly decision_rationale?: string;
      /** The action to take instead. An agent that does not support this treats the reply as a rejection. */
      readonly modified_action?: Readonly<Record<string, unknown>>;
    }
  | {
      readonly response: string | boolean | number;
      /** 0 to 1. */
      readonly confidence?: number;
    }
);

/** Why an event arrived: by itself, or because `repeat` asked for it. */
export type Arrival = "new" | "repeated";

/** An error thrown by one of these functions ends the subscriber. `connect` is the exception. */
export interface SubscriberOptions {
  /** Makes one connection. Called for each attempt; a rejection counts as an interruption. */
  readonly connect: () => Promise<Connection<Uint8Array>>;
  readonly request: SubscriberRequest;
  /**
   * Called once for every event, in order, and again for a question that is still open on a later connection (R12). Nothing further is read while the
   * returned promise is open, so that a slow listener slows the producer instead of filling its own memory.
   */
  readonly onEvent: (event: ReceivedEvent, arrival: Arrival) => void | Promise<void>;
  /** Connection made, lost, retried, ended. A change of terms is no change of state. */
  readonly onState?: (state: SubscriberState) => void;
  /** Receives the producer's error for a message that it did not accept (R33), unless a promise of the subscriber rejects with it. */
  readonly onError?: (error: AaepdError) => void;
  /**
   * Reports that a reply of this subscriber did not count, at most once a second. Nobody is told the reason, and the question may still be open (see
   * `listPending`). A subscriber that can reply requests this from aaepd (`aaepd.reply_status`); other producers do not send it.
   */
  readonly onReplyNotTaken?: (replyToken: string) => void;
  /** Receives messages of kinds unknown to this version, such as answers to extensions. */
  readonly onMessage?: (message: Readonly<Record<string, unknown>>) => void;
  /**
   * `always`; `after-first`: only once a subscription has been active, so that a wrong address is reported at once; `never`. Default `always`. A
   * rejected request is repeated only if the producer names a delay, or has too many subscriptions at the moment. After "address_invalid",
   * "permission_denied" and "unauthenticated" no attempt follows, unless the Fault names a delay.
   */
  readonly reconnect?: "always" | "after-first" | "never";
  readonly backOff?: BackOffOptions;
  /** Longest wait for the answer to the request, ms. Default 10,000. After that the connection counts as broken. */
  readonly handshakeTimeoutMs?: number;
  /** A subscription that lasted as long as this resets the back-off, ms. Default 10,000. */
  readonly stableAfterMs?: number;
  /** The `cursor` of an earlier subscriber, to go on from there. Default: begins with live events. */
  readonly cursor?: string;
  /**
   * Receives each new place (R17) after everything that leads to it has been delivered, at most once a second while events come. Store it on disk.
   */
  readonly onCursor?: (cursor: string) => void;
  /** Default the platform's. */
  readonly timers?: Timers;
  /** Milliseconds since 1970, for the timestamps of replies. Default the platform's. */
  readonly wallTime?: () => number;
  /** From [0, 1). Default `Math.random`. */
  readonly chance?: () => number;
}
