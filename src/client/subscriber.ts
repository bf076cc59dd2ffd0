// A lasting subscriber: it shakes hands, recognises duplicates, and resumes at its place when its connection breaks (R17). It has one subscription at
// a time; subscription-run.ts handles one connection.
import type { Capabilities, Envelope, SubscriptionAccepted, SubscriptionRejected } from "#gen/aaep/types.js";
import { Fault } from "../base/errors.js";
import type { Connection } from "../contracts/transport.js";
import { backOffMs, isHopeless } from "./back-off.js";
import { withShortType } from "./event-types.js";
import type { ReceivedEvent } from "./events.js";
import { Pause } from "./pause.js";
import { PLATFORM_TIMERS } from "./platform-clock.js";
import { Received } from "./received.js";
import type { SubscriberOptions, SubscriberReply } from "./subscriber-options.js";
import type { Interruption, SubscriberEnd } from "./subscriber-states.js";
import { notSubscribed, openSubscription, type SubscriptionRun } from "./subscription-run.js";

export interface Subscriber {
  /**
   * Asks for other terms; omitted members stay as they are (AAEP §5.7, R32). Resolves with the new terms, which later reconnects request as well.
   * Rejects with a Fault: `unknown_subscription` while there is no subscription, else the producer's error.
   */
  readonly renegotiate: (capabilities: Capabilities) => Promise<SubscriptionAccepted>;
  /** Changes the terms that later connections request, and asks for nothing now. Omitted members stay as they are. */
  readonly setTerms: (capabilities: Capabilities) => void;
  /** Skips the rest of one output, or without an argument everything held back (R26). False while there is no subscription. */
  readonly skip: (target?: { readonly session_id: string; readonly output_id?: string }) => boolean;
  /** Asks for one event again (R28); the event arrives as "repeated". False while there is no subscription. */
  readonly repeat: (eventId: string) => boolean;
  /** Returns the open questions put to this subscription (R28). Rejects with a Fault as `renegotiate` does. */
  readonly listPending: () => Promise<readonly ReceivedEvent[]>;
  /**
   * Answers a question. True: the reply was sent, which does not mean that it counted. The question's resolution reports a reply that counted,
   * `onReplyNotTaken` one that did not; nothing reports the reason (AAEP §6.3.4). False while there is no subscription. Throws a Fault "usage" for
   * what is no reply.
   */
  readonly reply: (reply: SubscriberReply) => boolean;
  /**
   * Leaves a question to the agent's own window (R5b), with the rights that a reply needs; accepts the event of the question as it is. True: it was
   * sent. The question's resolution reports that it worked. `onError` reports a question that its agent asks nowhere else, or that is not open
   * (`answers` is "aaepd.leave"). False while there is no subscription.
   */
  readonly leave: (question: { readonly reply_token: string }) => boolean;
  /**
   * Asks the agent of a session to stop (R39), with the rights that a reply needs; accepts any event of the session as it is. True: it was sent. The
   * agent ends the session itself. `onError` reports an agent that cannot be asked, or a session that is not open (`answers` is "aaepd.stop"). False
   * while there is no subscription.
   */
  readonly stop: (session: { readonly session_id: string }) => boolean;
  /** The place where a later subscriber can resume (R17): behind everything delivered up to the last checkpoint. Undefined before the first. */
  readonly cursor: () => string | undefined;
  /**
   * Closes the subscription and ends. Resolves when the subscriber has ended. While `onEvent` runs, resolves once the connection is closed, so that
   * `onEvent` itself may await `close`.
   */
  readonly close: (reasonMessage?: string) => Promise<void>;
  /** Resolves when the subscriber has ended for good. Rejects only with an error thrown by a function of the options. */
  readonly ended: Promise<SubscriberEnd>;
}

/** Connects at once, and again by the rules of `options.reconnect` until `close`. */
export function createSubscriber(options: SubscriberOptions): Subscriber {
  const {
    request,
    onState = () => {},
    reconnect = "always",
    handshakeTimeoutMs = 10_000,
    stableAfterMs = 10_000,
    timers = PLATFORM_TIMERS,
    wallTime = Date.now,
    chance = Math.random,
  } = options;
  const received = new Received(options.cursor);
  const asked = new Set<string>();
  let capabilities = request.capabilities;
  let run: SubscriptionRun | undefined;
  let isClosing = false;
  let isDelivering = false;
  let abandonConnecting = (): void => {};
  const pause = new Pause(timers);

  /** As `options.connect`, but rejects at `close`: nobody knows how long an attempt takes. A connection that is made later is closed. */
  function connect(): Promise<Connection<Uint8Array>> {
    return new Promise((resolve, reject) => {
      if (isClosing) throw closedHere();
      const connecting = options.connect();
      abandonConnecting = () => {
        reject(closedHere());
        connecting.then((late) => late.close()).catch(() => {});
      };
      connecting.then(resolve, reject);
    });
  }

  async function deliver(event: Envelope): Promise<void> {
    // An event that is not delivered must not count as received: the cursor stays before it.
    if (isClosing) return;
    const news = received.accept(event);
    isDelivering = true;
    try {
      if (asked.delete(event.event_id)) await options.onEvent(withShortType(event), "repeated");
      else if (news !== undefined) await options.onEvent(withShortType(news), "new");
    } finally {
      isDelivering = false;
    }
  }

  async function attempt(number: number): Promise<{ readonly because: Interruption; readonly lastedMs: number }> {
    onState({ kind: "connecting", attempt: number });
    let activeSince: number | undefined;
    const resumeAfter = received.cursor;
    received.reconnected();
    const because = await openSubscription({
      connect,
      request: () => withPlace({ ...request, capabilities: withOwnWishes(capabilities) }, resumeAfter),
      handshakeTimeoutMs,
      timers,
      opened: (opened) => {
        abandonConnecting = () => {};
        run = opened;
        if (isClosing) void opened.close(undefined);
      },
      active: (accepted) => {
        activeSince = timers.now();
        onState({ kind: "active", accepted, isResumed: resumeAfter !== undefined });
      },
      event: deliver,
      reached: (cursor) => {
        if (isClosing) return;
        received.reached(cursor);
        options.onCursor?.(cursor);
      },
      error: (error) => {
        // An event that cannot be sent again is no longer expected.
        if (error.answers === "aaepd.repeat" && error.event_id !== undefined) asked.delete(error.event_id);
        options.onError?.(error);
      },
      replyNotTaken: options.onReplyNotTaken,
      message: options.onMessage,
    });
    run = undefined;
    asked.clear();
    return { because, lastedMs: activeSince === undefined ? -1 : timers.now() - activeSince };
  }

  async function keepSubscribed(): Promise<SubscriberEnd> {
    let hasBeenActive = false;
    for (let retry = 0; ; retry += 1) {
      if (isClosing) return end({ kind: "asked" });
      const { because, lastedMs } = await attempt(retry + 1);
      hasBeenActive ||= lastedMs >= 0;
      if (isClosing) return end({ kind: "asked" });
      if (reconnect === "never" || (reconnect === "after-first" && !hasBeenActive)) return end(because);
      const delayMs = retryDelayMs(because);
      if (delayMs === undefined) return end(because);
      if (lastedMs >= stableAfterMs) retry = 0;
      const retryInMs = Math.max(delayMs, backOffMs(retry, chance(), options.backOff));
      onState({ kind: "waiting", retryInMs, because });
      // `onState` may have closed.
      if (!isClosing) await pause.take(retryInMs);
    }
  }

  function end(because: SubscriberEnd["because"]): SubscriberEnd {
    const state: SubscriberEnd = { kind: "ended", because };
    onState(state);
    return state;
  }

  // A turn later, so that the creator of the subscriber can observe the first state.
  const ended = Promise.resolve().then(keepSubscribed);
  const settled = ended.then(
    () => {},
    () => {},
  );

  return {
    renegotiate: async (changes) => {
      if (run === undefined) throw notSubscribed();
      const accepted = await run.renegotiate(withReplyStatus(changes, capabilities));
      capabilities = mergedCapabilities(capabilities, changes);
      return accepted;
    },
    setTerms: (changes) => {
      capabilities = mergedCapabilities(capabilities, changes);
    },
    skip: (target) => run?.send({ type: "aaepd.skip", ...target }) ?? false,
    repeat: (eventId) => {
      if (run?.send({ type: "aaepd.repeat", event_id: eventId }) !== true) return false;
      asked.add(eventId);
      return true;
    },
    listPending: async () => {
      if (run === undefined) throw notSubscribed();
      return (await run.listPending()).map(withShortType);
    },
    reply: (reply) => {
      assertReply(reply);
      const type = "decision" in reply ? "confirmation.reply" : "clarification.reply";
      return run?.send({ ...reply, type, timestamp: new Date(wallTime()).toISOString() }) ?? false;
    },
    leave: ({ reply_token }) => run?.send({ type: "aaepd.leave", reply_token }) ?? false,
    stop: ({ session_id }) => run?.send({ type: "aaepd.stop", session_id }) ?? false,
    cursor: () => received.cursor,
    close: async (reasonMessage) => {
      isClosing = true;
      pause.cutShort();
      abandonConnecting();
      await run?.close(reasonMessage);
      if (!isDelivering) await settled;
    },
    ended,
  };
}

/** The shortest wait before the next attempt, ms; undefined if another attempt is of no use. */
function retryDelayMs(because: Interruption): number | undefined {
  switch (because.kind) {
    case "closed":
      // Nothing more follows, however often the subscriber asks.
      return because.close.reason_code === "recording_ended" ? undefined : 0;
    case "fault":
      return faultDelayMs(because.fault);
    case "rejected":
      return rejectionDelayMs(because.rejected);
  }
}

function faultDelayMs(fault: Fault): number | undefined {
  const { code, retryAfterSeconds } = fault;
  if (retryAfterSeconds !== undefined) return boundedMs(retryAfterSeconds);
  // The next attempt would show the same credentials.
  return isHopeless(fault) || code === "unauthenticated" ? undefined : 0;
}

function rejectionDelayMs({ reason_code: reason, retry_after_seconds: seconds }: SubscriptionRejected) {
  if (seconds !== undefined) return boundedMs(seconds);
  // A producer that is stopping may be back in a moment.
  return reason === "rate_limit" || reason === "transport_unavailable" ? 0 : undefined;
}

/** The longest `retry_after_seconds` (AAEP §5.5). */
const LONGEST_RETRY_SECONDS = 86_400;

/** A producer may send any number, and a timer of the platform takes one beyond its range as none. */
function boundedMs(seconds: number): number {
  return Math.min(Math.max(Number(seconds) || 0, 0), LONGEST_RETRY_SECONDS) * 1000;
}

function withPlace(request: SubscriberOptions["request"], resumeAfter: string | undefined) {
  const complete = { type: "subscription.request" as const, aaep_version: "1.0.0", ...request };
  if (resumeAfter === undefined) return complete;
  const { extensions } = request;
  return { ...complete, extensions: { ...extensions, aaepd: { ...extensions?.aaepd, resume_after: resumeAfter } } };
}

/** Requests checkpoints (R17), unless the capabilities say otherwise. */
function withOwnWishes(capabilities: Capabilities): Capabilities {
  const { aaepd, ...others } = withReplyStatus(capabilities);
  return { ...others, aaepd: { checkpoints: true, ...aaepd } };
}

/**
 * Requests reports of replies that did not count (R19) for a subscriber that can reply, unless the capabilities, or those `before`, say otherwise.
 */
function withReplyStatus(capabilities: Capabilities, before: Capabilities = {}): Capabilities {
  const { supports_confirmation_reply: confirms, supports_clarification_reply: clarifies, aaepd } = capabilities;
  const isUnsaid = (aaepd?.reply_status ?? before.aaepd?.reply_status) === undefined;
  if ((confirms !== true && clarifies !== true) || !isUnsaid) return capabilities;
  return { ...capabilities, aaepd: { ...aaepd, reply_status: true } };
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
  throw new Fault("usage", sentence, { origin: "local" });
}

function closedHere(): Fault {
  return new Fault("cancelled", "The subscriber was closed.", { origin: "local" });
}
