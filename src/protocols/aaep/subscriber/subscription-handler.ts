// The subscriber's side of AAEP, for every framing (AAEP §5.1–§5.8, R17, R19, R26, R28, R32, R33): a request becomes a subscription, and later
// messages change it, query it or end it. Sessions and services know the framing of messages; pumps decide when deliveries are pulled.
import { Fault, faultFrom, publicFault } from "../../../base/errors.js";
import type { IdSource } from "../../../base/ids.js";
import { assertMay } from "../../../base/permission.js";
import type { Access, SubscriberOperation } from "../../../contracts/access.js";
import type { Log } from "../../../contracts/log.js";
import type { DeliveryStream, EndReason, LastWords } from "../../../contracts/protocol.js";
import type { PeerIdentity } from "../../../contracts/transport.js";
import type { Engine } from "../../../engine/engine.js";
import type { Producer } from "../../../engine/event/event.js";
import { closingText } from "../../../engine/messages/messages.js";
import type { Resumed } from "../../../engine/subscriptions/resume.js";
import type { Subscription } from "../../../engine/subscriptions/subscription.js";
import type { PendingDeliveries } from "../../../engine/subscriptions/subscription-spec.js";
import type { Offer, Terms } from "../../../engine/terms/terms.js";
import { shortenedText } from "../../../engine/text/shortened-text.js";
import type { Message } from "../json/message.js";
import {
  assertLeave,
  assertListPending,
  assertRenegotiate,
  assertRepeat,
  assertSkip,
  assertStop,
  assertSubscriptionRequest,
  type Capabilities,
} from "../validation/validate-messages.js";
import { type Accepted, negotiate, negotiationNotes, renegotiate } from "./negotiate.js";
import { notesOfRequest, quoted } from "./notes.js";
import { closingMembers, errorMessage, limitsDocument, rejectionOfFault } from "./subscriber-messages.js";
import { asItCame, giveReply, tokenIn } from "./subscriber-replies.js";

export interface SubscriptionHandlerServices {
  readonly engine: Engine;
  readonly ids: IdSource;
  readonly offer: Offer;
  /** Identity of the daemon for its subscribers (R1). Called for each acceptance, because an agent may declare its name later. */
  readonly producer: () => Producer;
  /** Address of the manifest for a subscriber that can fetch the pages of `origin`, or none; undefined if there is no address (AAEP §5.10.2). */
  readonly manifestUri: (origin?: string) => string | undefined;
  readonly log: Log;
  /** Returns a process and its parents (R5d). Default: they are not known. */
  readonly lineageOf?: ((processId: number) => readonly number[]) | undefined;
  /** Silence after which a stream carries a heartbeat, seconds; acceptances report it. Undefined: never. */
  readonly heartbeatSeconds?: number | undefined;
  /** Whether streams carry checkpoints that nobody requested (R17). Default false. */
  readonly givesCheckpoints?: boolean;
}

export interface SubscriptionEvents {
  /** The stream that the accepted subscription joins. */
  readonly stream: DeliveryStream;
  /** The rights of the connection (R36). */
  readonly access: Access;
  /** The connection, if it may have an agent too: the same object as in `AgentHandlerServices` (R5). Default: the connection has no agent. */
  readonly connection?: object;
  /** The subscriber. Default: nothing is known of it. */
  readonly peer?: Pick<PeerIdentity, "origin" | "processId">;
  /** Sends a message on the stream that answers nothing. Default: the message is not sent. */
  readonly tell?: (message: Message) => void;
}

export interface RequestOutcome {
  readonly kind: "accepted" | "rejected";
  readonly message: Message;
}

/** An accepted subscription, with the state that later messages need. */
interface Granted {
  readonly engine: Subscription;
  readonly key: string;
  capabilities: Capabilities;
}

/** The note of R5d. */
const BELOW_AN_AGENT = "This subscriber runs below an agent, so its replies to that agent do not count (R5d).";

export const NOTHING_PENDING: PendingDeliveries = { drain: () => ({ kind: "done" }), leftCount: () => 0 };

/**
 * Handles the subscription of one peer from its request to its end. A further request is a new negotiation: the subscription that it is granted
 * replaces the former one (R23, R33). A class, because each stream has one.
 */
export class SubscriptionHandler {
  private readonly services: SubscriptionHandlerServices;
  private readonly events: SubscriptionEvents;
  private granted: Granted | undefined;
  private isEnding = false;

  constructor(services: SubscriptionHandlerServices, events: SubscriptionEvents) {
    this.services = services;
    this.events = events;
  }

  /** Undefined before the first acceptance. The subscription may have ended since. */
  get subscription(): Subscription | undefined {
    return this.granted?.engine;
  }

  /** Empty before the first acceptance. */
  get id(): string {
    return this.granted?.engine.id ?? "";
  }

  /** Proves that a message received outside the stream belongs to the subscription (R19). Empty before the first acceptance. */
  get key(): string {
    return this.granted?.key ?? "";
  }

  /** Whether a request was accepted. */
  isOpen(): boolean {
    return this.granted !== undefined;
  }

  /**
   * Answers a request. If it is accepted, the new subscription takes the stream over: the engine sends it the open questions if it can reply, and no
   * delivery of the former one follows. If it is rejected, the former one goes on. After `lastWords` every request is rejected. Never throws.
   */
  request(message: unknown): RequestOutcome {
    const { events, services, granted: former } = this;
    let engine: Subscription | undefined;
    try {
      // Pending deliveries are being handed over, and a further subscription would not be served afterwards (R8a).
      if (this.isEnding)
        throw new Fault("shutting_down", "This connection is about to end; ask again on another one.", { rule: "R8a" });
      assertMay(events.access, "subscribe");
      assertSubscriptionRequest(message);
      const request: Message = message as unknown as Message;
      const negotiated = negotiate(
        {
          aaep_version: message.aaep_version,
          capabilities: permitted(message.capabilities as Capabilities, events.access),
          extensions: request.extensions,
          notes: notesOfRequest(request),
        },
        services.offer,
      );
      engine = this.subscribe(message.subscriber_id, request, negotiated);
      const granted: Granted = { engine, key: services.ids.hex(16), capabilities: negotiated.capabilities };
      noteCorrelation(request, { subscription: engine.id }, services.log);
      const accepted = this.accepted(granted, negotiated, engine.resumed);
      this.granted = granted;
      events.stream.join(engine);
      // Closed last, so that the engine always has a subscription to ask (R7).
      former?.engine.close();
      return { kind: "accepted", message: accepted };
    } catch (caught) {
      engine?.close();
      const rejection = rejectionOfFault(publicFault(caught, services.log));
      noteCorrelation((message ?? {}) as Message, { reason: String(rejection.reason_code) }, services.log);
      return { kind: "rejected", message: rejection };
    }
  }

  /** Answers with an acceptance. Throws a Fault for a message that is malformed or cannot be served: the old terms stay (AAEP §5.7, R32). */
  renegotiate(message: unknown): Message {
    const { services } = this;
    const { granted, said } = this.taken(message, assertRenegotiate, "renegotiate");
    const wanted = permitted(said.capabilities as Capabilities, this.events.access);
    const negotiated = renegotiate(granted, wanted, services.offer);
    granted.engine.retune(termsOf(negotiated, services));
    granted.capabilities = negotiated.capabilities;
    return this.accepted(granted, negotiated, undefined);
  }

  skip(message: unknown): undefined {
    const { granted, said } = this.taken(message, assertSkip, "skip");
    granted.engine.skip(said.session_id, said.output_id);
  }

  /** The members of a page: `questions`, and `next` if there are more. */
  listPending(message: unknown): Message {
    const { granted, said } = this.taken(message, assertListPending, "list_pending");
    const { events, next } = granted.engine.listener.openQuestions(Number(said.after ?? 0));
    return { questions: events, next: next === undefined ? undefined : String(next) };
  }

  /** Sends an event again. A fault has the event's id, so that a subscriber that asked for several can tell them apart. */
  repeat(message: unknown): undefined {
    const { granted, said } = this.taken(message, assertRepeat, "repeat");
    try {
      granted.engine.repeat(said.event_id);
    } catch (caught) {
      if (!(caught instanceof Fault)) throw caught;
      const { pointer = "", rule = "R28" } = caught;
      throw caught.with({ pointer, rule, eventId: said.event_id });
    }
  }

  /** Leaves a question to the window of its host (R5b). Returns when that is safe; undefined if it is safe at once (R29). */
  leave(message: unknown): Promise<void> | undefined {
    const { granted, said } = this.taken(message, assertLeave, "reply");
    granted.engine.listener.leave(said.reply_token);
    return this.services.engine.whenDurable();
  }

  /** Asks the agent of a session to stop (R39). */
  stop(message: unknown): undefined {
    const { granted, said } = this.taken(message, assertStop, "reply");
    granted.engine.listener.requestStop(said.session_id);
  }

  /**
   * Returns whether the reply counted, never the reason why not (R19). Throws only before the first acceptance. `text`: the original text, if the
   * reply arrived as text.
   */
  reply(message: unknown, text?: string): boolean {
    const { engine } = this.needed();
    const raw = asItCame(message, text);
    // Only the log has the reason (R19).
    if (!this.events.access.may("reply")) {
      engine.listener.refusedReply("not_entitled", tokenIn(message), raw);
      return false;
    }
    try {
      return giveReply(message, engine, raw);
    } catch (caught) {
      // A malformed reply did not count, and has no other effect (AAEP §6.3.4).
      engine.listener.refusedReply("malformed", tokenIn(message), raw, faultFrom(caught).pointer);
      return false;
    }
  }

  /**
   * As `reply`, on transports with answers: that the reply counted, once that is durable (R29). Throws or rejects with "storage_unavailable" if that
   * cannot become durable.
   */
  safeReply(message: unknown, text?: string): boolean | Promise<boolean> {
    const counts = this.reply(message, text);
    const durable = counts ? this.services.engine.whenDurable() : undefined;
    return durable === undefined ? counts : durable.then(() => counts);
  }

  /** Ends the subscription at the subscriber's request. Throws "handshake_required" before the first acceptance. */
  close(): void {
    this.needed().engine.close();
  }

  /** Records a reply that is no message: the reply did not count. */
  refuseReply(token: string, text: string): void {
    if (this.granted === undefined) this.services.engine.strayReply("malformed", token, { text });
    else this.granted.engine.listener.refusedReply("malformed", token, { text });
  }

  /** Returns the deliveries to make before an end for this reason: all pending ones if nothing more follows (R8a). */
  pendingDeliveries(reason: EndReason): PendingDeliveries {
    const engine = this.granted?.engine;
    if (engine === undefined || (reason !== "producer_shutdown" && reason !== "recording_ended"))
      return NOTHING_PENDING;
    return {
      drain: () => engine.drain(),
      leftCount: () => {
        const { waitingCount, untakenCount } = engine.status();
        return engine.isClosed() ? 0 : waitingCount + untakenCount;
      },
    };
  }

  /** The message that reports the end to the subscriber, in the subscriber's language; before the first acceptance an error (R8a, R22). */
  closing(reason: EndReason): Message {
    const engine = this.granted?.engine;
    if (engine === undefined || reason === "handshake_timeout") return errorMessage(endedBeforeRequest(reason));
    return {
      type: "subscription.close",
      subscription_id: engine.id,
      reason_code: reason,
      reason_message: closingText(reason, engine.terms.languages),
      ...closingMembers(reason, engine, this.services.engine.limits),
    };
  }

  /** Pending deliveries and the last message of a conversation that this side ends (R8a, R22). */
  lastWords(reason: EndReason): LastWords<unknown> {
    this.isEnding = true;
    return { pendingDeliveries: this.pendingDeliveries(reason), messages: () => [this.closing(reason)] };
  }

  private subscribe(subscriberId: string, request: Message, negotiated: Accepted): Subscription {
    const { events, services, granted: former } = this;
    const { processId } = events.peer ?? {};
    return services.engine.subscribe({
      subscriberId,
      terms: termsOf(negotiated, services),
      connection: events.connection,
      lineage: processId === undefined ? [] : services.lineageOf?.(processId),
      isReplacing: former?.engine.isClosed() === false,
      replyNotTaken: (token) => events.tell?.({ type: "aaepd.reply_not_taken", reply_token: token }),
      resumeAfter: resumeAfterOf(request),
      outlet: events.stream,
    });
  }

  /** The acceptance has only the members of AAEP §5.4: additions of the daemon are among the capabilities (R19). */
  private accepted(
    { engine, key }: Granted,
    { version, honored, notes: sentences }: Accepted,
    resumed: Resumed | undefined,
  ): Message {
    const { services, events } = this;
    const isBelow = engine.terms.ownSessions?.isBelow === true;
    const notes = negotiationNotes(isBelow ? [...sentences, BELOW_AN_AGENT] : sentences);
    const place = { key, cursor: engine.cursor(), resumed, heartbeat_seconds: services.heartbeatSeconds };
    return {
      type: "subscription.accepted",
      subscription_id: engine.id,
      aaep_version: version,
      producer: services.producer(),
      honored_capabilities: {
        ...honored,
        aaepd: { ...honored.aaepd, ...place, limits: limitsDocument(services.engine.limits) },
      },
      manifest_uri: services.manifestUri(events.peer?.origin),
      negotiation_notes: notes,
    };
  }

  private needed(): Granted {
    if (this.granted !== undefined) return this.granted;
    const detail = { pointer: "/type", rule: "AAEP §5.1" };
    throw new Fault("handshake_required", "Send a subscription.request first.", detail);
  }

  /** Takes a message about this subscription: well-formed, permitted (R36), and meant for it; without a `subscription_id` it is. */
  private taken<Said extends { readonly subscription_id?: string; readonly session_id?: string }>(
    message: unknown,
    assertForm: (value: unknown) => asserts value is Said,
    right: SubscriberOperation,
  ): { readonly granted: Granted; readonly said: Said } {
    const granted = this.needed();
    assertForm(message);
    assertMay(this.events.access, right, message.session_id);
    const id = message.subscription_id;
    if (id === undefined || id === this.id) return { granted, said: message };
    const sentence = `There is no subscription ${quoted(id)} on this connection.`;
    throw new Fault("unknown_subscription", sentence, { pointer: "/subscription_id", rule: "R19" });
  }
}

/** Without the capabilities that the connection may not use: questions go only to connections that may reply (R6, R36). */
function permitted(capabilities: Capabilities, access: Access): Capabilities {
  if (access.may("reply")) return capabilities;
  return { ...capabilities, supports_confirmation_reply: false, supports_clarification_reply: false };
}

function endedBeforeRequest(reason: EndReason): Fault {
  return reason === "handshake_timeout"
    ? new Fault("timed_out", "No subscription.request came in time; connect again.")
    : new Fault("shutting_down", "The daemon is stopping.");
}

/** Records a reply of a peer that has no subscription (R19). */
export function refuseStrayReply(engine: Pick<Engine, "strayReply">, message: unknown, text?: string): void {
  engine.strayReply("wrong_subscription", tokenIn(message), asItCame(message, text));
}

/** Logs the subscriber's name for its request, so that both logs can be compared (AAEP §5.2.2). */
function noteCorrelation({ correlation_id: id }: Message, became: Readonly<Record<string, string>>, log: Log): void {
  if (typeof id === "string") log.debug({ ...became, correlation: shortenedText(id, 256) }, "a request was answered");
}

/** The negotiated terms, with the checkpoints of the transport's streams. */
function termsOf({ terms }: Accepted, { givesCheckpoints = false }: SubscriptionHandlerServices): Terms {
  return givesCheckpoints ? { ...terms, checkpoints: true } : terms;
}

function resumeAfterOf(request: Message): string | undefined {
  const extensions = request.extensions as Readonly<Record<string, Message | undefined>> | undefined;
  const after = extensions?.aaepd?.resume_after;
  return typeof after === "string" ? after : undefined;
}
