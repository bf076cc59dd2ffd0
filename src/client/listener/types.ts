/// <reference lib="esnext.disposable" preserve="true" />
// The options of a listener, and the subscription that it gets. Types only.
import type { AaepdError, SubscriptionAccepted, SubscriptionClose, SubscriptionRejected } from "#gen/aaep/types.js";
import type { Fault } from "../../base/errors.js";
import type { Connection } from "../../contracts/transport.js";
import type { ReceivedEvent } from "../events.js";
import type { BackOffOptions, Timers } from "../timers.js";
import type { Terms } from "./terms.js";

/** The part of a connection that a listener needs. Every `Connection` has it. */
export type ListenerConnection = Pick<Connection<Uint8Array>, "peer" | "frames" | "send" | "close" | "closed">;

/** Makes one connection to a daemon. Called for each attempt; a rejection counts as an interruption. */
export type Connector = () => Promise<ListenerConnection>;

/** A daemon with a name. Names are unique within a subscription. */
export interface Target {
  /** Stays the same over restarts of the daemon, such as the path of its socket: cursors are kept by it. */
  readonly name: string;
  /** The name for people. Default `name`. */
  readonly label?: string;
  readonly connect: Connector;
}

/** Finds daemons as long as a subscription lasts. */
export interface Discovery {
  /** Starts to look. Returns a function that stops it, and is called once. May throw a Fault, which ends the subscription. */
  readonly watch: (listeners: DiscoveryListeners) => () => void;
}

export interface DiscoveryListeners {
  /** A daemon is there: a new one, one that had left, or one that was started again. May be called again for the same name. */
  readonly appeared: (target: Target) => void;
  /** Its address is gone. A connection that still stands is read to its end. */
  readonly left: (name: string) => void;
  /** Nothing more will be found. Ends the subscription with this error. */
  readonly failed: (caught: unknown) => void;
}

/** One daemon of a subscription. The same object as long as the subscription lasts, also while the daemon is away. */
export interface Source {
  /** As in `Target`; of a connector without a name, its number from 1. */
  readonly name: string;
  /** The name for people. */
  readonly label: string;
  /** The last state that `onState` received, in `active` with the terms in force; undefined before the first. */
  readonly state: () => SubscriberState | undefined;
  /**
   * The place where a later subscription can resume (R17): everything before it has been finished by the loop. Undefined before the first. Of a
   * daemon that is away, its last place.
   */
  readonly cursor: () => string | undefined;
}

/** Why a subscription was interrupted. */
export type Interruption =
  /**
   * The producer closed it: "producer_shutdown", "recording_ended", "producer_error" (an internal error there), "lagging" (this side was too slow,
   * R18) …
   */
  | { readonly kind: "closed"; readonly close: SubscriptionClose }
  | { readonly kind: "rejected"; readonly rejected: SubscriptionRejected }
  /** The connection failed, or broke. */
  | { readonly kind: "fault"; readonly fault: Fault };

export type SubscriberState =
  /** `attempt` counts from 1, and restarts after a subscription that lasted. */
  | { readonly kind: "connecting"; readonly attempt: number }
  /** Events flow, at first on these terms. `isResumed`: the subscription resumed at a place, and `accepted` says how the place was met (R17). */
  | { readonly kind: "active"; readonly accepted: SubscriptionAccepted; readonly isResumed: boolean }
  | { readonly kind: "waiting"; readonly retryInMs: number; readonly because: Interruption }
  /** The last state: after `close`, or because another attempt is of no use or not requested. */
  | { readonly kind: "ended"; readonly because: Interruption | { readonly kind: "asked" } };

export type SubscriberEnd = Extract<SubscriberState, { kind: "ended" }>;

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

/** The options that hold for each connection. */
export interface ConnectionOptions {
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
  /** Default the platform's. */
  readonly timers?: Timers;
  /** Milliseconds since 1970, for the timestamps of replies. Default the platform's. */
  readonly wallTime?: () => number;
  /** From [0, 1). Default `Math.random`. */
  readonly chance?: () => number;
}

/** An error thrown by one of these functions ends the subscription, and so does a promise of one that rejects. */
export interface SubscribeOptions extends ConnectionOptions {
  /** `subscriber_id`: the stable name of this listener (AAEP §5.2). Default: a new name for each subscription. */
  readonly id?: string;
  /** `subscriber_name`, for people. */
  readonly name?: string;
  /** The cursor of an earlier subscription, to go on from there (R17). For several daemons a function. Default: live events. */
  readonly cursor?: string | ((source: Source) => string | undefined) | undefined;
  /**
   * Receives each new place (R17) when the loop has finished every event before it, at most once a second while events come. Store it on disk.
   */
  readonly onCursor?: (cursor: string, source: Source) => void;
  /**
   * Connection made, lost, retried, ended. In `active`, `accepted` has the granted terms, and `accepted.negotiation_notes` says what of the requested
   * ones was not granted or not known. A change of terms is no change of state: `renegotiate` resolves with the new terms.
   */
  readonly onState?: (state: SubscriberState, source: Source) => void;
  /**
   * Receives each new critical event (R4) as soon as it has arrived, also while the loop is busy with an earlier one: stop speaking then, for
   * example. The loop gets the event as well, in its turn. With this function up to 256 events are read ahead of the loop.
   */
  readonly onCritical?: (event: ReceivedEvent, source: Source) => void;
  /** Receives the daemon's error for a message that it did not accept (R33), unless a promise of the subscription rejects with it. */
  readonly onError?: (error: AaepdError, source: Source) => void;
  /**
   * Reports that a reply did not count (R19): the question was decided already, or the reply was not allowed. Nobody is told which, and the question
   * may still be open (`listPending`). At most once a second from each daemon.
   */
  readonly onReplyNotTaken?: (replyToken: string, source: Source) => void;
}

/**
 * The events of one or several daemons. Iterate it once; `for await` reads one event at a time, and a daemon waits while the loop is busy. Leaving
 * the loop closes the subscription.
 *
 * The iteration ends after `close`, and when every daemon has ended for good (a recording that is over). It throws a Fault that says what to do when
 * the last daemon cannot be subscribed to at all, such as with terms that it rejects. A subscription with a `Discovery` goes on to look for daemons,
 * unless the terms are rejected before any daemon has accepted them.
 */
export interface Subscription extends AsyncIterable<ReceivedEvent> {
  readonly [Symbol.asyncIterator]: () => AsyncIterator<ReceivedEvent, undefined>;
  /**
   * Answers a question (AAEP §6.3), at the daemon that asked it. True: the reply was sent, which does not mean that it counted. The question's
   * resolution reports a reply that counted, `onReplyNotTaken` one that did not. False: that daemon is not connected, or no daemon is known to have
   * asked. Throws a Fault "usage" for what is no reply.
   */
  readonly reply: (reply: SubscriberReply) => boolean;
  /**
   * Leaves a question to the agent's own window (R5b), with the rights that a reply needs: "answer it there". Accepts the event of the question as it
   * is. True: it was sent to the daemon that asked it. The question's resolution reports that it worked, `onError` that it did not: its agent asks
   * nowhere else, or the question is not open (`answers` is "aaepd.leave"). False: that daemon is not connected, or no daemon is known to have asked.
   */
  readonly leave: (question: { readonly reply_token: string }) => boolean;
  /**
   * Asks the agent of a session to stop (R39), with the rights that a reply needs. Accepts any event of the session as it is. True: it was sent to
   * the session's daemon. The agent ends the session itself. `onError` reports an agent that cannot be asked, or a session that is not open
   * (`answers` is "aaepd.stop"). False: no connected daemon is known to have the session.
   */
  readonly stop: (session: { readonly session_id: string }) => boolean;
  /**
   * Asks every daemon for other terms; omitted members stay as they are (AAEP §5.7, R32). Daemons that are not connected, vanish before they have
   * answered, or do not answer within `handshakeTimeoutMs`, get the new terms when they are back. Resolves with the terms of the others. Rejects with
   * the first Fault of a daemon that refused; the others have the new terms then.
   */
  readonly renegotiate: (changes: Terms) => Promise<readonly SubscriptionAccepted[]>;
  /**
   * Skips the rest of one output, or without an argument everything that daemons hold back (R26). False if no daemon was told. Accepts the event of a
   * chunk as it is.
   */
  readonly skip: (output?: { readonly session_id: string; readonly output_id?: string }) => boolean;
  /** Asks for this event again (R28); it arrives in the loop. False if its daemon is not connected or not known. */
  readonly repeat: (event: { readonly event_id: string; readonly session_id: string }) => boolean;
  /** The open questions of all connected daemons that this listener may answer (R28). A daemon that vanishes meanwhile, or hangs, has none. */
  readonly listPending: () => Promise<readonly ReceivedEvent[]>;
  /** The daemons, in the order in which they appeared. */
  readonly sources: () => readonly Source[];
  /** The daemon from which this event came; undefined for an event of elsewhere, and for a copy of an event of a session that is long over. */
  readonly sourceOf: (event: { readonly session_id: string }) => Source | undefined;
  /** Whether the event arrived because `repeat` asked for it. */
  readonly isRepeated: (event: ReceivedEvent) => boolean;
  /** Ends the subscription, and the loop with it. `reason` is for people, in `subscription.close`. Resolves when every connection is closed. */
  readonly close: (reason?: string) => Promise<void>;
  /** `close`, for `await using`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}
