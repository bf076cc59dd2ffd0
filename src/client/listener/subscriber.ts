// One daemon that a listener hears. It shakes hands, drops repeats (R12), and comes back to its place when a connection breaks (R17).
import type {
  AaepdError,
  Capabilities,
  Envelope,
  SubscriptionAccepted,
  SubscriptionClose,
  SubscriptionRejected,
} from "#gen/aaep/types.js";
import { Fault, faultFrom } from "../../base/errors.js";
import { isObject } from "../../base/members.js";
import { within } from "../../base/time-limit.js";
import { withResolvers } from "../../base/with-resolvers.js";
import { withShortType } from "../event-types.js";
import type { ReceivedEvent } from "../events.js";
import { cursorIn, encodeMessage, errorFromFault, faultFromError, notAaep, parseObject, textIn } from "../messages.js";
import { backOffMs, Pause, PLATFORM_TIMERS } from "../timers.js";
import { closedHere, goneFault, isLoss, lossFault, notSubscribed, retryDelayMs } from "./interruptions.js";
import { Received } from "./received.js";
import { assertReply, mergedCapabilities, requestOf, type SubscriberOptions } from "./requests.js";
import type { Interruption, ListenerConnection, SubscriberEnd, SubscriberReply, SubscriberState } from "./types.js";

/** A caller that waits for an answer. Answers to messages of one type come in their order. */
interface Waiting {
  readonly type: string;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (fault: Fault) => void;
}

/** A page of the open questions: the answer to `aaepd.list_pending` (R28). */
interface Page {
  readonly questions: readonly Envelope[];
  readonly next?: unknown;
}

const RENEGOTIATE = "subscription.renegotiate";
const LIST = "aaepd.list_pending";

/** More pages than a daemon can have, so that a broken one is not asked for ever. */
const MOST_PAGES = 4096;

/** Connects at once, and again by the rules of `reconnect` until `close`. Calls that send answer whether there was a subscription to send over. */
export class Subscriber {
  /** Resolves at the end for good. Rejects only with an error thrown by a function of the options. */
  readonly ended: Promise<SubscriberEnd>;
  readonly #options;
  readonly #received = new Received();
  readonly #pause: Pause;
  /** Events that `repeat` asked for. */
  readonly #asked = new Set<string>();
  #terms: Capabilities;
  /** Changes of the terms that the daemon has not been told: its next request has them. */
  #owed: Capabilities | undefined;
  #state: SubscriberState | undefined;
  #connection: ListenerConnection | undefined;
  /** The subscription, while it is active. */
  #id: string | undefined;
  /** The place behind everything handed on up to the last checkpoint (R17), and the one that this connection began at. */
  #cursor: string | undefined;
  #resumeAfter: string | undefined;
  #activeSince: number | undefined;
  readonly #waiting: Waiting[] = [];
  #absence: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined;
  #failure: { readonly caught: unknown } | undefined;
  #isClosing = false;
  #isDelivering = false;
  #abandonConnecting = (): void => {};
  #cancelTimeout = (): void => {};

  constructor(options: SubscriberOptions) {
    const { timers = PLATFORM_TIMERS, handshakeTimeoutMs = 10_000 } = options;
    this.#options = { ...options, timers, handshakeTimeoutMs };
    this.#terms = options.request.capabilities;
    this.#cursor = options.cursor;
    this.#pause = new Pause(timers);
    // A turn later, so that the owner can observe the first state.
    this.ended = Promise.resolve().then(() => this.#keepSubscribed());
  }

  /** The last state that `onState` received, in `active` with the terms in force. */
  get state(): SubscriberState | undefined {
    return this.#state;
  }

  get isActive(): boolean {
    return this.#id !== undefined;
  }

  /** The place where a later subscriber can go on (R17). Undefined before the first. */
  get cursor(): string | undefined {
    return this.#cursor;
  }

  /** The daemon's address is there, or gone. Without a connection the next attempt waits for it. */
  setPresent(isPresent: boolean): void {
    if (isPresent) {
      this.#absence?.resolve();
      this.#absence = undefined;
    } else this.#absence ??= withResolvers();
  }

  /**
   * Asks for other terms; omitted members stay as they are (AAEP §5.7, R32). Undefined: the daemon is not there, vanishes, or hangs, and gets
   * them with the next connection. Rejects with the Fault of a daemon that refuses.
   */
  async renegotiate(changes: Capabilities): Promise<SubscriptionAccepted | undefined> {
    const asked = this.isActive ? this.#change(changes) : undefined;
    const accepted = asked && (await this.answerOf(asked));
    if (accepted !== undefined) return accepted;
    // A daemon that hung may refuse after all.
    asked?.catch((caught) => this.#refused(caught));
    this.#owed = mergedCapabilities(this.#owed ?? {}, changes);
    this.#terms = mergedCapabilities(this.#terms, changes);
    return undefined;
  }

  /** As the daemon answers; undefined if it is lost before, or does not answer within `handshakeTimeoutMs`. */
  async answerOf<Answer>(asked: Promise<Answer>): Promise<Answer | undefined> {
    const { timers, handshakeTimeoutMs } = this.#options;
    try {
      return await within(timers.now() + handshakeTimeoutMs, asked, timers);
    } catch (caught) {
      if (isLoss(caught)) return undefined;
      throw caught;
    }
  }

  /** The open questions (R28). Rejects with the daemon's Fault, and with one of origin "local" while there is no subscription, or at its end. */
  async listPending(): Promise<readonly ReceivedEvent[]> {
    const questions: ReceivedEvent[] = [];
    let after: unknown;
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const answer = (await this.#ask(LIST, { after })) as Page;
      questions.push(...answer.questions.map(withShortType));
      after = answer.next;
      if (typeof after !== "string") break;
    }
    return questions;
  }

  /** Skips the rest of one output, or without an argument everything held back (R26). */
  skip(output?: { readonly session_id: string; readonly output_id?: string }): boolean {
    return this.#send({ type: "aaepd.skip", session_id: output?.session_id, output_id: output?.output_id });
  }

  /** Asks for one event again (R28). */
  repeat(eventId: string): boolean {
    const isSent = this.#send({ type: "aaepd.repeat", event_id: eventId });
    if (isSent) this.#asked.add(eventId);
    return isSent;
  }

  /** Answers a question (AAEP §6.3). Throws as `assertReply`. */
  reply(reply: SubscriberReply): boolean {
    assertReply(reply);
    const { wallTime = Date.now } = this.#options;
    const type = "decision" in reply ? "confirmation.reply" : "clarification.reply";
    return this.#send({ ...reply, type, timestamp: new Date(wallTime()).toISOString() });
  }

  /** Leaves a question to the agent's own window (R5b). */
  leave({ reply_token }: { readonly reply_token: string }): boolean {
    return this.#send({ type: "aaepd.leave", reply_token });
  }

  /** Asks the agent of a session to stop (R39). */
  stop({ session_id }: { readonly session_id: string }): boolean {
    return this.#send({ type: "aaepd.stop", session_id });
  }

  /** Resolves at the end. While `onEvent` runs, resolves once the connection is closed, so that `onEvent` itself may await `close`. */
  async close(reasonMessage?: string): Promise<void> {
    this.#isClosing = true;
    this.#pause.cutShort();
    this.#abandonConnecting();
    this.#send({ type: "subscription.close", reason_code: "subscriber_shutdown", reason_message: reasonMessage });
    await this.#connection?.close();
    if (!this.#isDelivering) await this.ended.catch(() => {});
  }

  async #keepSubscribed(): Promise<SubscriberEnd> {
    const { reconnect = "always", stableAfterMs = 10_000, chance = Math.random, timers, backOff } = this.#options;
    let hasBeenActive = false;
    for (let retry = 0; !this.#isClosing; retry += 1) {
      const because = await this.#attempt(retry + 1);
      const lastedMs = this.#activeSince === undefined ? -1 : timers.now() - this.#activeSince;
      hasBeenActive ||= lastedMs >= 0;
      const isLast = reconnect === "never" || (reconnect === "after-first" && !hasBeenActive);
      const delayMs = isLast ? undefined : retryDelayMs(because);
      if (this.#isClosing) break;
      if (delayMs === undefined) return this.#become({ kind: "ended", because });
      if (lastedMs >= stableAfterMs) retry = 0;
      const retryInMs = Math.max(delayMs, backOffMs(retry, chance(), backOff));
      this.#become({ kind: "waiting", retryInMs, because });
      // The owner may have closed.
      if (!this.#isClosing) await this.#pause.take(retryInMs);
    }
    return this.#become({ kind: "ended", because: { kind: "asked" } });
  }

  /** One connection, from the attempt to make it to its end. */
  async #attempt(number: number): Promise<Interruption> {
    this.#activeSince = undefined;
    this.#resumeAfter = this.#cursor;
    this.#become({ kind: "connecting", attempt: number });
    this.#received.reconnected();
    let connection: ListenerConnection;
    try {
      connection = await this.#connect();
    } catch (caught) {
      return { kind: "fault", fault: faultFrom(caught) };
    }
    this.#abandonConnecting = () => {};
    this.#connection = connection;
    const end = await this.#hear(connection);
    this.#cancelTimeout();
    // From here on nobody reads an answer.
    this.#id = undefined;
    this.#asked.clear();
    const fault = lossFault(end, connection);
    for (const { reject } of this.#waiting.splice(0)) reject(fault);
    await connection.close();
    this.#connection = undefined;
    if (this.#failure !== undefined) throw this.#failure.caught;
    return end;
  }

  /** As the owner's `connect`, but rejects at `close`: nobody knows how long an attempt takes. A connection that is made later is closed. */
  #connect(): Promise<ListenerConnection> {
    return new Promise((resolve, reject) => {
      if (this.#isClosing) throw closedHere();
      const connecting = Promise.resolve(this.#absence?.promise).then(() => this.#options.connect());
      this.#abandonConnecting = () => {
        reject(closedHere());
        connecting.then((late) => late.close()).catch(() => {});
      };
      connecting.then(resolve, reject);
    });
  }

  async #hear(connection: ListenerConnection): Promise<Interruption> {
    const { timers, handshakeTimeoutMs } = this.#options;
    let timedOut: Fault | undefined;
    this.#cancelTimeout = timers.wakeAt(timers.now() + handshakeTimeoutMs, () => {
      timedOut = new Fault("timed_out", "The producer did not answer the subscription request in time. Try again.");
      void connection.close(timedOut);
    });
    this.#owed = undefined;
    connection.send(encodeMessage(requestOf(this.#options.request, this.#terms, this.#resumeAfter)));
    try {
      for await (const frames of connection.frames) {
        for (const frame of frames) {
          const end = await this.#take(parseObject(frame));
          if (end !== undefined) return end;
        }
      }
      return { kind: "fault", fault: timedOut ?? goneFault(connection) };
    } catch (caught) {
      return { kind: "fault", fault: timedOut ?? faultFrom(caught) };
    }
  }

  /** Takes a message. Returns the end of the subscription if it is one. Throws a Fault "invalid_message" if the peer is no AAEP producer. */
  async #take(message: Readonly<Record<string, unknown>>): Promise<Interruption | undefined> {
    switch (textIn(message, "type")) {
      case "subscription.accepted":
        this.#accept(message);
        break;
      case "subscription.rejected":
        textIn(message, "reason_code");
        return { kind: "rejected", rejected: message as unknown as SubscriptionRejected };
      case "subscription.close": {
        const close = message as unknown as SubscriptionClose;
        this.#reach(cursorIn(close.extensions?.aaepd));
        return { kind: "closed", close };
      }
      case "aaepd.checkpoint":
        this.#reach(textIn(message, "cursor"));
        break;
      case "aaepd.pending":
        if (!Array.isArray(message.questions)) throw notAaep("has no questions");
        this.#takeWaiting(LIST)?.resolve(message);
        break;
      case "aaepd.reply_not_taken":
        this.#tell(this.#options.onReplyNotTaken, textIn(message, "reply_token"));
        break;
      case "aaepd.error":
        this.#takeError(message as unknown as AaepdError);
        break;
      default:
        // Messages of a producer are read leniently: new fields and types are no reason to stop listening (AAEP ch. 12).
        if (typeof message.event_id === "string" && typeof message.session_id === "string")
          await this.#deliver(message as unknown as Envelope);
    }
    return undefined;
  }

  #accept(message: Readonly<Record<string, unknown>>): void {
    const accepted = message as unknown as SubscriptionAccepted;
    const isFirst = !this.isActive;
    const id = textIn(message, "subscription_id");
    if (!isObject(accepted.honored_capabilities)) throw notAaep("has no honored_capabilities");
    this.#id = id;
    this.#cancelTimeout();
    if (isFirst) {
      this.#activeSince = this.#options.timers.now();
      // They changed while the request was on its way. A later connection has them in its request.
      if (this.#owed !== undefined) this.#change(this.#owed).catch((caught) => this.#refused(caught));
      this.#owed = undefined;
      this.#become({ kind: "active", accepted, isResumed: this.#resumeAfter !== undefined });
    } else if (this.#state?.kind === "active") this.#state = { ...this.#state, accepted };
    this.#reach(cursorIn(accepted.honored_capabilities.aaepd));
    // Last, so that its place is known by then.
    if (!isFirst) this.#takeWaiting(RENEGOTIATE)?.resolve(accepted);
  }

  async #deliver(event: Envelope): Promise<void> {
    // An event that is not delivered must not count as received: the cursor stays before it.
    if (this.#isClosing) return;
    const news = this.#received.accept(event);
    const isRepeated = this.#asked.delete(event.event_id);
    const shown = isRepeated ? event : news;
    if (shown === undefined) return;
    this.#isDelivering = true;
    try {
      await this.#options.onEvent(withShortType(shown), isRepeated);
    } catch (caught) {
      this.#failure = { caught };
      throw caught;
    } finally {
      this.#isDelivering = false;
    }
  }

  #reach(cursor: string | undefined): void {
    if (cursor === undefined || this.#isClosing) return;
    this.#cursor = cursor;
    this.#tell(this.#options.onCursor, cursor);
  }

  /** Hands the error to the caller that it answers, otherwise to the owner. An error without `answers` can only mean the terms. */
  #takeError(error: AaepdError): void {
    const { answers = RENEGOTIATE, event_id: eventId } = error;
    const waiting = this.#takeWaiting(answers);
    // An event that cannot be sent again is no longer expected.
    if (answers === "aaepd.repeat" && eventId !== undefined) this.#asked.delete(eventId);
    if (waiting === undefined) this.#tell(this.#options.onError, error);
    else waiting.reject(faultFromError(error));
  }

  async #change(changes: Capabilities): Promise<SubscriptionAccepted> {
    const accepted = await this.#ask(RENEGOTIATE, { capabilities: changes });
    this.#terms = mergedCapabilities(this.#terms, changes);
    return accepted as SubscriptionAccepted;
  }

  /** Tells a refusal that no caller waits for, as the daemon sends it (R33). */
  #refused(caught: unknown): void {
    const fault = faultFrom(caught);
    if (fault.origin !== "local") this.#options.onError?.(errorFromFault(fault, RENEGOTIATE));
  }

  #send(message: object): boolean {
    if (this.#id === undefined) return false;
    this.#connection?.send(encodeMessage({ ...message, subscription_id: this.#id }));
    return true;
  }

  #ask(type: string, members: object): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#send({ type, ...members })) this.#waiting.push({ type, resolve, reject });
      else reject(notSubscribed());
    });
  }

  #takeWaiting(type: string): Waiting | undefined {
    const index = this.#waiting.findIndex((one) => one.type === type);
    return index < 0 ? undefined : this.#waiting.splice(index, 1)[0];
  }

  #become<State extends SubscriberState>(state: State): State {
    this.#state = state;
    this.#tell(this.#options.onState, state);
    return state;
  }

  /** Calls the owner, whose error is no fault of the connection. */
  #tell<Value>(call: ((value: Value) => void) | undefined, value: Value): void {
    try {
      call?.(value);
    } catch (caught) {
      this.#failure = { caught };
      throw caught;
    }
  }
}
