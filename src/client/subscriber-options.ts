import type { AaepdError, Capabilities, Envelope, RequestExtensions, SubscriptionRequest } from "#gen/aaep/types.js";
import type { Connection } from "../contracts/transport.js";
import type { BackOffOptions } from "./back-off.js";
import type { Timers } from "./platform-clock.js";
import type { SubscriberState } from "./subscriber-states.js";

/** Who subscribes, and what it can handle (AAEP §5.2). Type and version are filled in. */
export type SubscriberRequest = Omit<SubscriptionRequest, "type" | "aaep_version"> & {
  readonly subscriber_id: string;
  readonly capabilities: Capabilities;
  readonly aaep_version?: string;
  readonly extensions?: RequestExtensions;
};

/**
 * An answer to a question (AAEP §6.3), which its `reply_token` names: there is no answering of "the current one" (pitfall H11). A confirmation is
 * answered by a decision, a clarification by a response of a kind it accepts.
 */
export type SubscriberReply = {
  readonly reply_token: string;
  /** Who decided, in whatever form the agent understands. */
  readonly decided_by?: string;
} & (
  | {
      readonly decision: "accept" | "reject";
      readonly decision_rationale?: string;
      /** What is to be done instead. An agent that cannot do that takes it as a rejection. */
      readonly modified_action?: Readonly<Record<string, unknown>>;
    }
  | {
      readonly response: string | boolean | number;
      /** 0 to 1. */
      readonly confidence?: number;
    }
);

/** How an event came: by itself, or because `repeat` asked for it. */
export type Arrival = "new" | "repeated";

export interface SubscriberOptions {
  /** Makes one connection. Called again for each attempt; a rejection counts as an interruption. */
  readonly connect: () => Promise<Connection<Uint8Array>>;
  readonly request: SubscriberRequest;
  /**
   * Called for every event once, in order. While the promise it answers is open nothing further is read, so that a slow listener slows the
   * producer down and not its own memory. What it throws ends the subscriber.
   */
  readonly onEvent: (event: Envelope, arrival: Arrival) => void | Promise<void>;
  readonly onState?: (state: SubscriberState) => void;
  /** What the producer says of a message it did not accept (R33). */
  readonly onError?: (error: AaepdError) => void;
  /**
   * A reply of this subscriber did not count; why is told to nobody, and the question may be open still (`listPending` says). At most once a second.
   * A subscriber that can reply asks aaepd for it (`aaepd.reply_status`); other producers do not tell.
   */
  readonly onReplyNotTaken?: (replyToken: string) => void;
  /** Messages of kinds that this version does not know, such as answers to extensions. */
  readonly onMessage?: (message: Readonly<Record<string, unknown>>) => void;
  /**
   * `always`; `after-first`: only once a subscription has been active, so that a wrong address is told at once; `never`. Default `always`.
   * A rejection is tried again only where the producer says when, or has too many subscriptions at the moment.
   */
  readonly reconnect?: "always" | "after-first" | "never";
  readonly backOff?: BackOffOptions;
  /** Longest wait for the answer to the request, ms. Default 10,000. Then the connection counts as broken. */
  readonly handshakeTimeoutMs?: number;
  /** A subscription that lasted as long as this resets the back-off, ms. Default 10,000. */
  readonly stableAfterMs?: number;
  /** Where an earlier subscriber stopped: its `cursor`. Default: begins with what is live. */
  readonly cursor?: string;
  /**
   * Told of each new place (R17), once everything that leads to it has been handed on: at most once a second while events come. To be kept on disk.
   * An error that it throws ends the subscriber.
   */
  readonly onCursor?: (cursor: string) => void;
  /** Default the platform's. */
  readonly timers?: Timers;
  /** Milliseconds since 1970, for the timestamps of replies. Default the platform's. */
  readonly wallTime?: () => number;
  /** From [0, 1). Default `Math.random`. */
  readonly chance?: () => number;
}
