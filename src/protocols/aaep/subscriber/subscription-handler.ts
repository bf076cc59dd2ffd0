// The subscriber's side of AAEP, for every framing (AAEP §5.1–§5.8, R17, R19, R26, R28, R32, R33): a request becomes a subscription, and later
// messages change, question or end it. How messages are framed and when deliveries are pulled is known elsewhere.
import { Fault, publicFault } from "../../../base/errors.js";
import { ruleOf } from "../../../base/fault-rules.js";
import type { IdSource } from "../../../base/ids.js";
import { assertMay } from "../../../base/permission.js";
import type { Access } from "../../../contracts/access.js";
import type { ReplyAsItCame } from "../../../contracts/audit.js";
import type { Log } from "../../../contracts/log.js";
import type { EndReason } from "../../../contracts/protocol.js";
import type { Engine } from "../../../engine/engine.js";
import type { AgentEvent, Producer } from "../../../engine/event/event.js";
import { textFor } from "../../../engine/messages/daemon-messages.js";
import type { Resumed } from "../../../engine/subscriptions/resume-start.js";
import type { Subscription } from "../../../engine/subscriptions/subscription-spec.js";
import type { PendingDeliveries } from "../../../engine/subscriptions/taken.js";
import type { Offer, Terms } from "../../../engine/terms/terms.js";
import { shortenedText } from "../../../engine/text/shortened-text.js";
import type { Message } from "../json/message.js";
import type { Capabilities } from "../validation/capability-words.js";
import {
  assertClarificationReply,
  assertConfirmationReply,
  assertListPending,
  assertRenegotiate,
  assertRepeat,
  assertSkip,
  assertSubscriptionRequest,
} from "../validation/validate-messages.js";
import { quoted } from "./capabilities.js";
import { type Accepted, negotiate, negotiationNotes, type Rejected, renegotiate } from "./negotiate.js";
import { permitted } from "./permitted-capabilities.js";
import { closingExtensions, requestedMembers } from "./requested-members.js";

export interface DeskServices {
  readonly engine: Engine;
  readonly ids: IdSource;
  readonly offer: Offer;
  /** Who the daemon is to its subscribers (R1). Asked for each acceptance: an agent may name itself later. */
  readonly producer: () => Producer;
  /** Where the manifest stands for a subscriber that can fetch the pages of `origin`, or none; undefined where it stands nowhere (AAEP §5.10.2). */
  readonly manifestUri: (origin?: string) => string | undefined;
  readonly log: Log;
  /** Told in acceptances: after how long a silence a stream says that it is alive, seconds. Undefined where it never does. */
  readonly heartbeatSeconds?: number | undefined;
  /** Whether its streams carry checkpoints that nobody asked for (R17). Default false. */
  readonly givesCheckpoints?: boolean;
}

export interface SubscriptionEvents {
  readonly wake: () => void;
  /** The rights of its connection (R36). */
  readonly access: Access;
  /** Its connection, where that may have an agent too: what that names in `AgentDeskServices` (R5). Default: it has none. */
  readonly connection?: object;
  /** As of `PeerIdentity`. Default: none. */
  readonly origin?: string | undefined;
  /** Whether it takes the place of another, that of the same stream (R33), which its holder closes. Default false. */
  readonly isReplacing?: boolean;
  /** Sends a message on its stream that answers nothing. Default: it is not sent. */
  readonly tell?: (message: Message) => void;
  /** The engine ends it. */
  readonly terminated: (reason: EndReason) => void;
}

export type RequestOutcome =
  | { readonly kind: "accepted"; readonly message: Message; readonly open: OpenSubscription }
  | { readonly kind: "rejected"; readonly message: Message };

export const NOTHING_PENDING: PendingDeliveries = { drain: () => ({ kind: "done" }), leftCount: () => 0 };

/** A subscription under way. */
export interface OpenSubscription {
  readonly id: string;
  /** Says whose a message is that comes by another way than the stream (R19). */
  readonly key: string;
  readonly engine: Subscription;
  /** Answers accepted or rejected; a rejection has ended it (§5.7). Throws a Fault for a malformed one: the old terms stand (R32). */
  readonly renegotiate: (message: unknown) => { readonly message: Message; readonly ended: boolean };
  readonly skip: (message: unknown) => void;
  readonly listPending: (message: unknown) => readonly AgentEvent[];
  readonly repeat: (message: unknown) => void;
  /** Whether it counted. Never throws, and never says why not (R19). `text`: as it came, where it came as text. */
  readonly reply: (message: unknown, text?: string) => boolean;
  /** A reply that is no message: it did not count. */
  readonly refuseReply: (token: string, text: string) => void;
  /** What it is given before it ends for that reason: all that is owed where nothing more follows (R8a). */
  readonly pendingDeliveries: (reason: EndReason) => PendingDeliveries;
  /** The message that tells the subscriber why it ends; in its language. */
  readonly closing: (reason: EndReason) => Message;
}

export function createSubscriptionDesk(services: DeskServices): {
  readonly request: (message: unknown, events: SubscriptionEvents) => RequestOutcome;
  /** A reply of a peer that has no subscription: for the log alone. */
  readonly strayReply: (message: unknown, text?: string) => void;
  /** Such a reply that is no message. */
  readonly refuseReply: (token: string, text: string) => void;
} {
  const { engine } = services;
  return {
    request: (message, events) => answerRequest(message, events, services),
    strayReply: (message, text) => engine.strayReply("wrong_subscription", tokenIn(message), asItCame(message, text)),
    refuseReply: (token, text) => engine.strayReply("malformed", token, { text }),
  };
}

function answerRequest(value: unknown, events: SubscriptionEvents, services: DeskServices): RequestOutcome {
  const { access } = events;
  let engine: Subscription | undefined;
  try {
    assertMay(access, "subscribe");
    assertSubscriptionRequest(value);
    const request: Message = value as unknown as Message;
    const resumeAfter = resumeAfterOf(request);
    const negotiated = negotiate(
      {
        aaep_version: value.aaep_version,
        capabilities: permitted(value.capabilities as Capabilities, access),
        extensions: request.extensions,
      },
      services.offer,
    );
    if (negotiated.kind === "rejected") {
      noteCorrelation(request, { reason: negotiated.reasonCode }, services.log);
      return { kind: "rejected", message: rejection(negotiated) };
    }
    engine = services.engine.subscribe({
      subscriberId: value.subscriber_id,
      terms: termsOf(negotiated, services),
      connection: events.connection,
      isReplacing: events.isReplacing,
      replyNotTaken: (token) => events.tell?.({ type: "aaepd.reply_not_taken", reply_token: token }),
      resumeAfter,
      wake: events.wake,
      ended: events.terminated,
    });
    const open = new DeskSubscription(engine, negotiated, services, events);
    noteCorrelation(request, { subscription: engine.id }, services.log);
    return { kind: "accepted", message: open.accepted(negotiated, engine.resumed), open };
  } catch (caught) {
    engine?.close();
    return { kind: "rejected", message: rejectionOfFault(publicFault(caught, services.log)) };
  }
}

/** What the subscriber calls its request in logs of its own stands in this one too (AAEP §5.2.2). */
function noteCorrelation({ correlation_id: id }: Message, became: Readonly<Record<string, string>>, log: Log): void {
  if (typeof id === "string") log.debug({ ...became, correlation: shortenedText(id, 256) }, "a request was answered");
}

/** A class, because there is one for each subscription. */
class DeskSubscription implements OpenSubscription {
  readonly key: string;
  readonly engine: Subscription;
  private capabilities: Capabilities;
  private readonly services: DeskServices;
  private readonly events: SubscriptionEvents;

  constructor(engine: Subscription, { capabilities }: Accepted, services: DeskServices, events: SubscriptionEvents) {
    this.engine = engine;
    this.capabilities = capabilities;
    this.services = services;
    this.events = events;
    this.key = services.ids.hex(16);
  }

  get id(): string {
    return this.engine.id;
  }

  /** It has the members of AAEP §5.4 and no others: what the daemon adds stands among the capabilities (R19). */
  accepted({ version, honored, notes: sentences }: Accepted, resumed: Resumed | undefined): Message {
    const { services, key, events } = this;
    const cursor = this.engine.cursor();
    const manifestUri = services.manifestUri(events.origin);
    const notes = negotiationNotes(sentences);
    const given = requestedMembers(key, services.engine.limits, services.heartbeatSeconds, { cursor, resumed });
    return {
      type: "subscription.accepted",
      subscription_id: this.id,
      aaep_version: version,
      producer: services.producer(),
      honored_capabilities: { ...honored, aaepd: { ...honored.aaepd, ...given } },
      ...(manifestUri === undefined ? {} : { manifest_uri: manifestUri }),
      ...(notes === undefined ? {} : { negotiation_notes: notes }),
    };
  }

  renegotiate(message: unknown): { readonly message: Message; readonly ended: boolean } {
    assertMay(this.events.access, "renegotiate");
    assertRenegotiate(message);
    this.assertOurs(message.subscription_id);
    const { capabilities, engine, services, events } = this;
    const wanted = permitted(message.capabilities as Capabilities, events.access);
    const negotiated = renegotiate({ capabilities }, wanted, services.offer);
    if (negotiated.kind === "rejected") {
      engine.close();
      return { message: rejection(negotiated), ended: true };
    }
    this.capabilities = negotiated.capabilities;
    engine.retune(termsOf(negotiated, services));
    return { message: this.accepted(negotiated, undefined), ended: false };
  }

  skip(message: unknown): void {
    assertSkip(message);
    this.assertOurs(message.subscription_id);
    assertMay(this.events.access, "skip", message.session_id);
    this.engine.skip(message.session_id, message.output_id);
  }

  listPending(message: unknown): readonly AgentEvent[] {
    assertMay(this.events.access, "list_pending");
    assertListPending(message);
    this.assertOurs(message.subscription_id);
    return this.engine.openQuestions();
  }

  repeat(message: unknown): void {
    assertMay(this.events.access, "repeat");
    assertRepeat(message);
    this.assertOurs(message.subscription_id);
    try {
      this.engine.repeat(message.event_id);
    } catch (caught) {
      throw aboutEvent(caught, message.event_id);
    }
  }

  reply(message: unknown, text?: string): boolean {
    const raw = asItCame(message, text);
    // Why it did not count is for the log alone (R19).
    if (!this.events.access.may("reply")) {
      this.engine.refusedReply("not_entitled", tokenIn(message), raw);
      return false;
    }
    try {
      return giveReply(message, this.engine, raw);
    } catch {
      // A reply that is not well formed is one that did not count, and nothing else (AAEP §6.3.4).
      this.engine.refusedReply("malformed", tokenIn(message), raw);
      return false;
    }
  }

  refuseReply(token: string, text: string): void {
    this.engine.refusedReply("malformed", token, { text });
  }

  pendingDeliveries(reason: EndReason): PendingDeliveries {
    if (reason !== "producer_shutdown" && reason !== "recording_ended") return NOTHING_PENDING;
    const { engine } = this;
    return {
      drain: () => engine.drain(),
      leftCount: () => {
        const { waitingCount, untakenCount } = engine.status();
        return engine.isClosed() ? 0 : waitingCount + untakenCount;
      },
    };
  }

  closing(reason: EndReason): Message {
    return {
      type: "subscription.close",
      subscription_id: this.id,
      reason_code: reason,
      reason_message: textFor("closing", { reason }, this.engine.terms().languages).text,
      ...closingExtensions(reason, this.engine, this.services.engine.limits),
    };
  }

  /** A message that may leave the name out means this one. */
  private assertOurs(subscriptionId: string | undefined): void {
    if (subscriptionId === undefined || subscriptionId === this.id) return;
    throw new Fault("unknown_subscription", `There is no subscription ${quoted(subscriptionId)} on this connection.`, {
      pointer: "/subscription_id",
      rule: "R19",
    });
  }
}

/** The terms that were negotiated, on a stream of its transport. */
function termsOf({ terms }: Accepted, { givesCheckpoints = false }: DeskServices): Terms {
  return givesCheckpoints ? { ...terms, checkpoints: true } : terms;
}

/** With the id that was asked for: whoever asked for several knows which. */
function aboutEvent(caught: unknown, eventId: string): unknown {
  if (!(caught instanceof Fault)) return caught;
  const { pointer = "", rule = "R28" } = caught;
  return caught.with({ pointer, rule, eventId });
}

/** For the audit log. */
function asItCame(message: unknown, text: string | undefined): unknown {
  return text === undefined ? message : ({ text, message } satisfies ReplyAsItCame);
}

function giveReply(message: unknown, engine: Subscription, raw: unknown): boolean {
  if (typeof message === "object" && message !== null && "type" in message && message.type === "confirmation.reply") {
    assertConfirmationReply(message);
    if (message.subscription_id !== engine.id) return refuseStray(message, engine, raw);
    const { reply_token: token, timestamp, decision, decided_by, decision_rationale, modified_action } = message;
    return engine.reply(
      {
        kind: "confirmation",
        token,
        timestamp,
        decision,
        decidedBy: decided_by,
        rationale: decision_rationale,
        modifiedAction: modified_action,
      },
      raw,
    );
  }
  assertClarificationReply(message);
  if (message.subscription_id !== engine.id) return refuseStray(message, engine, raw);
  const { reply_token: token, timestamp, response, decided_by, confidence } = message;
  return engine.reply({ kind: "clarification", token, timestamp, response, decidedBy: decided_by, confidence }, raw);
}

/** It is another's, or nobody's: a reply counts over its own subscription only (R19). */
function refuseStray(message: { readonly reply_token: string }, engine: Subscription, raw: unknown): false {
  engine.refusedReply("wrong_subscription", message.reply_token, raw);
  return false;
}

/** The token of a reply that is not well formed, for the log. */
function tokenIn(message: unknown): string {
  const token = typeof message === "object" && message !== null && "reply_token" in message ? message.reply_token : "";
  return typeof token === "string" ? token.slice(0, 128) : "";
}

function resumeAfterOf(request: Message): string | undefined {
  const extensions = request.extensions as Readonly<Record<string, Message | undefined>> | undefined;
  const after = extensions?.aaepd?.resume_after;
  return typeof after === "string" ? after : undefined;
}

function rejection(rejected: Rejected): Message {
  return {
    type: "subscription.rejected",
    reason_code: rejected.reasonCode,
    reason_message: rejected.reasonMessage,
    ...(rejected.retryAfterSeconds === undefined ? {} : { retry_after_seconds: rejected.retryAfterSeconds }),
  };
}

/** A request that is at fault, or that cannot be served now (R33). */
export function rejectionOfFault(fault: Fault): Message {
  // Of several places each sentence names its own.
  const isPlain = fault.pointer === undefined || fault.pointer === "" || fault.tellsSeveral;
  const where = isPlain ? "" : ` (${fault.pointer})`;
  return {
    type: "subscription.rejected",
    reason_code: reasonCodeOf(fault),
    reason_message: shortenedText(`${fault.sentence}${where}`, 4096),
    ...(fault.retryAfterSeconds === undefined ? {} : { retry_after_seconds: fault.retryAfterSeconds }),
  };
}

function reasonCodeOf({ code }: Fault): string {
  switch (code) {
    case "capabilities_incompatible":
    case "version_unsupported":
    case "rate_limit":
      return code;
    case "signature_required":
      return "manifest_signature_required";
    case "unauthenticated":
      return "authentication_required";
    case "permission_denied":
      return "authorization_denied";
    case "shutting_down":
      return "transport_unavailable";
    default:
      return "unknown";
  }
}

/**
 * An error as a message of the plain framings (R20, R33); without a place of its own it is about the whole message. `answered`: the type of the
 * message that was at fault.
 */
export function errorMessage(fault: Fault, answered?: string): Message {
  return {
    type: "aaepd.error",
    code: fault.code,
    message: fault.sentence,
    pointer: fault.pointer ?? "",
    rule: ruleOf(fault),
    ...(fault.eventId === undefined ? {} : { event_id: fault.eventId }),
    ...(fault.retryAfterSeconds === undefined ? {} : { retry_after_seconds: fault.retryAfterSeconds }),
    // Whoever asked in a type that long finds no answer by it.
    ...(answered === undefined || answered === "" || answered.length > 256 ? {} : { answers: answered }),
  };
}
